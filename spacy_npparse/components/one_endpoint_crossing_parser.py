"""One-endpoint-crossing parsing: the highest-scoring tree by third-order scores."""

from collections.abc import Callable
from typing import Any

import torch
from spacy.vocab import Vocab
from thinc.api import Model
from torch import Tensor

from spacy_npparse.components.chart_parser import ChartParser
from spacy_npparse.components.search import Found, found_by_arcs
from spacy_npparse.components.sentences import SentenceBatch
from spacy_npparse.components.settings import DecoderSettings, Sentences
from spacy_npparse.decoding import (
    OneEndpointCrossingTrees,
    decode_one_endpoint_crossing,
    decode_spanning_trees,
    improbable_arcs,
)
from spacy_npparse.models.one_endpoint_crossing_net import (
    OneEndpointCrossingNet,
    OneEndpointCrossingPartScores,
)


class OneEndpointCrossingParser(
    ChartParser[OneEndpointCrossingNet, OneEndpointCrossingPartScores, OneEndpointCrossingTrees]
):
    """Finds the highest-scoring tree in which all arcs that cross the same arc share an endpoint.

    It learns by the margin. Sentences longer than `max_length` get the maximum spanning tree by
    the scores of arcs alone. Its deductions are ambiguous, which does not matter for the best tree,
    but for sums: there are no marginal probabilities, and the confidence in an arc is the
    probability of the head among all words.

    Args:
        vocab: Of the pipeline.
        model: See `spacy_npparse.Parser.v1`.
        name: Of the component in the pipeline.
        max_length: Words of the longest sentence that is searched exactly.
        pruning: Trees are searched among those without arcs that the scorer of arcs alone takes
            for improbable: whose probability is less than this times that of the word's most
            probable head. 0 for exact search. Training always searches exactly, and so does search
            among constrained trees.
        sentences: See `DependencyParser`.
        decoder: Only the confidence counts.
        scorer: Computes the scores of `nlp.evaluate`.

    Source: Pitler (2014), as the baseline of Gómez-Rodríguez, Shi and Lee (2018, section 5).
    """

    net_class = OneEndpointCrossingNet
    fallback = "by the scores of arcs alone"
    uncovered = "are not one-endpoint-crossing with a single root"

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        *,
        max_length: int,
        pruning: float,
        sentences: Sentences,
        decoder: DecoderSettings,
        scorer: Callable[..., dict[str, Any]] | None,
    ):
        super().__init__(
            vocab,
            model,
            name,
            system_name="one_endpoint_crossing",
            loss="margin",
            max_length=max_length,
            sentences=sentences,
            decoder=decoder,
            fixed={"pseudo_projective": None},
            scorer=scorer,
        )
        self.pruning = pruning

    def _search_chart(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor, sentences: SentenceBatch
    ) -> Found:
        scores = self._score_parts(rows, lengths, arcs)
        if self.pruning == 0:
            best = self._best(scores, sentences)
        else:
            pruned = improbable_arcs(arcs.cpu().numpy(), sentences.lengths, self.pruning)
            best = decode_one_endpoint_crossing(
                scores.as_arrays(), sentences.lengths, pruned=pruned
            )
        return self._found(best, scores, lengths)

    def _found(
        self,
        trees: OneEndpointCrossingTrees,
        scores: OneEndpointCrossingPartScores,
        lengths: Tensor,
    ) -> Found:
        return Found(trees.heads[None], trees.scores[None])

    def _fall_back(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor, sentences: SentenceBatch
    ) -> Found:
        heads = decode_spanning_trees(arcs.cpu().numpy(), sentences.lengths)
        return found_by_arcs(arcs, lengths, heads)

    def _score_parts(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor
    ) -> OneEndpointCrossingPartScores:
        return self._net.score_parts(rows, lengths, arcs)

    def _zero_scores(self, n_sentences: int, size: int) -> OneEndpointCrossingPartScores:
        zeros = torch.zeros(n_sentences, size, size, device=self._net.root.device)
        return OneEndpointCrossingPartScores(zeros, zeros, zeros, zeros)

    def _add_to_arcs(
        self, scores: OneEndpointCrossingPartScores, costs: Tensor
    ) -> OneEndpointCrossingPartScores:
        return scores.add_to_arcs(costs)

    def _best(
        self, scores: OneEndpointCrossingPartScores, sentences: SentenceBatch
    ) -> OneEndpointCrossingTrees:
        return decode_one_endpoint_crossing(scores.as_arrays(), sentences.lengths)

    def _total(
        self,
        scores: OneEndpointCrossingPartScores,
        lengths: Tensor,
        found: OneEndpointCrossingTrees,
    ) -> Tensor:
        return self._net.score_trees(scores, lengths, found).sum()
