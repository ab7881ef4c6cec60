"""Exact search: the loss of the gold tree against all others, whatever the trees consist of."""

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from spacy.vocab import Vocab
from thinc.api import Model
from torch import Tensor

from spacy_npparse.components.dependency_parser import DependencyParser
from spacy_npparse.components.gold import FORBIDDING, GoldBatch
from spacy_npparse.components.network_pipe import NetT
from spacy_npparse.components.search import Found
from spacy_npparse.components.sentences import SentenceBatch
from spacy_npparse.components.settings import DecoderSettings, Sentences, TreeLoss
from spacy_npparse.decoding import (
    SCORE_LIMIT,
    AllowedTrees,
    Arcs,
    Tree,
    best_allowed_tree,
    has_arcs,
)

ScoresT = TypeVar("ScoresT")
TreesT = TypeVar("TreesT")


class ExactParser(DependencyParser[NetT], Generic[NetT, ScoresT, TreesT]):
    """Finds the highest-scoring of all trees, or derivations, that it can build.

    A subclass supplies the scores of the parts that trees are factored into, their cost
    augmentation, the search, and the total score of what was found.

    Among constrained trees, forbidden arcs cost more than trees can differ by, and subtrees are
    searched by branch and bound, see `spacy_npparse.decoding.allowed_trees`: the best allowed tree
    is found. Its confidence is that without constraints.

    Args:
        vocab: Of the pipeline.
        model: See `spacy_npparse.Parser.v1`.
        name: Of the component in the pipeline.
        system_name: Of the component's factory, without `_parser`.
        loss: "margin", the structured hinge loss of the gold tree, each wrong arc of another tree
            costing 1; or "log-likelihood" of each local decision.
        sentences: See `DependencyParser`.
        decoder: Only the confidence counts.
        fixed: See `DependencyParser`.
        scorer: Computes the scores of `nlp.evaluate`.

    Source: Taskar, Guestrin and Koller (2003), as used by Gómez-Rodríguez, Shi and Lee (2018,
        section 4.3).
    """

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        *,
        system_name: str,
        loss: TreeLoss,
        sentences: Sentences,
        decoder: DecoderSettings,
        fixed: Mapping[str, Any],
        scorer: Callable[..., dict[str, Any]] | None,
    ):
        super().__init__(
            vocab,
            model,
            name,
            system_name=system_name,
            sentences=sentences,
            decoder=decoder,
            fixed=fixed,
            scorer=scorer,
        )
        self.loss = loss

    def _found(self, trees: TreesT, scores: ScoresT, lengths: Tensor) -> Found:
        """The trees found, with their scores by `scores`, those of all parts."""
        raise NotImplementedError

    def _zero_scores(self, n_sentences: int, size: int) -> ScoresT:
        """Scores by which all trees are equally good. size: longest sentence + 1."""
        raise NotImplementedError

    def _search_allowed(
        self,
        rows: Tensor,
        lengths: Tensor,
        arcs: Tensor,
        sentence: SentenceBatch,
        allowed: AllowedTrees,
    ) -> Found | None:
        scores = self._score_parts(rows, lengths, arcs)
        zeros = self._zero_scores(1, len(allowed.arcs))
        by_tree: dict[bytes, Found] = {}

        def search(possible: Arcs) -> Tree:
            costs = torch.from_numpy(np.where(possible, np.float32(0), np.float32(-SCORE_LIMIT)))[
                None
            ]
            # The second time, if scores are so extreme that forbidden arcs do not cost more.
            for parts in (scores, zeros):
                trees = self._best(self._add_to_arcs(parts, costs.to(arcs.device)), sentence)
                found = self._found(trees, parts, lengths)
                if has_arcs(possible, found.heads[0]):
                    by_tree[found.heads.tobytes()] = found
                    break
            return Tree(found.heads[0], float(found.scores[0, 0]))

        best = best_allowed_tree(allowed, search)
        return None if best is None else by_tree[best.heads.tobytes()]

    def _score_parts(self, rows: Tensor, lengths: Tensor, arcs: Tensor) -> ScoresT:
        """The scores of all parts. Arguments as in `_search`."""
        raise NotImplementedError

    def _add_to_arcs(self, scores: ScoresT, costs: Tensor) -> ScoresT:
        """The scores of all parts, with something added for each arc: float [n_sentences, size,
        size], dependents in the second dimension."""
        raise NotImplementedError

    def _best(self, scores: ScoresT, sentences: SentenceBatch) -> TreesT:
        """The highest-scoring trees."""
        raise NotImplementedError

    def _total(self, scores: ScoresT, lengths: Tensor, found: TreesT) -> Tensor:
        """The score of all trees together, a differentiable scalar."""
        raise NotImplementedError

    def _local_loss(self, scores: ScoresT, lengths: Tensor, gold: GoldBatch) -> Tensor:
        """The negative log-likelihood of the local decisions that the gold trees are made by."""
        raise NotImplementedError

    def _tree_loss(self, rows: Tensor, lengths: Tensor, arcs: Tensor, gold: GoldBatch) -> Tensor:
        scores = self._score_parts(rows, lengths, arcs)
        if self.loss == "log-likelihood":
            return self._local_loss(scores, lengths, gold)
        right = self._most_similar(scores, gold)
        scores = self._add_to_arcs(scores, self._wrong_arcs(gold))
        best = self._best(scores, gold.sentences)
        return self._total(scores, lengths, best) - self._total(scores, lengths, right)

    def _most_similar(self, scores: ScoresT, gold: GoldBatch) -> TreesT:
        """The highest-scoring of the trees with the fewest wrong arcs: the gold trees themselves,
        if the parser can build them and nothing is unknown."""
        forbidden = self._add_to_arcs(scores, -FORBIDDING * self._wrong_arcs(gold))
        return self._best(forbidden, gold.sentences)

    def _wrong_arcs(self, gold: GoldBatch) -> Tensor:
        return torch.from_numpy(gold.wrong_arcs()).to(self._net.root.device)
