"""Maximum spanning tree parsing: the best tree by the scores of its arcs."""

from collections.abc import Callable
from typing import Any

import numpy
import torch
from numpy.typing import NDArray
from spacy.vocab import Vocab
from thinc.api import Model
from torch import Tensor

from ..decoding import decode_spanning_trees
from ..models.parser_net import sentences_and_words
from .dependency_parser import DependencyParser
from .gold import FORBIDDING, GoldBatch
from .search import Found
from .sentences import SentenceBatch
from .settings import DecoderSettings


class SpanningTreeParser(DependencyParser):
    """Finds the single-rooted tree whose arcs score best, crossing or not.

    Args:
        vocab, model, name, scorer: see `DependencyParser`.
        loss: "log-likelihood" of each gold head among all words, or "margin": of the gold tree
            over all others, each of their wrong arcs counting 1.
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
        return {"scorer": "arcs"}

    def _search(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor, sentences: SentenceBatch
    ) -> Found:
        heads = decode_spanning_trees(arcs.cpu().numpy(), sentences.lengths)
        scores = _scores(arcs, lengths, heads).cpu().numpy()
        totals = numpy.zeros(len(sentences.lengths))
        numpy.add.at(totals, sentences.sentence, scores)
        return Found(heads[None], totals[None], numpy.exp(scores))

    def _tree_loss(self, rows: Tensor, lengths: Tensor, arcs: Tensor, gold: GoldBatch) -> Tensor:
        if self.loss == "log-likelihood":
            heads = torch.from_numpy(gold.heads).to(arcs.device).long()
            return self._net.head_selection_loss(arcs, lengths, heads)
        wrong = torch.from_numpy(gold.wrong_arcs(arcs.shape[1])).to(arcs.device)
        right = decode_spanning_trees(
            (arcs - FORBIDDING * wrong).detach().cpu().numpy(), gold.sentences.lengths
        )
        augmented = arcs + wrong
        best = decode_spanning_trees(augmented.detach().cpu().numpy(), gold.sentences.lengths)
        differences = _scores(augmented, lengths, best) - _scores(augmented, lengths, right)
        return differences.sum()


def _scores(arcs: Tensor, lengths: Tensor, heads: NDArray[numpy.int32]) -> Tensor:
    """Of the arcs of a tree: [n_words]."""
    sentence, word = sentences_and_words(lengths)
    return arcs[sentence, word, torch.from_numpy(heads).to(arcs.device).long()]
