"""Edits that spell a lemma from the characters of a form, one for each character.

Source: Makarov and Clematide (2018) for string transduction by edits that copy, delete and insert;
Chrupała (2006) for the longest common substring as anchor.
"""

from __future__ import annotations

from difflib import SequenceMatcher
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
    start = place = 0
    matcher = SequenceMatcher(None, _lower(form), _lower(lemma), autojunk=False)
    for at, goal_at, length in matcher.get_matching_blocks():
        n_replaced = min(at - start, goal_at - place)
        kinds += [DELETE] * (at - start)
        added += [*lemma[place : place + n_replaced], *[""] * (at - start - n_replaced)]
        added[-1] += lemma[place + n_replaced : goal_at]
        start, place = at + length, goal_at + length
        for char, goal in zip(form[at:start], lemma[goal_at:place], strict=True):
            kind = _kind(char, goal)
            kinds.append(kind or DELETE)
            added.append("" if kind else goal)
    return list(map(Edit, kinds, added))


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
