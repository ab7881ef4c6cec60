"""The treebanks of an encoder with treebank embeddings, and the choice of a Doc's treebank.

Source: Stymne, de Lhoneux, Smith and Nivre (2018); Wagner, Barry and Foster (2020) for
interpolation.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Model, deserialize_attr, serialize_attr

from spacy_npparse.errors import UserError
from spacy_npparse.treebank_names import TREEBANK_KEY, TREEBANKS_KEY, treebank_weights

logger = logging.getLogger(__name__)

# The names of the encoder's attributes.
NAMES, CHOICE = "treebanks", "treebank"
_WHERE = f'The treebank of a Doc (doc.user_data["{TREEBANK_KEY}"], or a setting)'
_NAMELESS = (
    "Docs do not say which treebank they are from. Read them with spacy_npparse.ConlluCorpus.v1, "
    f'or set doc.user_data["{TREEBANK_KEY}"].'
)


@dataclass
class TreebankChoice:
    """The treebank of Docs that do not name one.

    The choice belongs to the config, where `spacy.load` can override it, and not to the weights.

    Attributes:
        treebank: The name of a treebank, or weights of several; None for the mean of all.
        has_warned: Whether the user has been warned of the mean.
    """

    treebank: str | None = None
    has_warned: bool = False


@serialize_attr.register(TreebankChoice)
def _serialize_choice(_: TreebankChoice, value: TreebankChoice, name: str, model: Model) -> bytes:
    return b""


@deserialize_attr.register(TreebankChoice)
def _deserialize_choice(
    default: TreebankChoice, value: bytes, name: str, model: Model
) -> TreebankChoice:
    return default


def corpus_treebanks(owner: str, docs: Sequence[Doc]) -> list[str]:
    """Find the treebanks of a corpus.

    Args:
        owner: The name of the encoder in a config, for messages.
        docs: A sample of Docs.

    Returns:
        The names in alphabetical order.

    Raises:
        ValueError: Docs do not name their treebank.
    """
    names: set[str] = set()
    for doc in docs:
        treebank = doc.user_data.get(TREEBANK_KEY)
        if treebank is None:
            raise ValueError(f"{owner}: treebank_embedding is true, but {_NAMELESS}")
        names.update(doc.user_data.get(TREEBANKS_KEY, [treebank]))
    return sorted(names)


def names_no_treebank(docs: Sequence[Doc]) -> bool:
    """Check whether none of the Docs names its treebank.

    Args:
        docs: The Docs.
    """
    return not any(TREEBANK_KEY in doc.user_data for doc in docs)


def weights_of_docs(
    model: Model, docs: Sequence[Doc], is_train: bool
) -> NDArray[np.float32] | None:
    """Find the weights of treebanks in Docs.

    Args:
        model: The encoder.
        docs: The Docs.
        is_train: Whether the Docs are training examples, which have to name their treebank.

    Returns:
        float32 [n_docs, n_treebanks], the weights, which add up to 1 in each row; None without
        treebank embeddings.

    Raises:
        ValueError: A treebank is unknown.
    """
    names: list[str] = model.attrs[NAMES]
    if not names:
        return None
    choice: TreebankChoice = model.attrs[CHOICE]
    rows = np.zeros((len(docs), len(names)), dtype=np.float32)
    for row, doc in zip(rows, docs, strict=True):
        treebank = doc.user_data.get(TREEBANK_KEY, choice.treebank)
        if treebank is not None:
            for name, weight in treebank_weights(_WHERE, treebank, names).items():
                row[names.index(name)] = weight
        elif is_train:
            raise ValueError(f"An encoder with treebank embeddings is trained, but {_NAMELESS}")
        else:
            _warn(choice, names)
            row[:] = 1 / len(names)
    return rows


class UnknownTreebankError(UserError, ValueError):
    """A treebank for which a pipeline has no embedding. The message names those that it has."""


def use_treebank(nlp: Language, treebank: str) -> None:
    """Let a pipeline encode all Docs that do not name a treebank as those of a given one.

    Args:
        nlp: The pipeline. The choice is lost when it is loaded again, unless the setting `treebank`
            of the encoder makes it in the config.
        treebank: The name of a treebank that the pipeline was trained on, or weights of several.

    Raises:
        UnknownTreebankError: The treebank is unknown, or no encoder has treebank embeddings.
    """
    encoders = list(_encoders(nlp))
    if not encoders:
        raise UnknownTreebankError(
            f"The treebank is {treebank!r}, but the encoder of this pipeline was trained without "
            "treebank embeddings. Leave the treebank out, or train with treebank_embedding = true."
        )
    for model in encoders:
        try:
            treebank_weights("The treebank", treebank, model.attrs[NAMES])
        except ValueError as error:
            raise UnknownTreebankError(str(error)) from None
    for model in encoders:
        model.attrs[CHOICE].treebank = treebank


def assume_treebank(nlp: Language, treebank: str) -> bool:
    """Let a pipeline encode Docs as those of a treebank, unless a setting names another one.

    Args:
        nlp: The pipeline.
        treebank: The name of the probable treebank of the Docs.

    Returns:
        Whether the pipeline does so. It does not if it has no embedding of that treebank.
    """
    choices: list[TreebankChoice] = [
        model.attrs[CHOICE] for model in _encoders(nlp) if treebank in model.attrs[NAMES]
    ]
    for choice in choices:
        choice.treebank = choice.treebank or treebank
    return any(choice.treebank == treebank for choice in choices)


def known_treebanks(nlp: Language) -> list[str]:
    """List the treebanks for which a pipeline has embeddings.

    Args:
        nlp: The pipeline.

    Returns:
        The names; empty if no encoder has treebank embeddings.
    """
    return sorted({name for model in _encoders(nlp) for name in model.attrs[NAMES]})


def _encoders(nlp: Language) -> Iterator[Model]:
    for _, component in nlp.components:
        model: Any = getattr(component, "model", None)
        if isinstance(model, Model):
            yield from (node for node in model.walk() if node.attrs.get(NAMES))


def _warn(choice: TreebankChoice, names: list[str]) -> None:
    if len(names) > 1 and not choice.has_warned:
        logger.warning(
            "Some Docs do not name their treebank, and are encoded with the mean of the "
            'embeddings of %s. Choose one: use_treebank(nlp, "%s"), or --treebank %s of a '
            "command.",
            ", ".join(names),
            names[0],
            names[0],
        )
        choice.has_warned = True
