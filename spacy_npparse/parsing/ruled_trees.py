"""The search for the best labelled trees under label rules.

The best tree may need bad labels to obey the rules, for example if two words are attached to a verb
as if both were its subject. Then another tree that scores lower but has better labels may be
better. Trees are compared by their weighted score minus the loss of their labels, which is the
difference of log-probability to the best labels without rules.

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
from spacy_npparse.parsing.labelled_tree import LabelledTree
from spacy_npparse.parsing.labelling import ROUNDING, Labeller
from spacy_npparse.parsing.search import RestrictedSearch, Search

# Few sentences have a better tree than those that are found first, and time grows with the length.
# Longer sentences keep their best tree, and so do sentences whose labels lose at most `LEAST_LOSS`
# nats, which is what three violations of rules on parts of speech cost. After `MOST_TREES` trees,
# no branches are divided.
MOST_WORDS = 40
LEAST_LOSS = 1.5
MOST_TREES = 3
# The weight of the scores of trees against the log-probabilities of labels. With a lower weight,
# trees follow more rules and have more wrong heads.
SCORE_WEIGHT = 2.0


class _Branch(NamedTuple):
    """A set of trees of a sentence.

    Attributes:
        bound: A lower bound of the costs of the trees: minus the weighted score of the best one,
            plus the loss of labels that all of them share.
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
            minus its weighted score plus the loss of its labels.
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

    def compare(self, heads: NDArray[np.int32], labels: Ints, value: tuple[int, float]) -> None:
        """Compare a tree with the best one so far.

        Args:
            heads: int32 [n_words], the heads of the tree.
            labels: int64 [n_words], the labels of the tree.
            value: The number of broken rules and the cost of the tree, as in `best`.
        """
        if value < self.best:
            self.best, self.heads, self.labels = value, heads, labels

    def is_improved_by(self, bound: float) -> bool:
        """Check whether a tree of a certain cost or more can be better than the best one so far.

        Args:
            bound: The lower bound of the cost.
        """
        return bound < np.inf and (0, bound) < self.best

    def parts(self) -> list[Bools]:
        """Divide the branch with the best trees, see `_Branch.divide`. Empty if no branch can have
        a better tree than the best one."""
        if not self.branches or not self.is_improved_by(self.branches[0].bound):
            return []
        found = list(heappop(self.branches).divide())
        self.n_trees += len(found)
        return found


class _Trees(NamedTuple):
    """The best trees of some branches.

    Attributes:
        numbers: int64 [n_trees], the sentence of each tree.
        costs: float64 [n_trees], minus the weighted scores of the trees.
        without: bool [n_trees, size, size], the arcs that the trees of the branches do not have.
        tree: The labelled trees.
    """

    numbers: Ints
    costs: NDArray[np.float64]
    without: Bools
    tree: LabelledTree


