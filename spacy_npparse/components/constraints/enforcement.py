"""Trees that a search has found, made to meet constraints."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from spacy_npparse.components.constraints.batch import ConstrainedSentences
from spacy_npparse.components.constraints.sentence import SentenceConstraints
from spacy_npparse.components.search import Found
from spacy_npparse.components.sentences import SentenceBatch
from spacy_npparse.decoding import AllowedTrees
from spacy_npparse.trees.missing import NO_HEAD

# Finds the best allowed trees of one sentence, None if the parser can build none.
SearchAllowed = Callable[[SentenceBatch, AllowedTrees], Found | None]


def enforce(
    found: Found,
    sentences: SentenceBatch,
    constrained: ConstrainedSentences,
    search: SearchAllowed,
) -> list[tuple[SentenceBatch, SentenceConstraints]]:
    """Replace the trees of sentences that do not meet the constraints on them.

    The best tree of all remains if it is allowed, and with it all others that are.

    Args:
        found: Trees of all sentences, changed in place.
        sentences: The sentences.
        constrained: Those of them that there are constraints on.
        search: The search among allowed trees.

    Returns:
        The sentences of which the parser can build no allowed tree; their trees remain.
    """
    failed = []
    slices = sentences.slices()
    for number, one in constrained.by_number.items():
        words = slices[number]
        ranks = [
            rank
            for rank, heads in enumerate(found.heads[:, words])
            if heads[0] != NO_HEAD and one.allowed.admits(heads)
        ]
        if ranks[:1] == [0]:
            trees = found.heads[ranks, words].copy()
            scores = found.scores[ranks, number].copy()
        else:
            alone = sentences.select(np.arange(len(slices)) == number)
            best = search(alone, one.allowed)
            if best is None:
                failed.append((alone, one))
                continue
            trees, scores = best.heads, best.scores[:, 0]
        found.heads[:, words] = NO_HEAD
        found.heads[: len(trees), words] = trees
        found.scores[:, number] = -np.inf
        found.scores[: len(trees), number] = scores
    return failed


def check_all_enforced(
    failed: list[tuple[SentenceBatch, SentenceConstraints]],
    search: SearchAllowed,
    name: str,
    system_name: str,
) -> None:
    """Raise an error unless all sentences have allowed trees.

    Args:
        failed: What `enforce` returns.
        search: The search among allowed trees.
        name: Of the component.
        system_name: Of its factory, without `_parser`.

    Raises:
        ConstraintError: Naming the constraints on the first sentence that conflict.
    """
    if failed:
        sentence, one = failed[0]
        raise one.conflict(name, system_name, lambda allowed: search(sentence, allowed) is not None)
