"""Marginal probabilities of arcs over all trees with a single root.

The sum over all trees is a determinant of scores (the matrix-tree theorem), whose derivatives are
the marginal probabilities. If words are almost certain to depend on each other, the matrix is
nearly singular, and its inverse is useless. Therefore words are eliminated one after another,
without any subtraction: a path head -> word -> dependent becomes a part of the arc head ->
dependent, and the weights of the arcs to each word are normalised again. This is Gaussian
elimination in the form of Grassmann, Taksar and Heyman (1985), which is accurate in every entry.
Then, in reverse order, the marginal probability of each arc is divided between the arc itself and
the paths that were added to it.

The root is never eliminated. Arcs from the root are excluded from the normalisation and thus count
only once, for the last word, so that the sum is that of trees with a single root.

Source: Koo, Globerson, Carreras and Collins (2007), McDonald and Satta (2007), Smith and Smith
(2007); Grassmann, Taksar and Heyman (1985) for elimination without subtraction, for Markov chains.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacy_npparse.decoding.score_range import SCORE_LIMIT
from spacy_npparse.decoding.score_shapes import check_arc_shapes

Floats = NDArray[np.float64]

# The maximum difference between the score of an arc and that of the best arc to the same word.
# Larger ones count as this one, because e to the power of them would underflow. This matters only
# if all trees need such arcs.
_MOST_DIFFERENCE = 600.0


def spanning_tree_marginals(
    arcs: NDArray[np.floating], lengths: NDArray[np.int32]
) -> NDArray[np.float32]:
    """Compute the marginal probabilities of all arcs under p(tree) ∝ e^score.

    The score of a tree is the sum of the scores of its arcs, and trees have a single root. The
    algorithm takes cubic time.

    Args:
        arcs: float [n_sentences, size, size], the scores of arcs, as in `decode_spanning_trees`,
            which are clamped in the same way.
        lengths: int32 [n_sentences], the number of words of each sentence.

    Returns:
        float32 [n_sentences, size, size], at [s, d, h] the probability of the arc from head h to
        word d of sentence s; 0 where there is no such arc.

    Raises:
        ValueError: The shapes do not fit.
    """
    check_arc_shapes(arcs, lengths)
    elimination = _Elimination.start(arcs, lengths)
    size = arcs.shape[1]
    marginals = np.zeros(arcs.shape)
    # The last word is the dependent of the root.
    marginals[:, 1:2, 0] = 1.0
    with np.errstate(divide="ignore"):
        sums = {word: elimination.eliminate(word) for word in range(size - 1, 1, -1)}
    for word in range(2, size):
        elimination.restore(word, sums[word], marginals)
    exists = np.arange(size) <= lengths[:, None]
    marginals *= exists[:, :, None] & exists[:, None, :]
    return np.clip(marginals, 0.0, 1.0).astype(np.float32)


@dataclass(frozen=True)
class _Elimination:
    """The weights of arcs between the remaining words, which are the first ones.

    Attributes:
        weights: [n_sentences, size, size], the weights, with dependents in the second dimension.
            Those of the arcs to each remaining word are normalised.
        roots: [n_sentences, size, size], at [s, k, d] the logarithm of the weight of the arc from
            the root to d while words up to k remain.
    """

    weights: Floats
    roots: Floats

    @classmethod
    def start(cls, arcs: NDArray[np.floating], lengths: NDArray[np.int32]) -> _Elimination:
        """Normalise the weights of the arcs to each word when all words remain."""
        n_sentences, size, _ = arcs.shape
        nodes = np.arange(size)
        is_word = (nodes > 0) & (nodes <= lengths[:, None])
        is_arc = is_word[:, :, None] & is_word[:, None, :] & (nodes[:, None] != nodes)
        scores = np.nan_to_num(arcs.astype(np.float64), nan=-SCORE_LIMIT)
        scores = scores.clip(-SCORE_LIMIT, SCORE_LIMIT)
        best = np.where(is_arc, scores, -np.inf).max(axis=2, initial=-SCORE_LIMIT)
        below = np.where(is_arc, scores - best[:, :, None], 0.0)
        weights = np.where(is_arc, np.exp(below.clip(min=-_MOST_DIFFERENCE)), 0.0)
        sums = _nonzero(weights.sum(axis=2))
        weights /= sums[:, :, None]
        roots = np.full((n_sentences, size, size), -np.inf)
        roots[:, -1] = np.where(is_word, scores[:, :, 0] - best - np.log(sums), -np.inf)
        return cls(weights, roots)

    def eliminate(self, word: int) -> Floats:
        """Eliminate a word: add the weights of paths through it to those of arcs between the words
        before it.

        Returns:
            [n_sentences, word - 1], the normalisers of the weights of arcs to each of these.
        """
        left, through_root = self._arcs_left(word), self._paths_from_root(word)
        left += self._paths(word)
        np.einsum("sii->si", left)[...] = 0.0
        sums = _nonzero(left.sum(axis=2))
        left /= sums[:, :, None]
        before, after = self.roots[:, word], self.roots[:, word - 1]
        after[:, 1:word] = np.logaddexp(before[:, 1:word], through_root) - np.log(sums)
        return sums

    def restore(self, word: int, sums: Floats, marginals: Floats) -> None:
        """Undo the elimination of a word, and assign its share of the marginal probabilities.

        Args:
            word: The number of the word.
            sums: [n_sentences, word - 1], the normalisers that `eliminate` returned.
            marginals: [n_sentences, size, size], the marginal probabilities of arcs between the
                words before it and from the root to them. Those of the word's arcs are added.
        """
        left = self._arcs_left(word)
        left *= sums[:, :, None]
        paths = self._paths(word)
        shares = np.minimum(paths / _nonzero(left), 1.0)
        left -= paths
        np.maximum(left, 0.0, out=left)
        np.einsum("sii->si", left)[...] = 0.0
        flows = marginals[:, 1:word, 1:word] * shares
        total = self.roots[:, word - 1, 1:word] + np.log(sums)
        total[total == -np.inf] = 0.0
        shares = np.exp(self._paths_from_root(word) - total)
        flows_from_root = marginals[:, 1:word, 0] * np.minimum(shares, 1.0)
        marginals[:, 1:word, 1:word] -= flows
        marginals[:, 1:word, 0] -= flows_from_root
        marginals[:, 1:word, word] = flows.sum(axis=2) + flows_from_root
        marginals[:, word, 0] = flows_from_root.sum(axis=1)
        rest = 1.0 - marginals[:, 1:word, word].sum(axis=1)
        own = self.weights[:, word, 1:word] * rest[:, None]
        marginals[:, word, 1:word] = flows.sum(axis=1) + own

    def _arcs_left(self, word: int) -> Floats:
        return self.weights[:, 1:word, 1:word]

    def _paths(self, word: int) -> Floats:
        return self.weights[:, 1:word, word, None] * self.weights[:, word, None, 1:word]

    def _paths_from_root(self, word: int) -> Floats:
        with np.errstate(divide="ignore"):
            to_dependents = np.log(self.weights[:, 1:word, word])
        paths: Floats = to_dependents + self.roots[:, word, word, None]
        return paths


def _nonzero(values: Floats) -> Floats:
    """Replace 0 by 1. The numerator is then 0 as well."""
    return np.where(values > 0.0, values, 1.0)
