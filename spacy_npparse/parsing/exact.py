"""Exact search: the highest-scoring of all trees, whatever parts they consist of, and its loss.

An exact decoder is one file of parts: their scores, their cost augmentation, the best tree, and the
total of a tree. See `spanning_trees`, the smallest.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
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
from spacy_npparse.parsing.batch import Bools, Found, Ints, NetT, ScoredBatch
from spacy_npparse.parsing.gold import GoldBatch
from spacy_npparse.parsing.search import Floats, RestrictedSearch, Search
from spacy_npparse.parsing.settings import ConfidenceSettings, TreeLoss
from spacy_npparse.transitions import Decisions


class PartScores(Protocol):
    """The scores of all parts of all sentences."""

    def take(self, numbers: Tensor, n_less: int, /) -> Self:
        """Take those of some sentences, by their numbers, of which the longest is shorter than that
        of all by some words."""

    def add_to_arcs(self, more: Tensor, /) -> Self:
        """Add to the score of each arc: float [n_sentences, size, size], dependents in the second
        dimension."""


ScoresT = TypeVar("ScoresT", bound=PartScores)
TreesT = TypeVar("TreesT")

# Penalty of wrong arcs in the search for the gold tree: more than trees differ by, and, unlike
# IMPOSSIBLE, small enough to keep the differences of scores that it is added to in float32.
_FORBIDDING = 1e4


class Parts(ABC, Generic[NetT, ScoresT, TreesT]):
    """What trees, or derivations, are factored into.

    Attributes:
        net_class: The class of the network that scores them.
        uncovered: What warnings say of trees that do not consist of such parts; only under a limit
            on length, see `LengthLimited`.
    """

    net_class: type[NetT]
    uncovered: str

    @property
    def net_sizes(self) -> dict[str, int]:
        """Sizes of the network that only these parts have."""
        return {}

    @abstractmethod
    def score(self, scored: ScoredBatch[NetT]) -> ScoresT:
        """Score all parts of all sentences."""

    @abstractmethod
    def zeros(self, n_sentences: int, size: int, device: torch.device) -> ScoresT:
        """Scores by which all trees are equally good. size: longest sentence + 1."""

    @abstractmethod
    def best(self, scores: ScoresT, lengths: NDArray[np.int32]) -> TreesT:
        """Find the highest-scoring trees. lengths: of the sentences, in words."""

    def predict(self, scored: ScoredBatch[NetT], scores: ScoresT) -> TreesT:
        """`best` where no gold tree is compared with it, which may be faster and less exact."""
        return self.best(scores, scored.sentences.lengths)

    @abstractmethod
    def found(self, scored: ScoredBatch[NetT], scores: ScoresT, trees: TreesT) -> Found:
        """The trees, with their totals by `scores`."""

    @abstractmethod
    def total(self, scored: ScoredBatch[NetT], scores: ScoresT, trees: TreesT) -> Tensor:
        """The score of all trees together, a differentiable scalar."""

    def most_similar(self, scores: ScoresT, gold: GoldBatch, wrong: Tensor) -> TreesT:
        """The highest-scoring of the trees with the fewest wrong arcs: the gold trees themselves,
        if they consist of parts and nothing is unknown. wrong: see `GoldBatch.wrong_arcs`."""
        return self.best(scores.add_to_arcs(-_FORBIDDING * wrong), gold.sentences.lengths)

    def nearest(self, gold: GoldBatch) -> TreesT:
        """`most_similar` where all trees are equally good."""
        lengths = gold.sentences.lengths
        device = torch.device("cpu")
        zeros = self.zeros(len(lengths), int(lengths.max(initial=0)) + 1, device)
        return self.most_similar(zeros, gold, gold.wrong_arcs(device))

    def local_loss(self, scored: ScoredBatch[NetT], scores: ScoresT, gold: GoldBatch) -> Tensor:
        """The negative log-likelihood of the local decisions that gold trees are made by."""
        raise NotImplementedError

    def covers(self, gold: GoldBatch) -> Bools:
        """Which gold trees consist of parts: bool [n_sentences]."""
        return np.ones(len(gold.sentences.lengths), dtype=bool)

    def marginals(
        self, scores: ScoresT, lengths: NDArray[np.int32], temperature: float
    ) -> Floats | None:
        """The marginal probabilities of arcs, see `Search.head_probabilities`; None if sums over
        all trees cannot be computed."""
        return None

    def derive(self, scored: ScoredBatch[NetT], *, normalised: bool) -> Decisions | None:
        """See `Search.derive`; None if trees have no derivations. normalised: whether transitions
        were trained as probabilities."""
        return None


class ExactSearch(Search[NetT], Generic[NetT, ScoresT, TreesT]):
    """Finds the highest-scoring of all trees, or derivations.

    Instead of a gold tree that does not consist of parts, the most similar one that does is learnt.
    Among constrained trees, forbidden arcs cost more than trees can differ by, and so do arcs that
    leave subtrees, see `spacy_npparse.decoding.allowed_trees.ranking`: the best allowed tree is
    found. The confidence is that without constraints.

    Args:
        parts: What trees are factored into.
        loss: "margin", the structured hinge loss of the gold tree, each wrong arc of another tree
            costing 1; or "log-likelihood" of each local decision.
        decoder: Only the confidence counts.

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
        """Score all parts, once for all searches of the same sentences."""
        scores: ScoresT = scored.known.get(self.parts) or self.parts.score(scored)
        scored.known[self.parts] = scores
        return scores

    def best(self, scored: ScoredBatch[NetT]) -> Found:
        scores = self._score(scored)
        return self.parts.found(scored, scores, self.parts.predict(scored, scores))

    def best_allowed(self, scored: ScoredBatch[NetT], allowed: AllowedTrees) -> Found | None:
        lengths, device = scored.sentences.lengths, scored.arcs.device
        scores = self.parts.score(scored)
        zeros = self.parts.zeros(1, len(allowed.arcs), device)

        def search(costs: Costs, *, with_scores: bool) -> Tree:
            gains = torch.from_numpy(-costs[None].astype(np.float32)).to(device)
            parts = (scores if with_scores else zeros).add_to_arcs(gains)
            found = self.parts.found(scored, parts, self.parts.best(parts, lengths))
            (heads,), ((total,),) = found
            return Tree(heads, total + costs[np.arange(1, len(costs)), heads].sum())

        best = best_allowed_tree(allowed, search)
        return None if best is None else Found(best.heads[None], np.array([[best.score]]))

    def restricted(self, scored: ScoredBatch[NetT]) -> RestrictedSearch:
        scores = self._score(scored)
        device = scored.arcs.device

        def search(numbers: Ints, forbidden: Bools) -> Found:
            some = scored.take(numbers)
            chosen = torch.from_numpy(numbers).to(device)
            size = some.arcs.shape[1]
            costs = torch.from_numpy(forbidden[:, :size, :size]).to(scored.arcs) * _FORBIDDING
            parts = scores.take(chosen, scored.arcs.shape[1] - size).add_to_arcs(-costs)
            found = self.parts.found(some, parts, self.parts.best(parts, some.sentences.lengths))
            sentence, places = some.sentences.sentence, some.sentences.places
            has_forbidden = forbidden[sentence, places, found.heads[0]]
            found.scores[0, sentence[has_forbidden]] = -np.inf
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
        found = self.marginals(scored, temperature)
        return super().head_probabilities(scored, temperature) if found is None else found

    def marginals(self, scored: ScoredBatch[NetT], temperature: float) -> Floats | None:
        """Compute the marginal probabilities of arcs.

        Args:
            scored: The sentences.
            temperature: What scores are divided by.

        Returns:
            See `Search.head_probabilities`; None if there are none for these parts.
        """
        scores = self.parts.score(scored)
        return self.parts.marginals(scores, scored.sentences.lengths, temperature)

    def derive(self, scored: ScoredBatch[NetT]) -> Decisions | None:
        return self.parts.derive(scored, normalised=self._loss == "log-likelihood")
