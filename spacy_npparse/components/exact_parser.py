"""Exact search: the loss of the gold tree against all others, whatever the trees consist of."""

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import torch
from spacy.vocab import Vocab
from thinc.api import Model
from torch import Tensor

from spacy_npparse.components.dependency_parser import DependencyParser
from spacy_npparse.components.gold import FORBIDDING, GoldBatch
from spacy_npparse.components.network_pipe import NetT
from spacy_npparse.components.sentences import SentenceBatch
from spacy_npparse.components.settings import DecoderSettings, Sentences, TreeLoss

ScoresT = TypeVar("ScoresT")
TreesT = TypeVar("TreesT")


class ExactParser(DependencyParser[NetT], Generic[NetT, ScoresT, TreesT]):
    """Finds the highest-scoring of all trees, or derivations, that it can build.

    A subclass supplies the scores of the parts that trees are factored into, their cost
    augmentation, the search, and the total score of what was found.

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
