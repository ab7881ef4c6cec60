"""The training configs of this package, and their completion for a parser and a language."""

from __future__ import annotations

from pathlib import Path

import spacy
from spacy.util import get_lang_class, load_config, load_model_from_config
from thinc.api import Config

import spacy_npparse
from spacy_npparse.laboratory.component import COMPONENT, drop_defaults
from spacy_npparse.laboratory.names import FACTORY_SUFFIX, trainable_parsers


def config_path(name: str) -> Path:
    """Find a config of this package.

    Args:
        name: The name of the config: `accuracy`, `fast`, `transformer` or `ensemble`.

    Returns:
        The path of the file, in an installed package or in the top-level folder `configs` of a
        clone.

    Raises:
        ValueError: The config does not exist.
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


def complete_config(
    name: str, parser: str | None, lang: str, encoder: str | Path | None = None
) -> Config:
    """Complete a config of this package for a parser and a language.

    All defaults are explicit, except those of the parser's factory. They differ between factories,
    so another factory could not replace it.

    Args:
        name: The name of the config: `accuracy`, `fast` or `transformer`.
        parser: The factory of the parser, with or without `_parser`; None for that of the config.
        lang: The language code, `xx` for multi-language.
        encoder: The folder of a pretrained encoder that is read in addition to words and
            characters, for configs with a BiLSTM; None for none.

    Returns:
        The config, without interpolating its variables.

    Raises:
        ValueError: The parser or the language does not exist, or a package is missing.
    """
    config = load_config(config_path(name))
    parser = (parser or config["components"][COMPONENT]["factory"]).removesuffix(FACTORY_SUFFIX)
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
    config["nlp"]["lang"] = lang
    config["components"][COMPONENT]["factory"] = f"{parser}{FACTORY_SUFFIX}"
    if encoder is not None:
        add_encoder(config, encoder)
    _check_factories(config)
    filled = load_model_from_config(config, auto_fill=True, validate=False).config
    # Filling a config does not validate it.
    complete = load_model_from_config(filled).config
    component = complete["components"][COMPONENT]
    has_decoder = "decoder" in component
    drop_defaults(component)
    if has_decoder:
        # Overrides on the command line need the section, which all parsers have.
        component["decoder"] = {}
    return complete


def add_encoder(config: Config, folder: str | Path) -> None:
    """Make a config with a BiLSTM read words with a pretrained encoder as well.

    Args:
        config: The config.
        folder: The folder of the encoder.
    """
    config["components"]["tok2vec"]["model"]["transformer"] = {
        "@architectures": "spacy_npparse.Transformer.v1",
        "folder": str(folder),
    }


def _check_factories(config: Config) -> None:
    known = spacy.blank("xx").factory_names
    for component in config["components"].values():
        if component["factory"] not in known:
            raise ValueError(
                f"the factory {component['factory']!r} is not installed; for a transformer: "
                "pip install 'spacy-transformers>=1.3,<2'"
            )