def best_ruled_trees(
    search: Search[NetT],
    labeller: Labeller,
    scored: ScoredBatch[NetT],
    found: Found,
    tree: LabelledTree,
    allowed: Bools | None,
    allowed_trees: Mapping[int, AllowedTrees],
) -> LabelledTree:
    """Find the best labelled tree of each sentence of up to `MOST_WORDS` words whose labels lose
    more than `LEAST_LOSS`, among the trees that are found until `MOST_TREES` have been searched.

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
    lost = (tree.n_broken > 0) | (tree.losses > LEAST_LOSS + ROUNDING)
    lost &= scored.sentences.lengths <= MOST_WORDS
    lost[[number for number, trees in allowed_trees.items() if trees.subtrees]] = False
    places = np.flatnonzero(lost)
    if not len(places):
        return tree
    restricted = search.restricted(scored)
    if restricted is None:
        return tree

    part = tree.take(scored.sentences, places)
    batch = scored.sentences.take(places)
    sentences = {
        number: _Sentence(part.heads[words], part.labels[words], int(n_broken))
        for number, words, n_broken in zip(
            places.tolist(), batch.slices(), part.n_broken, strict=True
        )
    }
    without = _impossible(batch)
    for place, number in enumerate(sentences):
        if number in allowed_trees:
            arcs = allowed_trees[number].arcs
            without[place, : len(arcs), : len(arcs)] |= ~arcs
    first = _Trees(places, _costs(found)[places], without, part)
    _search(sentences, restricted, labeller, scored, first, allowed)
    words = scored.sentences.words_of(places)
    heads, labels = tree.heads.copy(), tree.labels.copy()
    heads[words] = np.concatenate([sentence.heads for sentence in sentences.values()])
    labels[words] = np.concatenate([sentence.labels for sentence in sentences.values()])
    n_broken = tree.n_broken.copy()
    n_broken[places] = [sentence.best[0] for sentence in sentences.values()]
    return tree._replace(heads=heads, labels=labels, built=labels, n_broken=n_broken)


def _search(
    sentences: dict[int, _Sentence],
    search: RestrictedSearch,
    labeller: Labeller,
    scored: ScoredBatch[NetT],
    first: _Trees,
    allowed: Bools | None,
) -> None:
    """Search for the best labelled trees of sentences. first: their best trees."""
    branches = count()
    _add(sentences, labeller, scored.sentences, first, allowed, branches)
    while parts := [
        (number, arcs)
        for number, sentence in sentences.items()
        if sentence.n_trees < MOST_TREES
        for arcs in sentence.parts()
    ]:
        numbers = np.array([number for number, _ in parts])
        without = np.stack([arcs for _, arcs in parts])
        found = _search_parts(search, scored, numbers, without)
        costs = _costs(found)
        kept = _promising(sentences, numbers, costs)
        if not len(kept):
            continue
        heads = found.heads[0, scored.sentences.take(numbers).words_of(kept)]
        numbers = numbers[kept]
        own = None if allowed is None else allowed[scored.sentences.words_of(numbers)]
        tree = labeller.label(scored.take(numbers), heads, own)
        trees = _Trees(numbers, costs[kept], without[kept], tree)
        _add(sentences, labeller, scored.sentences, trees, allowed, branches)


def _add(
    sentences: dict[int, _Sentence],
    labeller: Labeller,
    batch: SentenceBatch,
    trees: _Trees,
    allowed: Bools | None,
    branches: Iterator[int],
) -> None:
    """Compare trees with the best ones so far, and keep the branches that may have a better tree.
    branches: the numbers of new branches."""
    values = zip(trees.tree.n_broken.tolist(), trees.costs + trees.tree.losses, strict=True)
    slices = batch.take(trees.numbers).slices()
    for number, words, value in zip(trees.numbers, slices, values, strict=True):
        sentences[number].compare(trees.tree.heads[words], trees.tree.labels[words], value)
    kept = _promising(sentences, trees.numbers, trees.costs)
    kept = kept[[sentences[number].n_trees < MOST_TREES for number in trees.numbers[kept]]]
    if not len(kept):
        return
    tree, numbers = trees.tree.take(batch.take(trees.numbers), kept), trees.numbers[kept]
    own = None if allowed is None else allowed[batch.words_of(numbers)]
    some, without = batch.take(numbers), trees.without[kept]
    conflicts, least = labeller.conflicts(some, tree, own, _fixed(some, without))
    bounds = trees.costs[kept] + least
    for i, words in enumerate(some.slices()):
        places = np.flatnonzero(conflicts[words])
        branch = _Branch(bounds[i], next(branches), tree.heads[words], without[i], places)
        if len(places) and sentences[numbers[i]].is_improved_by(bounds[i]):
            heappush(sentences[numbers[i]].branches, branch)


def _costs(found: Found) -> NDArray[np.float64]:
    """Compute the costs of the best trees without the loss of their labels: [n_sentences]."""
    costs: NDArray[np.float64] = -SCORE_WEIGHT * found.scores[0]
    return costs


def _promising(sentences: dict[int, _Sentence], numbers: Ints, costs: NDArray[np.float64]) -> Ints:
    """Find the trees that may be better than the best ones so far, or whose branches may have such
    a tree: [n]. The loss of their labels is not negative."""
    return np.flatnonzero(
        [
            sentences[number].is_improved_by(cost)
            for number, cost in zip(numbers.tolist(), costs.tolist(), strict=True)
        ]
    )


def _fixed(sentences: SentenceBatch, without: Bools) -> Bools:
    """Find the words that can have only one head: [n_words]. without: see `_search`."""
    n_heads = (~without[sentences.sentence, sentences.places]).sum(axis=1)
    fixed: Bools = n_heads == 1
    return fixed


def _impossible(sentences: SentenceBatch) -> Bools:
    """Find the arcs that no tree has: [n_sentences, size, size]."""
    nodes = np.arange(sentences.lengths.max() + 1)
    beyond: Bools = nodes > sentences.lengths[:, None, None]
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
