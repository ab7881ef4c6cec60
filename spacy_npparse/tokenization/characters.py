"""Characters of several code points, such as a letter with a combining accent, a Hangul syllable of
jamo, or an emoji with a skin tone. No token ends inside of them, and networks read them composed.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple
from unicodedata import category, is_normalized, normalize

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]

_JOINER = 0x200D
# Vowels and final consonants of Hangul syllables, and skin tones.
_CONTINUING = (range(0x1160, 0x1200), range(0x1F3FB, 0x1F400))
_SPACE, _FIRST, _LATER = 1, 2, 3
# The kinds of code points; 0 if a code point has not been looked up yet. The system allocates
# memory only where it is used.
_kinds = np.zeros(0x110000, dtype=np.uint8)


class ComposedText(NamedTuple):
    """A text with composed characters.

    Attributes:
        text: The text in Unicode normalization form C.
        places: int32 [n + 1], where each character begins in this text, and its end.
        original: int32 [n + 1], where the characters begin in the original text, and its end.
    """

    text: str
    places: Ints
    original: Ints

    def bounds(self, found: Ints) -> Ints:
        """Convert the bounds of tokens to those in the original text.

        Args:
            found: int32 [n_tokens, 2], the start and the end (exclusive) of each token in `text`.

        Returns:
            int32 [n_tokens, 2]. A bound inside a character moves to its end.
        """
        moved = self.original[np.searchsorted(self.places, found)]
        return moved[moved[:, 0] < moved[:, 1]]


def compose(text: str) -> ComposedText | None:
    """Compose the characters of a text.

    Args:
        text: The text.

    Returns:
        The composed text; None if each character of the text is one code point.

    Examples:
        >>> compose("e\\u0301t").text == "\\xe9t", compose("et")
        (True, None)
    """
    if text.isascii():
        return None
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    kinds = _kinds[codes]
    if not kinds.all():
        for char in {*text}:
            _kinds[ord(char)] = _kind(char)
        kinds = _kinds[codes]
    later = kinds == _LATER
    if not later.any():
        return None
    later[1:] |= codes[:-1] == _JOINER
    is_space = kinds == _SPACE
    later[is_space] = False
    later[1:][is_space[:-1]] = False
    later[0] = False
    original = np.append(np.flatnonzero(~later), len(text)).astype(np.int32)
    if is_normalized("NFC", text):
        return ComposedText(text, original, original)
    parts = [normalize("NFC", text[begin:end]) for begin, end in pairwise(original.tolist())]
    places = np.cumsum([0, *map(len, parts)], dtype=np.int32)
    return ComposedText("".join(parts), places, original)


def _kind(char: str) -> int:
    if char.isspace():
        return _SPACE
    code = ord(char)
    continues = category(char)[0] == "M" or code == _JOINER
    return _LATER if continues or any(code in those for those in _CONTINUING) else _FIRST
