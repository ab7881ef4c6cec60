"""The search for the best labelled trees under label rules.

The best tree may need bad labels to obey the rules, for example if two words are attached to a verb
as if both were its subject. Then another tree that scores lower but has better labels may be
better. Trees are compared by their score minus the loss of their labels, which is the difference of
log-probability to the best labels without rules.

Trees are searched by branch and bound. A tree can only be better if it lacks some of the arcs that
cause conflicts of rules. Therefore the search divides the trees into those without the first of
these arcs, those with the first and without the second, and so on. The score of the best tree in a
branch is a bound for all of its trees.

Source: Land and Doig (1960) for branch and bound; Murty (1968) for the division of branches.
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

# Few sentences have a better tree than those that are found first, and time grows with the length.
# In longer sentences, the best tree is kept, and after this number of trees, no branches are
# divided.
MOST_WORDS = 40
MOST_TREES = 4


class _Branch(NamedTuple):
    """A set of trees of a sentence.

    Attributes:
        bound: A lower bound of the costs of the trees: minus the score of the best one, plus the
            loss of labels that all of them share.
        number: The number of the branch.
        heads: int32 [n_words], the heads of the best tree.
        forbidden: bool [size, size], the arcs that the trees do not have.
        conflicts: int64 [n], the words, from 0, whose arcs cause conflicts of rules in the best
            tree.
    """

    bound: float
    number: int
    heads: NDArray[np.int32]
    forbidden: Bools
    conflicts: Ints

    def divide(self) -> Iterator[Bools]:
        """Divide the branch: find the arcs that the trees of each smaller branch do not have. Only
        trees with all arcs that cause conflicts are in none of these branches."""
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
        heads: int32 [n_words], the heads of the first tree.
        labels: int64 [n_words], the labels of the first tree.
        n_broken: The number of rules that these labels break.

    Attributes:
        best: The number of rules that the labels of the best tree break; and its cost, which is
            minus its score plus the loss of its labels.
        heads: int32 [n_words], the heads of the best tree.
        labels: int64 [n_words], the labels of the best tree.
        branches: A heap of the branches that may have a better tree.
        n_trees: The number of trees that have been searched.
    """

    def __init__(self, heads: NDArray[np.int32], labels: Ints, n_broken: int):
        # The first tree is kept if its score is not a number.
        self.best = (n_broken, np.inf)
        self.heads, self.labels = heads, labels
        self.branches: list[_Branch] = []
        self.n_trees = 0

    def add(self, branch: _Branch, labels: Ints, value: tuple[int, float]) -> None:
        """Compare the best tree of a branch with the best tree so far. The branch is kept if others
        of its trees can be better.

        Args:
            branch: The branch.
            labels: int64 [n_words], the labels of the branch's best tree.
            value: The number of broken rules and the cost of this tree, as in `best`.
        """
        if value < self.best:
            self.best, self.heads, self.labels = value, branch.heads, labels
        if len(branch.conflicts) and (0, branch.bound) < self.best:
            heappush(self.branches, branch)

    def parts(self) -> list[Bools]:
        """Divide the branch with the best trees, see `_Branch.divide`. Empty if no branch can have
        a better tree than the best one."""
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
    """Find the best labelled tree of each sentence of up to `MOST_WORDS` words, among the trees
    that are found until `MOST_TREES` have been searched.

    Args:
        search: The search that scores trees. If trees have no scores to compare, they are kept.
        labeller: The search for the labels of trees.
        scored: The sentences.
        found: The best trees of the sentences.
        tree: The labelled trees that `Labeller.label` returned for these.
        allowed: bool [n_words, n_labels], whether words may have labels; None for all.
        allowed_trees: The allowed trees, by the number of the sentence. In other sentences, all are
            allowed. If some spans must be subtrees, trees are kept.

    Returns:
        The best labelled trees.
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
    """Search for the best labelled trees of sentences. found: their best trees; without:
    [n_sentences, size, size], the arcs that trees do not have."""
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
    """Find the words that can have only one head: [n_words]. without: see `_search`."""
    n_heads = (~without[sentences.sentence, sentences.places]).sum(axis=1)
    fixed: Bools = n_heads == 1
    return fixed


def _impossible(scored: ScoredBatch[Any]) -> Bools:
    """Find the arcs that no tree has: [n_sentences, size, size]."""
    nodes = np.arange(scored.arcs.shape[1])
    beyond: Bools = nodes > scored.sentences.lengths[:, None, None]
    return (nodes[:, None] == nodes) | beyond


def _search_parts(
    search: RestrictedSearch, scored: ScoredBatch[Any], numbers: Ints, without: Bools
) -> Found:
    """Search all sentences, in parts that fit into memory."""
    step = max(1, max_arcs(scored.arcs.device) // scored.arcs[0].numel())
    found = [
        search(numbers[start : start + step], without[start : start + step])
        for start in range(0, len(numbers), step)
    ]
    heads, scores = zip(*found, strict=True)
    return Found(np.concatenate(heads, axis=1), np.concatenate(scores, axis=1))
