"""Marginal probabilities of arcs over all trees with a single root.

The sum over all trees is a determinant of scores (the matrix-tree theorem), whose derivatives are
marginal probabilities. Where words are sure to hang on each other, the matrix is nearly singular
and its inverse worthless. So words are eliminated one after the other without any subtraction: a
path head -> word -> dependent becomes a part of the arc head -> dependent, and the arcs to each
word are normalised again. That is Gaussian elimination as by Grassmann, Taksar and Heyman (1985),
accurate in every entry. Then the marginal probability of each arc is divided, in reverse order,
between the arc itself and the paths that were added to it.

The root is never eliminated. Arcs from it are left out where arcs to a word are normalised, and so
count once, for the last word: the sum is that of trees with a single root.

Source: Koo, Globerson, Carreras and Collins (2007), McDonald and Satta (2007), Smith and Smith
(2007); elimination without subtraction by Grassmann, Taksar and Heyman (1985), for Markov chains.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacy_npparse.decoding.score_range import SCORE_LIMIT
from spacy_npparse.decoding.score_shapes import check_arc_shapes

Floats = NDArray[np.float64]

# An arc scores at most so much less than the best one to the same word: less than that is nothing
# beside it, and e to the power of it is still a number.
_MOST_DIFFERENCE = 600.0


def spanning_tree_marginals(
    arcs: NDArray[np.floating], lengths: NDArray[np.int32]
) -> NDArray[np.float32]:
    """Compute the marginal probabilities of all arcs under p(tree) ∝ e^score.

    The score of a tree is the sum of those of its arcs; trees have a single root. It takes cubic
    time.

    Args:
        arcs: float [n_sentences, size, size], as in `decode_spanning_trees`. Scores are clamped as
            there.
        lengths: int32 [n_sentences], the number of words of each sentence.

    Returns:
        float32 [n_sentences, size, size], at [s, d, h] the probability of the arc from head h to
        word d of sentence s; 0 where there is no such arc.

    Raises:
        ValueError: If shapes do not fit.
    """
    check_arc_shapes(arcs, lengths)
    elimination = _Elimination.start(arcs, lengths)
    size = arcs.shape[1]
    marginals = np.zeros(arcs.shape)
    # The last word is the root's dependent.
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
    """Weights of arcs between the words that are left, which are the first ones.

    Attributes:
        weights: [n_sentences, size, size], dependents in the second dimension. Those of the arcs to
            a word are normalised as long as it is left.
        roots: [n_sentences, size, size], at [s, k, d] the logarithm of the weight of the arc from
            the root to d while words up to k are left.
    """

    weights: Floats
    roots: Floats

    @classmethod
    def start(cls, arcs: NDArray[np.floating], lengths: NDArray[np.int32]) -> _Elimination:
        """Normalise the weights of the arcs to each word, with all words left."""
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
        """Let arcs between the words before this one have the weight of the paths through it, too.

        Returns:
            What the weights of the arcs to each of them were divided by: [n_sentences, word - 1].
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
        """Undo the elimination of a word, and give it its share of the marginal probabilities.

        Args:
            word: The word.
            sums: What `eliminate` returned.
            marginals: Those of the arcs between the words before it, and from the root to them;
                the arcs of the word are added.
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
    """The values, 1 instead of 0: what is divided by it is 0 as well."""
    return np.where(values > 0.0, values, 1.0)
