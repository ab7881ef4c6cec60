"""One-endpoint-crossing parsing: the best tree by the scores of arcs and of pairs of arcs."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from spacy_npparse.components.chart_parser import ChartParser
from spacy_npparse.components.gold import FORBIDDING, GoldBatch
from spacy_npparse.components.search import Found
from spacy_npparse.components.sentences import SentenceBatch
from spacy_npparse.decoding import (
    OneEndpointCrossingTrees,
    decode_one_endpoint_crossing,
    decode_spanning_trees,
)
from spacy_npparse.models.one_endpoint_crossing_net import PartScores, one_endpoint_crossing_scores
from spacy_npparse.models.parser_net import sentences_and_words


class OneEndpointCrossingParser(ChartParser):
    """Finds the best tree in which all arcs that cross the same arc have an end in common.

    The loss is the margin of the gold tree over all others, each of their wrong arcs counting 1.
    Longer sentences than `max_length` get the tree whose arcs score best by themselves.

    Args:
        vocab, model, name, system_name, max_length, fixed, scorer: see `ChartParser`.
        decoder: only the confidence counts.

    Source: Pitler (2014), with the scores and the training of Gómez-Rodríguez, Shi and Lee (2018).
    """

    fallback = "by the scores of arcs alone"
    uncovered = "are not one-endpoint-crossing with a single root"

    def _net_sizes(self) -> dict[str, Any]:
        return {"scorer": "third-order"}

    def _search(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor, sentences: SentenceBatch
    ) -> Found:
        self._count_long(sentences)
        best = self._best(self._net.score_parts(rows, lengths, arcs), sentences)
        sentence, word = sentences_and_words(lengths)
        heads = np.empty(len(sentences.words), dtype=np.int32)
        is_long = sentences.lengths > self.max_length
        in_long = is_long[sentences.sentence]
        heads[~in_long] = best.heads
        heads[in_long] = decode_spanning_trees(
            arcs.cpu().numpy()[is_long], sentences.lengths[is_long]
        )
        by_arc = arcs[sentence, word, torch.from_numpy(heads).to(arcs.device).long()].cpu().numpy()
        totals = best.scores.copy()
        np.add.at(totals, sentences.sentence[in_long], by_arc[in_long])
        return Found(heads[None], totals[None], np.exp(by_arc))

    def _best(self, scores: PartScores, sentences: SentenceBatch) -> OneEndpointCrossingTrees:
        """The best trees of all sentences but those that are too long, which get no words."""
        return decode_one_endpoint_crossing(
            one_endpoint_crossing_scores(scores), self._short(sentences)
        )

    def _short(self, sentences: SentenceBatch) -> NDArray[np.int32]:
        """Words of each sentence, 0 if it is too long."""
        return np.where(sentences.lengths > self.max_length, 0, sentences.lengths)

    def _tree_loss(self, rows: Tensor, lengths: Tensor, arcs: Tensor, gold: GoldBatch) -> Tensor:
        scores = self._net.score_parts(rows, lengths, arcs)
        wrong = torch.from_numpy(gold.wrong_arcs(arcs.shape[1])).to(arcs.device)
        right = self._best(_with_arcs(scores, -FORBIDDING * wrong), gold.sentences)
        scores = _with_arcs(scores, wrong)
        best = self._best(scores, gold.sentences)
        short = torch.from_numpy(self._short(gold.sentences)).to(arcs.device)
        best_score, right_score = (
            self._net.score_trees(scores, short, found).sum() for found in (best, right)
        )
        heads = torch.from_numpy(gold.heads).to(arcs.device).long()
        return self._net.head_selection_loss(arcs, lengths, heads) + best_score - right_score

    def _covers(self, gold: GoldBatch) -> NDArray[np.bool_]:
        wrong = torch.from_numpy(gold.wrong_arcs(int(gold.sentences.lengths.max()) + 1))
        nothing = torch.zeros_like(wrong)
        scores = _with_arcs(PartScores(nothing, nothing, nothing, nothing), -wrong)
        return self._best(scores, gold.sentences).scores >= 0


def _with_arcs(scores: PartScores, arcs: Tensor) -> PartScores:
    """The scores, with more for each arc. arcs: by dependent and head."""
    by_head = arcs.mT
    return scores._replace(heads=scores.heads + by_head, crossed=scores.crossed + by_head)
