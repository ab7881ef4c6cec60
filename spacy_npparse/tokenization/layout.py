"""The Doc of a text with given tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import SENT_START
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_npparse.word_forms import add_multiword_tokens

_NO_START = np.uint64(2**64 - 1)  # -1


class CutToken(NamedTuple):
    """A multiword token.

    Attributes:
        slices: The slices of the text, one for each word.
        words: The forms of the words.
    """

    slices: tuple[str, ...]
    words: tuple[str, ...]


def make_doc(
    vocab: Vocab,
    text: str,
    bounds: NDArray[np.int32],
    forms: list[str],
    multiword: Mapping[int, CutToken],
) -> Doc:
    """Make the Doc of a text. A space after a token belongs to it, and all other white space
    becomes tokens.

    Args:
        vocab: The vocabulary of the Doc.
        text: The text.
        bounds: int32 [n_tokens, 2], the start and the end (exclusive) of each token. Between tokens
            is white space.
        forms: The forms of the tokens.
        multiword: The multiword tokens, by the index of the token.

    Returns:
        The Doc, whose text is the given one.
    """
    ends = bounds[:, 1]
    gaps = np.append(bounds[1:, 0], np.int32(len(text))) - ends
    space_follows = (gaps > 0).tolist()
    # White space other than the space is not printable.
    n_spaces = 1 if text.isprintable() else [text[end : end + 1] == " " for end in ends.tolist()]
    with_more = np.flatnonzero(gaps > np.asarray(n_spaces)).tolist()
    words: list[str] = []
    spaces: list[bool] = []
    _append_space(text[: bounds[0, 0]] if forms else text, words, spaces)
    found: list[tuple[int, tuple[str, ...]]] = []
    done = 0
    for number in sorted({*multiword, *with_more}):
        words += forms[done:number]
        spaces += space_follows[done:number]
        slices: Sequence[str] = (forms[number],)
        if number in multiword:
            slices = multiword[number].slices
            found.append((len(words), multiword[number].words))
        words += slices
        spaces += [False] * len(slices)
        _append_space(text[ends[number] : ends[number] + gaps[number]], words, spaces)
        done = number + 1
    doc = Doc(vocab, words=words + forms[done:], spaces=spaces + space_follows[done:])
    if found:
        # No sentence begins within a multiword token. Setting this for each word separately would
        # take quadratic time in the length of the Doc.
        starts = np.zeros(len(doc), dtype=np.uint64)
        for first, forms_of_words in found:
            starts[first + 1 : first + len(forms_of_words)] = _NO_START
        doc.from_array([SENT_START], starts)  # type: ignore[arg-type]
        add_multiword_tokens(doc, found)
    return doc


def _append_space(space: str, words: list[str], spaces: list[bool]) -> None:
    """Append white space. A first space belongs to the token before it, and the rest is a token."""
    if words and space.startswith(" "):
        spaces[-1] = True
        space = space[1:]
    if space:
        words.append(space)
        spaces.append(False)
