"""Maximum spanning tree parsing: the highest-scoring tree by the scores of its arcs."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from spacy.vocab import Vocab
from thinc.api import Model
from torch import Tensor

from spacy_npparse.components.exact_parser import ExactParser
from spacy_npparse.components.gold import GoldBatch
from spacy_npparse.components.search import Found
from spacy_npparse.components.sentences import SentenceBatch
from spacy_npparse.components.settings import DecoderSettings, Sentences, TreeLoss
from spacy_npparse.decoding import decode_spanning_trees, spanning_tree_marginals
from spacy_npparse.models.parser_net import sentences_and_words
from spacy_npparse.models.spanning_tree_net import SpanningTreeNet


class SpanningTreeParser(ExactParser[SpanningTreeNet, Tensor, NDArray[np.int32]]):
    """Finds the single-rooted tree whose arcs score highest, crossing or not.

    The confidence in an arc is its marginal probability: the share of the sum over all trees that
    belongs to trees with the arc.

    Args:
        vocab: Of the pipeline.
        model: See `spacy_npparse.Parser.v1`.
        name: Of the component in the pipeline.
        loss: "margin", see `ExactParser`, or "log-likelihood" of each gold head among all words.
        sentences: See `DependencyParser`.
        decoder: Only the confidence counts.
        scorer: Computes the scores of `nlp.evaluate`.

    Source: McDonald, Pereira, Ribarov and Hajič (2005).
    """

    net_class = SpanningTreeNet

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        *,
        loss: TreeLoss,
        sentences: Sentences,
        decoder: DecoderSettings,
        scorer: Callable[..., dict[str, Any]] | None,
    ):
        super().__init__(
            vocab,
            model,
            name,
            system_name="mst",
            loss=loss,
            sentences=sentences,
            decoder=decoder,
            fixed={"pseudo_projective": None},
            scorer=scorer,
        )

    def _search(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor, sentences: SentenceBatch
    ) -> Found:
        scores = self._score_parts(rows, lengths, arcs)
        return self._found(self._best(scores, sentences), scores, lengths)

    def _found(self, trees: NDArray[np.int32], scores: Tensor, lengths: Tensor) -> Found:
        by_arc = _of_tree(scores, lengths, trees).cpu().numpy()
        sentence, _ = sentences_and_words(lengths)
        totals = np.zeros(len(lengths))
        np.add.at(totals, sentence.cpu().numpy(), by_arc)
        return Found(trees[None], totals[None])

    def _head_probabilities(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor, sentences: SentenceBatch
    ) -> NDArray[np.float32]:
        scores = self._score_parts(rows, lengths, arcs) / self.temperatures.heads
        return spanning_tree_marginals(scores.cpu().numpy(), sentences.lengths)

    def _zero_scores(self, n_sentences: int, size: int) -> Tensor:
        return torch.zeros(n_sentences, size, size, device=self._net.root.device)

    def _score_parts(self, rows: Tensor, lengths: Tensor, arcs: Tensor) -> Tensor:
        return self._net.score_parts(rows, lengths, arcs)

    def _add_to_arcs(self, scores: Tensor, costs: Tensor) -> Tensor:
        return scores + costs

    def _best(self, scores: Tensor, sentences: SentenceBatch) -> NDArray[np.int32]:
        return decode_spanning_trees(scores.detach().cpu().numpy(), sentences.lengths)

    def _total(self, scores: Tensor, lengths: Tensor, found: NDArray[np.int32]) -> Tensor:
        return _of_tree(scores, lengths, found).sum()

    def _local_loss(self, scores: Tensor, lengths: Tensor, gold: GoldBatch) -> Tensor:
        return self._head_loss(scores.log_softmax(dim=2), lengths, gold)


def _of_tree(scores: Tensor, lengths: Tensor, heads: NDArray[np.int32]) -> Tensor:
    """The scores of the arcs of a tree: [n_words]."""
    sentence, word = sentences_and_words(lengths)
    return scores[sentence, word, torch.from_numpy(heads).to(scores.device).long()]
