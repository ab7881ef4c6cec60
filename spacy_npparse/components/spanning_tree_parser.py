"""Maximum spanning tree parsing: the best tree by the scores of its arcs."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from spacy.vocab import Vocab
from thinc.api import Model
from torch import Tensor

from spacy_npparse.components.dependency_parser import DependencyParser
from spacy_npparse.components.gold import FORBIDDING, GoldBatch
from spacy_npparse.components.search import Found
from spacy_npparse.components.sentences import SentenceBatch
from spacy_npparse.components.settings import DecoderSettings
from spacy_npparse.decoding import decode_spanning_trees
from spacy_npparse.models.parser_net import sentences_and_words


class SpanningTreeParser(DependencyParser):
    """Finds the single-rooted tree whose arcs score best, crossing or not.

    Args:
        vocab, model, name, scorer: see `DependencyParser`.
        loss: "margin" of the gold tree over all others, each of their wrong arcs counting 1, or
            "log-likelihood" of each gold head among all words, which the scores of arcs alone are
            always taught.
        decoder: only the confidence counts.

    Source: McDonald, Pereira, Ribarov and Hajič (2005); the margin of Taskar, Guestrin and Koller
    (2003) as in Gómez-Rodríguez, Shi and Lee (2018).
    """

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        *,
        loss: str,
        decoder: DecoderSettings,
        scorer: Callable[..., dict[str, Any]] | None,
    ):
        super().__init__(
            vocab,
            model,
            name,
            system_name="mst",
            decoder=decoder,
            fixed={"pseudo_projective": None},
            scorer=scorer,
        )
        self.loss = loss

    def _net_sizes(self) -> dict[str, Any]:
        return {"scorer": "first-order"}

    def _search(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor, sentences: SentenceBatch
    ) -> Found:
        scores = self._net.score_pairs(rows, lengths, arcs)
        heads = _best(scores, sentences)
        totals = np.zeros(len(sentences.lengths))
        np.add.at(totals, sentences.sentence, _of_tree(scores, lengths, heads).cpu().numpy())
        probabilities = _of_tree(arcs, lengths, heads).exp().cpu().numpy()
        return Found(heads[None], totals[None], probabilities)

    def _tree_loss(self, rows: Tensor, lengths: Tensor, arcs: Tensor, gold: GoldBatch) -> Tensor:
        heads = torch.from_numpy(gold.heads).to(arcs.device).long()
        loss = self._net.head_selection_loss(arcs, lengths, heads)
        scores = self._net.score_pairs(rows, lengths, arcs)
        if self.loss == "log-likelihood":
            by_head = scores.log_softmax(dim=2)
            return loss + self._net.head_selection_loss(by_head, lengths, heads)
        wrong = torch.from_numpy(gold.wrong_arcs(arcs.shape[1])).to(arcs.device)
        right = _best(scores - FORBIDDING * wrong, gold.sentences)
        scores = scores + wrong
        best = _best(scores, gold.sentences)
        best_score, right_score = (
            _of_tree(scores, lengths, found).sum() for found in (best, right)
        )
        return loss + best_score - right_score


def _best(scores: Tensor, sentences: SentenceBatch) -> NDArray[np.int32]:
    """The heads in the best trees: [n_words]."""
    return decode_spanning_trees(scores.detach().cpu().numpy(), sentences.lengths)


def _of_tree(scores: Tensor, lengths: Tensor, heads: NDArray[np.int32]) -> Tensor:
    """The scores of the arcs of a tree: [n_words]."""
    sentence, word = sentences_and_words(lengths)
    return scores[sentence, word, torch.from_numpy(heads).to(scores.device).long()]
