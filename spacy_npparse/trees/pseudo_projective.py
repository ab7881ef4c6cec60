"""Pseudo-projective parsing (Nivre and Nilsson 2005), which encodes non-projective trees as
projective ones with augmented labels.

Before training, non-projective arcs are lifted from their head to the head of the head until the
tree is projective, and labels are augmented. After parsing, an inverse transformation guided by the
augmented labels restores the arcs. The encodings:

    head         the lifted arc is marked, with the label r of the arc and that of its original
                 head, h: r↑h
    path         the lifted arc is marked, r↑, and so are the arcs along the lifting path: r↓
    head+path    both

Heads are n + 1 integers, of which heads[0] is ignored. Labels are integers from 0, NO_LABEL where
there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from spacy_npparse.trees.missing import NO_LABEL
from spacy_npparse.trees.projectivity import nonprojective_arcs


class Decorated(NamedTuple):
    """An augmented label.

    Attributes:
        label: The plain label.
        lifted: Whether the arc was lifted.
        head_label: The label of the original head of a lifted arc; NO_LABEL if it is not encoded.
        passed: Whether the arc is on the lifting path of another one.
    """

    label: int
    lifted: bool = False
    head_label: int = NO_LABEL
    passed: bool = False

    def spell(self, labels: Sequence[str]) -> str:
        """Spell the augmented label as shown above.

        Args:
            labels: The names of the plain labels.
        """
        lifted = "↑" * self.lifted + (
            labels[self.head_label] if self.head_label != NO_LABEL else ""
        )
        return labels[self.label] + lifted + "↓" * self.passed


def lift(heads: Sequence[int]) -> tuple[list[int], set[int]]:
    """Make a tree projective by lifting the shortest non-projective arc until there is none.

    Of several arcs of that length, the one with the leftmost dependent is lifted first.

    Args:
        heads: n + 1 heads of a tree.

    Returns:
        The n + 1 new heads, and the words whose incoming arcs are on a lifting path.

    Raises:
        ValueError: The heads do not form a tree.
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
    """Make a tree projective and augment its labels.

    A missing label is not augmented. With the encoding "head", neither is a label whose original
    head has no label.

    Args:
        heads: n + 1 heads of a tree.
        labels: n + 1 labels of the arcs to the words; labels[0] is ignored.
        encoding: "head", "path" or "head+path".

    Returns:
        n + 1 heads and n + 1 augmented labels.

    Raises:
        ValueError: The heads do not form a tree.
    """
    lifted, passed = lift(heads)
    decorated = [Decorated(label) for label in labels]
    for d in range(1, len(lifted)):
        if labels[d] == NO_LABEL:
            continue
        head_label = labels[heads[d]] if encoding != "path" else NO_LABEL
        if lifted[d] != heads[d] and (encoding != "head" or head_label != NO_LABEL):
            decorated[d] = decorated[d]._replace(lifted=True, head_label=head_label)
        if encoding != "head" and d in passed:
            decorated[d] = decorated[d]._replace(passed=True)
    return lifted, decorated


def decode(heads: Sequence[int], labels: Sequence[Decorated]) -> list[int]:
    """Restore a tree by the inverse transformation.

    Words are visited top-down. The original head of a lifted word is searched among the descendants
    of its present head, except those of the word itself, breadth-first and from left to right. It
    is the first one with the encoded head label along arcs that are marked as a lifting path,
    otherwise the first one with that label. Without an encoded head label, it is the last one along
    marked arcs. If there is none, the word keeps its head.

    Args:
        heads: n + 1 heads of a tree.
        labels: n + 1 augmented labels.

    Returns:
        n + 1 heads of a tree.
    """
    restored = list(heads)
    if not any(label.lifted for label in labels):
        return restored
    for d in list(_breadth_first(_dependents(restored), 0)):
        if labels[d].lifted:
            restored[d] = _find_head(restored, labels, d)
    return restored


def _find_head(heads: list[int], labels: Sequence[Decorated], d: int) -> int:
    """Find the original head of d by its label, or its present head if there is none."""
    noted = labels[d].head_label
    dependents = _dependents(heads)
    on_path = [[word for word in words if labels[word].passed] for words in dependents]
    path = list(_breadth_first(on_path, heads[d], skipped=d))
    if noted == NO_LABEL:
        return path[-1] if path else heads[d]
    candidates = chain(path, _breadth_first(dependents, heads[d], skipped=d))
    return next((word for word in candidates if labels[word].label == noted), heads[d])


def _dependents(heads: Sequence[int]) -> list[list[int]]:
    """Find the dependents of each node, from left to right."""
    dependents: list[list[int]] = [[] for _ in heads]
    for d in range(1, len(heads)):
        dependents[heads[d]].append(d)
    return dependents


def _breadth_first(
    dependents: list[list[int]], top: int, *, skipped: int | None = None
) -> Iterator[int]:
    """Iterate over the descendants of a node, except one word and its descendants,
    breadth-first."""
    level = [top]
    while level:
        level = [word for head in level for word in dependents[head] if word != skipped]
        yield from level
