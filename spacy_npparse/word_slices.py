"""Cutting of a multiword token into slices of its surface, one for each of its words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from os.path import commonprefix

# The maximum length of the middle, which neither the first nor the last word shares with the token.
# Alignment takes cubic time in it.
_LONGEST = 64
_IMPOSSIBLE = 1 << 30


@lru_cache(2**16)
def cut(surface: str, words: tuple[str, ...]) -> tuple[str, ...] | None:
    """Cut a multiword token by the best alignment with its words.

    The first slice begins with the prefix that the token shares with its first word, and the last
    slice ends with the suffix that it shares with its last word. The middle is cut so that the sum
    of the edit distances between slices and words, regardless of case, is smallest. Among several
    such cuts, the last ones are chosen.

    Args:
        surface: The token as spelled in the text.
        words: The syntactic words of the token.

    Returns:
        The slices, none of them blank, which form the token; None if it has fewer characters than
        words, not counting white space, or differs too much from its words.

    Examples:
        >>> cut("du", ("de", "le")), cut("evdeki", ("evde", "ki")), cut("à", ("a", "a"))
        (('d', 'u'), ('evde', 'ki'), None)
    """
    if "".join(words) == surface:
        return words
    n_later = len(words) - 1
    if len("".join(surface.split())) < len(words):
        return None
    if not n_later:
        return (surface,)
    # The lower case of İ has two characters.
    spelling = "".join(character.lower()[:1] for character in surface)
    lowered = [word.lower() for word in words]
    start = len(commonprefix([spelling[:-n_later], lowered[0]]))
    n_inside = n_later - 1 if start else n_later
    n_at_end = len(commonprefix([spelling[start + n_inside :][::-1], lowered[-1][::-1]]))
    # White space may leave no visible characters for a word in the middle.
    for first, last in ((start, n_at_end), (0, 0)):
        end = len(surface) - last
        bounds = _bounds(spelling[first:end], lowered, first, last)
        if bounds is not None:
            places = [0, *(first + bound for bound in bounds), len(surface)]
            return tuple(surface[begin:stop] for begin, stop in pairwise(places))
    return None


def _bounds(middle: str, words: Sequence[str], n_first: int, n_last: int) -> list[int] | None:
    """Find where the best slices of the middle end, except the last one; None if there are none.
    n_first, n_last: the number of characters before the middle that the first word has, and after
    it that the last word has."""
    parts = [words[0][n_first:], *words[1:-1], words[-1][: len(words[-1]) - n_last]]
    if max(map(len, (middle, *parts))) > _LONGEST:
        return None
    full = [n_first > 0, *[False] * (len(words) - 2), n_last > 0]
    size = len(middle)
    n_visible = list(accumulate((not char.isspace() for char in middle), initial=0))
    costs = [0, *[_IMPOSSIBLE] * size]
    choices: list[list[int]] = []
    for part, is_full in zip(parts, full, strict=True):
        best, begins = [_IMPOSSIBLE] * (size + 1), [0] * (size + 1)
        for begin, cost in enumerate(costs):
            if cost == _IMPOSSIBLE:
                continue
            for end, distance in enumerate(_distances(part, middle[begin:]), begin):
                is_visible = is_full or n_visible[end] > n_visible[begin]
                # Among equal cuts, choose the last ones.
                if is_visible and cost + distance <= best[end]:
                    best[end], begins[end] = cost + distance, begin
        costs = best
        choices.append(begins)
    if costs[size] == _IMPOSSIBLE:
        return None
    bounds = [size]
    for begins in reversed(choices[1:]):
        bounds.append(begins[bounds[-1]])
    return bounds[:0:-1]


def _distances(word: str, text: str) -> list[int]:
    """Compute the edit distance of a word from each prefix of a text."""
    row = list(range(len(text) + 1))
    for number, letter in enumerate(word, 1):
        diagonal, row[0] = row[0], number
        for place, other in enumerate(text, 1):
            changed = diagonal + (letter != other)
            diagonal = row[place]
            row[place] = min(changed, diagonal + 1, row[place - 1] + 1)
    return row
