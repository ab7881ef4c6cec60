"""Configs in which only the factory of spaCy's own parser was exchanged."""

from __future__ import annotations

from typing import Any

from thinc.api import Model

from spacy_npparse.components.encoders import listeners

_ARCHITECTURE = "parser_model"


def check_model(name: str, factory: str, model: Any) -> None:
    """Refuse the model of spaCy's parser, and show the section of the config to write instead;
    refuse other models that are none of a parser of this package.

    The other settings of spaCy's parser (`moves`, `learn_tokens`, …) are refused by spaCy, as
    unknown ones.

    Args:
        name: Of the component.
        factory: Of the component.
        model: Of the component.

    Raises:
        ValueError: If it is another one than `spacy_npparse.Parser.v1` makes.
    """
    if not isinstance(model, Model):
        return
    if model.name == _ARCHITECTURE:
        raise ValueError(
            f"{name}: {factory} cannot take the model of spaCy's parser, "
            "spacy.TransitionBasedParser, nor its settings moves, update_with_oracle_cut_size, "
            "learn_tokens and min_action_freq. Write this instead of the whole section "
            f"[components.{name}], and leave the other components as they are:\n\n"
            + "\n".join(_section(name, factory, model))
        )
    if "sizes" not in model.attrs:
        raise ValueError(
            f"{name}: the model {model.name!r} has no network of this package for parsers; make it "
            "the architecture spacy_npparse.Parser.v1, which takes an encoder as its tok2vec."
        )


def _section(name: str, factory: str, model: Model) -> list[str]:
    """The lines of the component's section in a config."""
    tok2vec = f"[components.{name}.model.tok2vec]"
    return [
        f"[components.{name}]",
        f'factory = "{factory}"',
        "",
        f"[components.{name}.model]",
        '@architectures = "spacy_npparse.Parser.v1"',
        "",
        tok2vec,
        *_encoder(tok2vec, model),
    ]


def _encoder(section: str, model: Model) -> list[str]:
    """The settings of the encoder below a model, if it is a listener."""
    for layer in listeners(model):
        if layer.name == "tok2vec-listener":
            return [
                '@architectures = "spacy.Tok2VecListener.v1"',
                f"width = {layer.get_dim('nO')}",
                f'upstream = "{layer.upstream_name}"',
            ]
        if layer.name == "transformer-listener":
            return [
                '@architectures = "spacy-transformers.TransformerListener.v1"',
                "grad_factor = 1.0",
                'pooling = {"@layers": "reduce_mean.v1"}',
                f'upstream = "{layer.upstream_name}"',
            ]
    return [f"# as it is now, with the sections below {section}"]
