"""The best labelled trees under rules on labels.

The labels of the best tree may have to be bad ones if they are to keep the rules: two words are
attached to a verb as if both were its subject. Then another tree may be better, which scores less,
but has better labels. What counts is the score of the tree less what its labels lose: the
difference of log-probability to the best labels without rules.

Trees are searched by branch and bound. Only if the arcs that rules conflict on are not all in a
tree, it can be better: the trees without the first of these arcs are searched, then those with it
and without the second, and so on. The score of the best tree is a bound on all in its branch.

Source: Land and Doig (1960); branches are divided as by Murty (1968).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from heapq import heappop, heappush
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacy_npparse.decoding import AllowedTrees
from spacy_npparse.parsing.batch import (
    Bools,
    Found,
    Ints,
    NetT,
    ScoredBatch,
    SentenceBatch,
    max_arcs,
)
from spacy_npparse.parsing.labelling import ROUNDING, LabelledTree, Labeller
from spacy_npparse.parsing.search import RestrictedSearch, Search

# Few sentences have a better tree than those that are found first, and time grows with the length
# of sentences: the best tree of longer ones remains, and no branches are divided after so many
# trees of a sentence.
MOST_WORDS = 40
MOST_TREES = 4


class _Branch(NamedTuple):
    """Some trees of a sentence.

    Attributes:
        bound: A lower bound on what each of them costs: minus the score of the best one, plus what
            the labels of all of them lose.
        number: Of the branch.
        heads: int32 [n_words], the best of them.
        forbidden: bool [size, size], the arcs that they do not have.
        conflicts: int64 [n], the words, from 0, whose arcs rules conflict on in the best of them.
    """

    bound: float
    number: int
    heads: NDArray[np.int32]
    forbidden: Bools
    conflicts: Ints

    def divide(self) -> Iterator[Bools]:
        """The arcs that the trees of smaller branches do not have: all trees are in one of these
        but for those with all arcs that there are conflicts on."""
        forbidden = self.forbidden.copy()
        for word in self.conflicts.tolist():
            head = self.heads[word]
            without = forbidden.copy()
            without[word + 1, head] = True
            if not without[word + 1].all():
                yield without
            forbidden[word + 1] = True
            forbidden[word + 1, head] = False


class _Sentence:
    """The search for the best labelled tree of a sentence.

    Args:
        heads: int32 [n_words], of the first tree.
        labels: int64 [n_words], its labels.
        n_broken: How many rules they break.

    Attributes:
        best: How many rules the labels of the best tree break; and what it costs: minus its score,
            plus what its labels lose.
        heads: int32 [n_words], of that tree.
        labels: int64 [n_words], its labels.
        branches: That may have a better tree, a heap.
        n_trees: How many trees were searched.
    """

    def __init__(self, heads: NDArray[np.int32], labels: Ints, n_broken: int):
        # It remains if its score is no number.
        self.best = (n_broken, np.inf)
        self.heads, self.labels = heads, labels
        self.branches: list[_Branch] = []
        self.n_trees = 0

    def add(self, branch: _Branch, labels: Ints, value: tuple[int, float]) -> None:
        """Look at the best tree of a branch, which remains if others of its trees can be better.

        Args:
            branch: The branch.
            labels: int64 [n_words], of that tree.
            value: See `best`.
        """
        if value < self.best:
            self.best, self.heads, self.labels = value, branch.heads, labels
        if len(branch.conflicts) and (0, branch.bound) < self.best:
            heappush(self.branches, branch)

    def parts(self) -> list[Bools]:
        """The parts of the branch that has the best trees, see `_Branch.divide`; none if no branch
        can have a better tree than the best one."""
        if not self.branches or (0, self.branches[0].bound) >= self.best:
            return []
        found = list(heappop(self.branches).divide())
        self.n_trees += len(found)
        return found


def best_ruled_trees(
    search: Search[NetT],
    labeller: Labeller,
    scored: ScoredBatch[NetT],
    found: Found,
    tree: LabelledTree,
    allowed: Bools | None,
    allowed_trees: Mapping[int, AllowedTrees],
) -> LabelledTree:
    """Find the best labelled tree of each sentence of up to `MOST_WORDS` words, among those that
    are found until `MOST_TREES` of them have been searched.

    Args:
        search: Whose scores trees have. Without scores to compare trees by, trees remain.
        labeller: Finds the labels of trees.
        scored: The sentences.
        found: Their best trees.
        tree: What `Labeller.label` has returned for these.
        allowed: See `Labeller.label`.
        allowed_trees: The trees of those sentences that not all trees are allowed of, by their
            numbers. Where some spans have to be subtrees, trees remain.

    Returns:
        The trees.
    """
    lost = (tree.n_broken > 0) | (tree.losses > ROUNDING)
    lost &= scored.sentences.lengths <= MOST_WORDS
    lost[[number for number, trees in allowed_trees.items() if trees.subtrees]] = False
    places = np.flatnonzero(lost)
    if not len(places):
        return tree
    search_all = search.restricted(scored)
    if search_all is None:
        return tree

    def restricted(numbers: Ints, forbidden: Bools) -> Found:
        found: Found = search_all(places[numbers], forbidden)
        return found

    part = scored.take(places)
    words = scored.sentences.words_of(places)
    without = _impossible(part)
    for place, number in enumerate(places.tolist()):
        if number in allowed_trees:
            arcs = allowed_trees[number].arcs
            without[place, : len(arcs), : len(arcs)] |= ~arcs
    best = Found(found.heads[:1, words], found.scores[:1, places])
    own = None if allowed is None else allowed[words]
    sentences = [
        _Sentence(tree.heads[words][one], tree.labels[words][one], int(n_broken))
        for one, n_broken in zip(part.sentences.slices(), tree.n_broken[places], strict=True)
    ]
    _search(sentences, restricted, labeller, part, best, own, without)
    heads, labels = tree.heads.copy(), tree.labels.copy()
    heads[words] = np.concatenate([sentence.heads for sentence in sentences])
    labels[words] = np.concatenate([sentence.labels for sentence in sentences])
    n_broken = tree.n_broken.copy()
    n_broken[places] = [sentence.best[0] for sentence in sentences]
    return tree._replace(heads=heads, labels=labels, built=labels, n_broken=n_broken)


def _search(
    sentences: list[_Sentence],
    search: RestrictedSearch,
    labeller: Labeller,
    scored: ScoredBatch[NetT],
    found: Found,
    allowed: Bools | None,
    without: Bools,
) -> None:
    """Search the best labelled trees of sentences. found: their best trees; without: [n_sentences,
    size, size], the arcs that trees do not have."""
    numbers = np.arange(len(sentences))
    branches = count()
    while len(numbers):
        part = scored.take(numbers)
        own = None if allowed is None else allowed[scored.sentences.words_of(numbers)]
        tree = labeller.label(part, found.heads[0], own)
        fixed = _fixed(part.sentences, without)
        conflicts, least = labeller.conflicts(part.sentences, tree, own, fixed)
        costs = -found.scores[0]
        for i, words in enumerate(part.sentences.slices()):
            if costs[i] < np.inf:
                places = np.flatnonzero(conflicts[words])
                bound = costs[i] + least[i]
                branch = _Branch(bound, next(branches), tree.heads[words], without[i], places)
                value = (int(tree.n_broken[i]), costs[i] + tree.losses[i])
                sentences[numbers[i]].add(branch, tree.labels[words], value)
        parts = [
            (number, arcs)
            for number, sentence in enumerate(sentences)
            if sentence.n_trees < MOST_TREES
            for arcs in sentence.parts()
        ]
        numbers = np.array([number for number, _ in parts], dtype=np.int64)
        if parts:
            without = np.stack([arcs for _, arcs in parts])
            found = _search_parts(search, scored, numbers, without)


def _fixed(sentences: SentenceBatch, without: Bools) -> Bools:
    """Words that have only one head: [n_words]. without: see `_search`."""
    n_heads = (~without[sentences.sentence, sentences.places]).sum(axis=1)
    fixed: Bools = n_heads == 1
    return fixed


def _impossible(scored: ScoredBatch[Any]) -> Bools:
    """The arcs that no tree has: [n_sentences, size, size]."""
    nodes = np.arange(scored.arcs.shape[1])
    beyond: Bools = nodes > scored.sentences.lengths[:, None, None]
    return (nodes[:, None] == nodes) | beyond


def _search_parts(
    search: RestrictedSearch, scored: ScoredBatch[Any], numbers: Ints, without: Bools
) -> Found:
    """Search all sentences, as many at once as memory is meant for."""
    step = max(1, max_arcs(scored.arcs.device) // scored.arcs[0].numel())
    found = [
        search(numbers[start : start + step], without[start : start + step])
        for start in range(0, len(numbers), step)
    ]
    heads, scores = zip(*found, strict=True)
    return Found(np.concatenate(heads, axis=1), np.concatenate(scores, axis=1))
