"""Edits that spell a lemma from the characters of a form, one for each character.

Source: Makarov and Clematide (2018) for string transduction by edits that copy, delete and insert;
Chrupała (2006) for the longest common substring as anchor.
"""

from __future__ import annotations

from typing import NamedTuple

COPY, LOWER, UPPER, DELETE = "copy", "lower", "upper", "delete"
KINDS = (COPY, LOWER, UPPER, DELETE)
# Longer forms are numbers, addresses, or not words at all, and are their own lemmas.
MOST_CHARS = 100


class Edit(NamedTuple):
    """An edit of a character.

    Attributes:
        kind: Whether the character is copied, written in lower or upper case, or deleted.
        added: The characters that are inserted after it. A replacement is a deletion with an
            insertion.
    """

    kind: str
    added: str = ""

    def of(self, char: str) -> str:
        """Apply the edit to a character.

        Args:
            char: The character; empty for the beginning of a form.

        Returns:
            The part of the lemma that the character becomes.
        """
        if self.kind == DELETE:
            return self.added
        if self.kind == LOWER:
            char = _lower_char(char)
        elif self.kind == UPPER:
            char = _upper_char(char)
        return char + self.added


def find_edits(form: str, lemma: str) -> list[Edit]:
    """Find the edits that turn a form into a lemma.

    The longest common substring, regardless of case, is copied, the first one if there are several.
    The same is done on either side of it. Where form and lemma have nothing in common, characters
    are replaced from left to right.

    Args:
        form: The form.
        lemma: The lemma.

    Returns:
        An edit for the beginning of the form, which deletes nothing, and an edit for each
        character.
    """
    kinds, added = [DELETE], [""]
    _align(form, lemma, _lower(form), _lower(lemma), kinds, added)
    return list(map(Edit, kinds, added))


def _align(
    form: str, lemma: str, low_form: str, low_lemma: str, kinds: list[str], added: list[str]
) -> None:
    """Append the edits that turn a piece of the form into a piece of the lemma."""
    start, place, length = _longest_common(low_form, low_lemma)
    if not length:
        n_replaced = min(len(form), len(lemma))
        kinds += [DELETE] * len(form)
        added += [*lemma[:n_replaced], *[""] * (len(form) - n_replaced)]
        added[-1] += lemma[n_replaced:]
        return
    end, place_end = start + length, place + length
    _align(form[:start], lemma[:place], low_form[:start], low_lemma[:place], kinds, added)
    for char, goal in zip(form[start:end], lemma[place:place_end], strict=True):
        kind = _kind(char, goal)
        kinds.append(kind or DELETE)
        added.append("" if kind else goal)
    _align(form[end:], lemma[place_end:], low_form[end:], low_lemma[place_end:], kinds, added)


def _kind(char: str, goal: str) -> str:
    """Find the kind of edit that turns one character into another; empty if there is none."""
    if char == goal:
        return COPY
    if _lower_char(char) == goal:
        return LOWER
    return UPPER if _upper_char(char) == goal else ""


def _lower(text: str) -> str:
    """Convert a text to lower case, keeping its length."""
    return "".join(map(_lower_char, text))


def _lower_char(char: str) -> str:
    """Convert a character to lower case; return it unchanged if that would be several."""
    lowered = char.lower()
    return lowered if len(lowered) == 1 else char


def _upper_char(char: str) -> str:
    """Convert a character to upper case; return it unchanged if that would be several."""
    raised = char.upper()
    return raised if len(raised) == 1 else char


def _longest_common(one: str, two: str) -> tuple[int, int, int]:
    """Find the places of the longest common substring in two strings, and its length."""
    best = (0, 0, 0)
    before = [0] * (len(two) + 1)
    for i, char in enumerate(one, 1):
        lengths = [0]
        for j, other in enumerate(two, 1):
            length = before[j - 1] + 1 if char == other else 0
            if length > best[2]:
                best = (i - length, j - length, length)
            lengths.append(length)
        before = lengths
    return best
