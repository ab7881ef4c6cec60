"""Exact search for the highest-scoring tree, whatever parts trees consist of, and its loss.

An exact decoder is one file of parts, with their scores, their cost augmentation, the best tree,
and the total score of a tree. The smallest one is `spanning_trees`.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from typing_extensions import Self

from spacy_npparse.decoding import (
    AllowedTrees,
    Costs,
    Tree,
    best_allowed_tree,
)
from spacy_npparse.models.pair_net import take_pairs
from spacy_npparse.models.upload import upload
from spacy_npparse.parsing.batch import Bools, Found, Ints, NetT, ScoredBatch, SentenceBatch
from spacy_npparse.parsing.gold import GoldBatch
from spacy_npparse.parsing.search import Floats, RestrictedSearch, Search, selected_heads
from spacy_npparse.parsing.settings import ConfidenceSettings, TreeLoss
from spacy_npparse.transitions import Decisions


class PartScores(Protocol):
    """The scores of all parts of all sentences: a named tuple of tensors whose last two dimensions
    are pairs of nodes."""

    def __iter__(self) -> Iterator[Tensor]:
        """Iterate over the fields, as a named tuple does."""

    def add_to_arcs(self, more: Tensor, /) -> Self:
        """Add a number to the score of each arc: float [n_sentences, size, size], dependents in the
        second dimension."""


ScoresT = TypeVar("ScoresT", bound=PartScores)
TreesT = TypeVar("TreesT")

# The penalty of wrong arcs in the search for the gold tree. It is greater than the differences of
# trees, but, unlike IMPOSSIBLE, small enough to keep the differences of float32 scores that it is
# added to.
_FORBIDDING = 1e4


class Parts(ABC, Generic[NetT, ScoresT, TreesT]):
    """The parts that trees or derivations consist of.

    Attributes:
        net_class: The class of the network that scores the parts.
        uncovered: The phrase in warnings for trees that do not consist of such parts; needed only
            under a limit on length, see `LengthLimited`.
        most_words: The maximum length of sentences whose marginal probabilities are computed.
    """

    net_class: type[NetT]
    uncovered: str
    most_words = sys.maxsize

    @property
    def net_sizes(self) -> dict[str, int]:
        """The sizes of the network that only these parts have."""
        return {}

    @abstractmethod
    def score(self, scored: ScoredBatch[NetT]) -> ScoresT:
        """Score all parts of all sentences."""

    @abstractmethod
    def zeros(self, n_sentences: int, size: int, device: torch.device) -> ScoresT:
        """Make scores by which all trees are equally good. size: length of the longest sentence +
        1."""

    @abstractmethod
    def best(self, scores: ScoresT, lengths: NDArray[np.int32]) -> TreesT:
        """Find the highest-scoring trees. lengths: the number of words of each sentence."""

    def predict(self, scored: ScoredBatch[NetT], scores: ScoresT) -> TreesT:
        """Find the highest-scoring trees in prediction, where a faster and less exact search is
        possible."""
        return self.best(scores, scored.sentences.lengths)

    @abstractmethod
    def found(self, sentences: SentenceBatch, scores: ScoresT, trees: TreesT) -> Found:
        """Convert trees to a result, with their total scores."""

    @abstractmethod
    def total(self, scored: ScoredBatch[NetT], scores: ScoresT, trees: TreesT) -> Tensor:
        """Compute the total score of all trees, a differentiable scalar."""

    def most_similar(self, scores: ScoresT, gold: GoldBatch, wrong: Tensor) -> TreesT:
        """Find the highest-scoring of the trees with the fewest wrong arcs. These are the gold
        trees if they consist of such parts and nothing is unknown. wrong: see
        `GoldBatch.wrong_arcs`."""
        return self.best(scores.add_to_arcs(-_FORBIDDING * wrong), gold.sentences.lengths)

    def nearest(self, gold: GoldBatch) -> TreesT:
        """Find trees with the fewest wrong arcs, without regard to scores."""
        lengths = gold.sentences.lengths
        device = torch.device("cpu")
        zeros = self.zeros(len(lengths), int(lengths.max(initial=0)) + 1, device)
        return self.most_similar(zeros, gold, gold.wrong_arcs(device))

    def local_loss(self, scored: ScoredBatch[NetT], scores: ScoresT, gold: GoldBatch) -> Tensor:
        """Compute the negative log-likelihood of the local decisions of gold trees."""
        raise NotImplementedError

    def covers(self, gold: GoldBatch) -> Bools:
        """Check which gold trees consist of such parts: bool [n_sentences]."""
        return np.ones(len(gold.sentences.lengths), dtype=bool)

    def marginals(self, scores: ScoresT, lengths: NDArray[np.int32]) -> Floats | None:
        """Compute the marginal probabilities of arcs, see `Search.head_probabilities`. None if sums
        over all trees cannot be computed."""
        return None

    def derive(self, scored: ScoredBatch[NetT], *, normalised: bool) -> Decisions | None:
        """Find the highest-scoring derivation, see `Search.derive`. None if trees have no
        derivations. normalised: whether transitions were trained as probabilities."""
        return None


class ExactSearch(Search[NetT], Generic[NetT, ScoresT, TreesT]):
    """A search for the highest-scoring of all trees or derivations.

    If a gold tree does not consist of the parts, the parser learns the most similar tree that does.
    Under constraints, forbidden arcs and arcs that leave subtrees get a penalty larger than any
    difference between the scores of two trees, so the search finds the best allowed tree, see
    `spacy_npparse.decoding.allowed_trees.ranking`. The confidence ignores constraints.

    Args:
        parts: The parts of trees.
        loss: "margin" for the structured hinge loss of the gold tree, where each wrong arc costs 1,
            or "log-likelihood" of each local decision.
        decoder: The settings of the decoder, of which only the confidence is used.

    Source: Taskar, Guestrin and Koller (2003), as used by Gómez-Rodríguez, Shi and Lee (2018,
        section 4.3).
    """

    def __init__(
        self,
        parts: Parts[NetT, ScoresT, TreesT],
        loss: TreeLoss,
        decoder: ConfidenceSettings,
    ):
        self.parts = parts
        self.net_class = parts.net_class
        self.decoder = decoder
        self._loss = loss

    @property
    def net_sizes(self) -> dict[str, int]:
        return self.parts.net_sizes

    def _score(self, scored: ScoredBatch[NetT]) -> ScoresT:
        """Score all parts. The scores are computed once for all searches of the same sentences."""
        scores: ScoresT = scored.known.get(self.parts) or self.parts.score(scored)
        scored.known[self.parts] = scores
        return scores

    def best(self, scored: ScoredBatch[NetT]) -> Found:
        scores = self._score(scored)
        return self.parts.found(scored.sentences, scores, self.parts.predict(scored, scores))

    def best_allowed(self, scored: ScoredBatch[NetT], allowed: AllowedTrees) -> Found | None:
        lengths, device = scored.sentences.lengths, scored.arcs.device
        scores = self._score(scored)
        zeros = self.parts.zeros(1, len(allowed.arcs), device)

        def search(costs: Costs, *, with_scores: bool) -> Tree:
            gains = upload(-costs[None].astype(np.float32), device)
            parts = (scores if with_scores else zeros).add_to_arcs(gains)
            found = self.parts.found(scored.sentences, parts, self.parts.best(parts, lengths))
            (heads,), ((total,),) = found
            return Tree(heads, total + costs[np.arange(1, len(costs)), heads].sum())

        best = best_allowed_tree(allowed, search)
        return None if best is None else Found(best.heads[None], np.array([[best.score]]))

    def restricted(self, scored: ScoredBatch[NetT]) -> RestrictedSearch:
        scores = self._score(scored)
        device = scored.arcs.device

        def search(numbers: Ints, forbidden: Bools) -> Found:
            some = scored.sentences.take(numbers)
            chosen = upload(numbers, device)
            size = int(some.lengths.max()) + 1
            costs = upload(forbidden[:, :size, :size], device) * _FORBIDDING
            parts = take_pairs(scores, chosen, scored.arcs.shape[1] - size).add_to_arcs(-costs)
            found = self.parts.found(some, parts, self.parts.best(parts, some.lengths))
            has_forbidden = forbidden[some.sentence, some.places, found.heads[0]]
            found.scores[0, some.sentence[has_forbidden]] = -np.inf
            return found

        return search

    def loss(self, scored: ScoredBatch[NetT], gold: GoldBatch) -> Tensor:
        parts = self.parts
        scores = parts.score(scored)
        if self._loss == "log-likelihood":
            return parts.local_loss(scored, scores, gold)
        wrong = gold.wrong_arcs(scored.arcs.device)
        right = parts.most_similar(scores, gold, wrong)
        scores = scores.add_to_arcs(wrong)
        best = parts.best(scores, gold.sentences.lengths)
        return parts.total(scored, scores, best) - parts.total(scored, scores, right)

    def head_probabilities(self, scored: ScoredBatch[NetT], temperature: float) -> Floats:
        found = selected_heads(scored, temperature)
        short = scored.sentences.lengths <= self.parts.most_words
        if not short.any():
            return found
        part = scored.select(short)
        scores = self._score(part)
        scaled = type(scores)(*(of_part / temperature for of_part in scores))
        marginals = self.parts.marginals(scaled, part.sentences.lengths)
        if marginals is not None:
            size = marginals.shape[1]
            found[short, :size, :size] = marginals
        return found

    def derive(self, scored: ScoredBatch[NetT]) -> Decisions | None:
        return self.parts.derive(scored, normalised=self._loss == "log-likelihood")
