"""Pseudo-projective parsing (Nivre and Nilsson 2005): projective trees whose labels tell how to
make them non-projective again.

Before training, the head of every non-projective arc is replaced by the head's head, until the tree
is projective, and the labels note what was done; after parsing, the notes are followed back. How
much is noted is the encoding:

    head         the lifted arc: its label, and that of its original head       r↑h
    path         the lifted arc, and the arcs to the words it was lifted past   r↑, r↓
    head+path    all of that

Heads are n + 1 integers, heads[0] ignored. Labels are integers from 0, -1 where missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from spacy_npparse.trees.projectivity import nonprojective_arcs

ENCODINGS = ("head", "path", "head+path")
MISSING = -1


class Decorated(NamedTuple):
    """A label with notes.

    label: of the arc.
    lifted: whether the arc was lifted.
    head_label: the label of the original head of a lifted arc; -1 if that is not noted.
    passed: whether an arc was lifted past the word.
    """

    label: int
    lifted: bool = False
    head_label: int = MISSING
    passed: bool = False

    def spell(self, labels: Sequence[str]) -> str:
        """The label as above. labels: names of the plain labels."""
        lifted = "↑" * self.lifted + (labels[self.head_label] if self.head_label != MISSING else "")
        return labels[self.label] + lifted + "↓" * self.passed


def lift(heads: Sequence[int]) -> tuple[list[int], set[int]]:
    """Make a tree projective. The shortest non-projective arc is lifted first; of those of equal
    length, the one whose dependent is leftmost.

    heads: of a tree. Returns the new heads and the words that arcs were lifted past. Raises
    ValueError if heads is no tree.
    """
    lifted = list(heads)
    passed: set[int] = set()
    while True:
        crossing = [d for d, found in enumerate(nonprojective_arcs(lifted)) if found]
        if not crossing:
            return lifted, passed
        d = min(crossing, key=lambda word: abs(word - lifted[word]))
        passed.add(lifted[d])
        lifted[d] = lifted[lifted[d]]


def encode(
    heads: Sequence[int], labels: Sequence[int], encoding: str
) -> tuple[list[int], list[Decorated]]:
    """The projective tree, and labels that tell the difference.

    labels: n + 1, of the arc to each word; labels[0] is ignored.
    encoding: one of `ENCODINGS`. A label that is missing has no notes, and without the label of
        the original head, the encoding by heads alone has nothing to note.

    Returns n + 1 heads and n + 1 labels. Raises ValueError if heads is no tree.
    """
    lifted, passed = lift(heads)
    decorated = [Decorated(label) for label in labels]
    for d in range(1, len(lifted)):
        if labels[d] == MISSING:
            continue
        head_label = labels[heads[d]] if encoding != "path" else MISSING
        if lifted[d] != heads[d] and (encoding != "head" or head_label != MISSING):
            decorated[d] = decorated[d]._replace(lifted=True, head_label=head_label)
        if encoding != "head" and d in passed:
            decorated[d] = decorated[d]._replace(passed=True)
    return lifted, decorated


def decode(heads: Sequence[int], labels: Sequence[Decorated]) -> list[int]:
    """Give lifted words back the heads that their labels describe.

    The words are visited from the root downwards. The head that is looked for is a descendant of
    the present one, but not of the word itself, and the first of its kind, breadth first and from
    left to right: the one with the noted label on a path of passed words, else with that label
    anywhere; if no label is noted, the last on the path. A word for which there is none stays.

    heads: of a tree. labels: n + 1. Returns n + 1 heads, of a tree again.
    """
    restored = list(heads)
    if not any(label.lifted for label in labels):
        return restored
    for d in list(_breadth_first(_dependents(restored), 0, skipped=-1)):
        if labels[d].lifted:
            restored[d] = _find_head(restored, labels, d)
    return restored


def _find_head(heads: list[int], labels: Sequence[Decorated], d: int) -> int:
    """The head of d that its label describes; the present one if there is none."""
    noted = labels[d].head_label
    dependents = _dependents(heads)
    on_path = [[word for word in words if labels[word].passed] for words in dependents]
    path = list(_breadth_first(on_path, heads[d], skipped=d))
    if noted == MISSING:
        return path[-1] if path else heads[d]
    candidates = chain(path, _breadth_first(dependents, heads[d], skipped=d))
    return next((word for word in candidates if labels[word].label == noted), heads[d])


def _dependents(heads: Sequence[int]) -> list[list[int]]:
    """Of each word, from left to right."""
    dependents: list[list[int]] = [[] for _ in heads]
    for d in range(1, len(heads)):
        dependents[heads[d]].append(d)
    return dependents


def _breadth_first(dependents: list[list[int]], top: int, *, skipped: int) -> Iterator[int]:
    """The descendants of a word, without one of them and what is below it."""
    level = [top]
    while level:
        level = [word for head in level for word in dependents[head] if word != skipped]
        yield from level
