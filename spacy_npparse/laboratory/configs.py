"""The training configs of this package, as they stand and completed for a parser and a language."""

from __future__ import annotations

from pathlib import Path

import spacy
from spacy.util import get_lang_class, load_config, load_model_from_config
from thinc.api import Config

import spacy_npparse
from spacy_npparse.laboratory.component import COMPONENT, drop_defaults
from spacy_npparse.laboratory.names import FACTORY_SUFFIX, trainable_parsers


def config_path(name: str) -> Path:
    """A config of this package.

    Args:
        name: `accuracy`, `fast`, `transformer` or `ensemble`.

    Returns:
        The file, in an installed package or in the top-level folder `configs` of a clone.

    Raises:
        ValueError: There is no such config.
    """
    package = Path(spacy_npparse.__file__).parent
    folder = next(
        path for path in (package / "configs", package.parent / "configs") if path.exists()
    )
    path = folder / f"{name}.cfg"
    if not path.is_file():
        known = ", ".join(sorted(path.stem for path in folder.glob("*.cfg")))
        raise ValueError(f"there is no config {name!r}; choose one of: {known}")
    return path


def complete_config(name: str, parser: str, lang: str, encoder: str | Path | None = None) -> Config:
    """A config of this package for a parser and a language.

    All defaults are explicit but those of the parser's factory: they differ between factories, so
    that with them another factory could not be put in its place.

    Args:
        name: See `config_path`.
        parser: The parser's factory, with or without `_parser`.
        lang: Language code, `xx` for multi-language.
        encoder: The folder of a pretrained encoder that is read beside words and characters; for
            configs with a BiLSTM.

    Returns:
        The config, its variables not interpolated.

    Raises:
        ValueError: There is no such parser or language, or a package is missing.
    """
    parser = parser.removesuffix(FACTORY_SUFFIX)
    if parser not in trainable_parsers():
        raise ValueError(
            f"there is no parser {parser!r}; choose one of: {', '.join(trainable_parsers())}"
        )
    try:
        get_lang_class(lang)
    except ImportError:
        raise ValueError(
            f"spaCy has no language {lang!r}; choose another code, or xx for multi-language"
        ) from None
    config = load_config(config_path(name))
    config["nlp"]["lang"] = lang
    config["components"][COMPONENT]["factory"] = f"{parser}{FACTORY_SUFFIX}"
    if encoder is not None:
        config["components"]["tok2vec"]["model"]["transformer"] = {
            "@architectures": "spacy_npparse.Transformer.v1",
            "folder": str(encoder),
        }
    _check_factories(config)
    filled = load_model_from_config(config, auto_fill=True, validate=False).config
    # Filling does not validate.
    complete = load_model_from_config(filled).config
    component = complete["components"][COMPONENT]
    has_decoder = "decoder" in component
    drop_defaults(component)
    if has_decoder:
        # An override on the command line needs the section; all families have this one.
        component["decoder"] = {}
    return complete


def _check_factories(config: Config) -> None:
    known = spacy.blank("xx").factory_names
    for component in config["components"].values():
        if component["factory"] not in known:
            raise ValueError(
                f"the factory {component['factory']!r} is not installed; for a transformer: "
                "pip install 'spacy-transformers>=1.3,<2'"
            )
