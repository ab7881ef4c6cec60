"""Exact search with a chart: a limit on the length of sentences, and on the trees covered."""

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from spacy.vocab import Vocab
from thinc.api import Model
from torch import Tensor

from spacy_npparse.components.exact_parser import ExactParser, ScoresT
from spacy_npparse.components.gold import GoldBatch
from spacy_npparse.components.network_pipe import NetT
from spacy_npparse.components.search import Found, found_by_arcs, no_trees
from spacy_npparse.components.sentences import SentenceBatch
from spacy_npparse.components.settings import DecoderSettings, Sentences, TreeLoss
from spacy_npparse.decoding import AllowedTrees, best_allowed_tree, spanning_trees

logger = logging.getLogger(__name__)


class ScoredTrees(Protocol):
    """Trees, or derivations, that come with their scores."""

    @property
    def scores(self) -> NDArray[np.float64]:
        """Of each sentence's tree: float64 [n_sentences]."""


ScoredTreesT = TypeVar("ScoredTreesT", bound=ScoredTrees)


class ChartParser(ExactParser[NetT, ScoresT, ScoredTreesT], Generic[NetT, ScoresT, ScoredTreesT]):
    """Finds the highest-scoring of the trees that its chart covers, if the sentence is not too
    long.

    Longer sentences are parsed by a fallback, by the scores of arcs alone if constraints have to be
    met, and teach only heads and labels. Instead of a gold
    tree that is not covered, the most similar one that is covered is learnt. Warnings tell how
    many there are of either.

    Args:
        vocab: Of the pipeline.
        model: See `spacy_npparse.Parser.v1`.
        name: Of the component in the pipeline.
        system_name: Of the component's factory, without `_parser`.
        loss: See `ExactParser`.
        max_length: Words of the longest sentence that is searched exactly.
        sentences: See `DependencyParser`.
        decoder: Only the confidence counts.
        fixed: See `DependencyParser`.
        scorer: Computes the scores of `nlp.evaluate`.

    Attributes:
        fallback: How longer sentences are parsed, as warnings say it.
        uncovered: What warnings say of trees that are not covered.
    """

    fallback: str
    uncovered: str

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        *,
        system_name: str,
        loss: TreeLoss,
        max_length: int,
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
            loss=loss,
            sentences=sentences,
            decoder=decoder,
            fixed=fixed,
            scorer=scorer,
        )
        self.max_length = max_length
        self._n_too_long = 0

    def _search_chart(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor, sentences: SentenceBatch
    ) -> Found:
        """`_search` among all trees that the chart covers, for sentences that are not too long."""
        raise NotImplementedError

    def _fall_back(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor, sentences: SentenceBatch
    ) -> Found:
        """`_search` for sentences that are too long: with no more tables than the arcs."""
        raise NotImplementedError

    def _search(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor, sentences: SentenceBatch
    ) -> Found:
        too_long = sentences.lengths > self.max_length
        self._n_too_long += int(too_long.sum())
        found = no_trees(1, sentences)
        for chosen, search in ((~too_long, self._search_chart), (too_long, self._fall_back)):
            if chosen.any():
                words = chosen[sentences.sentence]
                scored = select(rows, lengths, arcs, chosen)
                best = search(*scored, sentences.select(chosen))
                found.heads[:, words] = best.heads
                found.scores[:, chosen] = best.scores
        return found

    def _search_allowed(
        self,
        rows: Tensor,
        lengths: Tensor,
        arcs: Tensor,
        sentence: SentenceBatch,
        allowed: AllowedTrees,
    ) -> Found | None:
        if sentence.lengths[0] <= self.max_length:
            return super()._search_allowed(rows, lengths, arcs, sentence, allowed)
        tree = best_allowed_tree(allowed, spanning_trees(arcs[0].cpu().numpy()))
        return None if tree is None else found_by_arcs(arcs, lengths, tree.heads)

    def _tree_loss(self, rows: Tensor, lengths: Tensor, arcs: Tensor, gold: GoldBatch) -> Tensor:
        learnt = gold.sentences.lengths <= self.max_length
        if not learnt.any():
            return rows.new_zeros(())
        return super()._tree_loss(*select(rows, lengths, arcs, learnt), gold.select(learnt))

    def _covers(self, gold: GoldBatch) -> NDArray[np.bool_]:
        """Which gold trees the chart covers: bool [n_sentences]. No sentence is too long."""
        lengths = gold.sentences.lengths
        scores = self._zero_scores(len(lengths), int(lengths.max(initial=0)) + 1)
        return self._most_similar(scores, gold).scores >= 0

    def report(self) -> None:
        """Warn of the sentences that were too long for exact search, too."""
        super().report()
        if self._n_too_long:
            logger.warning(
                "%s: %d sentences have more than %d words (max_length) and were parsed %s.",
                self.name,
                self._n_too_long,
                self.max_length,
                self.fallback,
            )
        self._n_too_long = 0

    def _begin_training(self, gold: Iterable[GoldBatch]) -> None:
        n_trees = n_uncovered = n_too_long = 0
        for batch in gold:
            for chosen in batch.sentences.parts():
                part = batch.select(chosen)
                too_long = part.sentences.lengths > self.max_length
                n_trees += len(too_long)
                n_too_long += int(too_long.sum())
                n_uncovered += int((~self._covers(part.select(~too_long))).sum())
        if n_uncovered:
            logger.warning(
                "%s: %d of %d training trees %s. The most similar trees that it can build are "
                "learnt instead.",
                self.name,
                n_uncovered,
                n_trees,
                self.uncovered,
            )
        if n_too_long:
            logger.warning(
                "%s: %d of %d training trees have more than %d words (max_length). They teach "
                "heads and labels only.",
                self.name,
                n_too_long,
                n_trees,
                self.max_length,
            )


def select(
    rows: Tensor, lengths: Tensor, arcs: Tensor, kept: NDArray[np.bool_]
) -> tuple[Tensor, Tensor, Tensor]:
    """Keep the rows, lengths and arcs of some sentences only.

    Args:
        rows: [n_rows, n_inputs], vectors of each sentence's root and words.
        lengths: int64 [n_sentences], words of each sentence.
        arcs: [n_sentences, size, size], see `ParserNet.score_arcs`.
        kept: bool [n_sentences], at least one of them.

    Returns:
        Those of the sentences.
    """
    if kept.all():
        return rows, lengths, arcs
    chosen = torch.from_numpy(kept).to(lengths.device)
    rows = rows[torch.repeat_interleave(chosen, lengths + 1)]
    lengths = lengths[chosen]
    size = int(lengths.max()) + 1
    return rows, lengths, arcs[chosen, :size, :size]
