"""The treebank of a Doc, which readers note and encoders embed."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable
from pathlib import Path

from spacy.tokens import Doc

# The key of doc.user_data for the name of its treebank, or weights of several; see
# `treebank_weights`.
TREEBANK_KEY = "spacy_npparse.treebank"
# The key of doc.user_data in training examples for the names of all treebanks of their corpus.
TREEBANKS_KEY = "spacy_npparse.treebanks"

_UD_PART = re.compile(r"(.+)-ud-(?:train|dev|test)(?:-.+)?")
_OTHER_PART = re.compile(r"(.+)[-_.](?:train|dev|test)")
_PARTS = {"train", "dev", "test"}
_ROUNDING = 1e-3


def treebank_name(path: Path, folder: Path | None = None) -> str:
    """Find the name of the treebank that a file belongs to.

    Args:
        path: The path of a file, which need not exist.
        folder: The folder whose files are read together.

    Returns:
        `en_lines` for en_lines-ud-train.conllu. For other files, the name of `folder`. Without one,
        the name of the folder that has train.conllu, dev.conllu or test.conllu, or that of the file
        without its extension and `-train`, `-dev` or `-test`.

    Examples:
        >>> treebank_name(Path("cs_pdt-ud-train-a.conllu"))
        'cs_pdt'
        >>> treebank_name(Path("corpus/UD_Gothic-PROIEL/dev.conllu"))
        'UD_Gothic-PROIEL'
    """
    stem = path.name.removesuffix(".conllu")
    if match := _UD_PART.fullmatch(stem):
        return match[1]
    if folder is None and stem not in _PARTS:
        match = _OTHER_PART.fullmatch(stem)
        return match[1] if match else stem
    return (folder or path.parent).absolute().name


def name_docs(docs: Iterable[Doc], treebank: str, corpus: list[str]) -> None:
    """Note in Docs which treebank they are from.

    Args:
        docs: The Docs.
        treebank: The name of the treebank.
        corpus: The names of all treebanks of the corpus.
    """
    for doc in docs:
        doc.user_data[TREEBANK_KEY] = treebank
        doc.user_data[TREEBANKS_KEY] = corpus


def copy_treebank(source: Doc, target: Doc) -> None:
    """Note in a Doc that it is from the same treebank as another one.

    Args:
        source: The Doc from a reader.
        target: The Doc that was made from it.
    """
    for key in (TREEBANK_KEY, TREEBANKS_KEY):
        if key in source.user_data:
            target.user_data[key] = source.user_data[key]


def treebank_weights(setting: str, treebank: str, known: Collection[str]) -> dict[str, float]:
    """Read the treebank, or the weights of several, as which Docs are encoded.

    Args:
        setting: The name of the setting, for messages.
        treebank: The name of a treebank, or weights that interpolate the embeddings of several:
            `en_lines=0.7,sv_lines=0.3`.
        known: The names of the known treebanks.

    Returns:
        The weights by name, which add up to 1.

    Raises:
        ValueError: The value is malformed, a treebank is unknown, or the weights do not
            interpolate.
    """
    if treebank in known:
        return {treebank: 1.0}
    if not isinstance(treebank, str):
        raise ValueError(f"{setting} is {treebank!r}. Give the name of a treebank, or weights.")
    parts = [part.strip() for part in treebank.split(",")]
    pairs = [part.rpartition("=") for part in parts] if "=" in treebank else []
    weights = {name: _number(weight) for name, _, weight in pairs}
    names = list(weights) or [treebank]
    if unknown := [name for name in names if name not in known]:
        raise ValueError(
            f"{setting} is {treebank!r}, but {unknown[0]!r} is none of the treebanks that the "
            f"encoder was trained on: {', '.join(known)}. Give one of these, or weights of several."
        )
    in_range = len(names) == len(pairs) and all(0 <= weight <= 1 for weight in weights.values())
    if not (in_range and math.isclose(sum(weights.values()), 1, abs_tol=_ROUNDING)):
        raise ValueError(
            f"{setting} is {treebank!r}. Give the name of a treebank, or weights of several, from "
            "0 to 1, whose sum is 1, such as en_lines=0.7,sv_lines=0.3."
        )
    return weights


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
