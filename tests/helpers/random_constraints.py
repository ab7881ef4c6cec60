"""Random trees and constraints that they meet, and checks of Docs parsed under constraints."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from spacy.tokens import Doc

from spacy_npparse.components import DependencyConstraints
from spacy_npparse.decoding import AllowedTrees, best_allowed_tree, derivable_trees
from spacy_npparse.decoding.allowed_trees import by_arcs
from spacy_npparse.systems import get_transition_system, transition_systems

EXACT = {
    "mst": by_arcs.spanning_trees,
    "mh3": by_arcs.projective_trees,
    "mh4": by_arcs.mh4_trees,
    "one_endpoint_crossing": by_arcs.one_endpoint_crossing_trees,
}


def random_tree(system: str, n: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """Return a tree that a parser can build: [n] heads, 0 for the root. system: a key of
    `parser_helpers.FACTORIES`."""
    scores = rng.normal(size=(n + 1, n + 1))
    allowed = AllowedTrees(np.ones((n + 1, n + 1), dtype=bool))
    if system in transition_systems.get_all():
        tree = next(derivable_trees(get_transition_system(system).kernel, allowed, scores), None)
    else:
        tree = best_allowed_tree(allowed, EXACT[system.split(",")[0]](scores))
    assert tree is not None
    return tree.heads


def random_constraints(
    heads: list[int], labels: list[str], rng: np.random.Generator, first: int = 0
) -> dict:
    """Return constraints that a tree meets, in the format of `user_data`. heads: the heads of the
    words, 0 for the root; first: the index of the first word in the Doc."""
    n = len(heads)
    found: dict = {
        "heads": {},
        "forbidden_heads": {},
        "labels": {},
        "forbidden_labels": {},
        "subtrees": [],
    }
    head_tokens = [first + (h - 1 if h else i) for i, h in enumerate(heads)]
    for i, head in enumerate(head_tokens):
        others = [t for t in range(first, first + n) if t != head]
        if rng.random() < 0.3:
            more = rng.choice(others, size=rng.integers(0, len(others) + 1), replace=False)
            found["heads"][first + i] = sorted({head, *more.tolist()})
        if others and rng.random() < 0.3:
            found["forbidden_heads"][first + i] = [int(rng.choice(others))]
        if head != first + i and rng.random() < 0.3:
            found["labels"][first + i] = rng.choice(labels, 2, replace=False).tolist()
        if head != first + i and rng.random() < 0.3:
            found["forbidden_labels"][first + i] = ["ROOT"]
    for root in range(1, n + 1):
        words = descendants(heads, root)
        if max(words) - min(words) + 1 == len(words) and rng.random() < 0.3:
            found["subtrees"].append([first + min(words) - 1, first + max(words)])
    return found


def descendants(heads: list[int], root: int) -> set[int]:
    """Return a word and all its descendants."""
    found = {root}
    for _ in heads:
        found |= {d for d, h in enumerate(heads, 1) if h in found}
    return found


def check_constraints_met(doc: Doc) -> None:
    """Check that the heads and labels of a Doc meet its constraints."""
    known = DependencyConstraints.of(doc)
    for token, heads in known.heads.items():
        assert doc[token].head.i in heads, (token, doc[token].head.i, heads)
    for token, heads in known.forbidden_heads.items():
        assert doc[token].head.i not in heads
    for token, labels in known.labels.items():
        assert doc[token].dep_ in labels
    for token, labels in known.forbidden_labels.items():
        assert doc[token].dep_ not in labels
    for start, end in known.subtrees:
        inside = set(range(start, end))
        assert any({t.i for t in doc[token].subtree} == inside for token in inside)


def count_searches(monkeypatch: pytest.MonkeyPatch) -> list[Callable]:
    """Return a list to which each later call of an exact decoder by `by_arcs` adds the decoder."""
    calls = []

    def counted(function: Callable) -> Callable:
        return lambda *args: calls.append(function) or function(*args)

    for name in ("decode_spanning_trees", "decode_mh", "decode_one_endpoint_crossing"):
        monkeypatch.setattr(by_arcs, name, counted(getattr(by_arcs, name)))
    return calls
