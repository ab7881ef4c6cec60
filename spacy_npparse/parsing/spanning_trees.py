"""Maximum spanning trees, whose score is the sum of the scores of their arcs.

Source: McDonald, Pereira, Ribarov and Hajič (2005).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from spacy_npparse.decoding import decode_spanning_trees, spanning_tree_marginals
from spacy_npparse.models.spanning_tree_net import SpanningTreeNet
from spacy_npparse.parsing.batch import Found, ScoredBatch, SentenceBatch
from spacy_npparse.parsing.exact import Parts
from spacy_npparse.parsing.gold import GoldBatch
from spacy_npparse.parsing.search import Floats

Heads = NDArray[np.int32]


class ArcScores(NamedTuple):
    """The scores of arcs.

    Attributes:
        arcs: [n_sentences, size, size], the scores, with dependents in the second dimension.
    """

    arcs: Tensor

    def add_to_arcs(self, more: Tensor) -> ArcScores:
        """Add a number to the score of each arc.

        Args:
            more: [n_sentences, size, size], the numbers to add.

        Returns:
            The new scores.
        """
        return ArcScores(self.arcs + more)


class SpanningTreeParts(Parts[SpanningTreeNet, ArcScores, Heads]):
    """The arcs of single-rooted trees, which may cross.

    The confidence in an arc is its marginal probability: the share of the sum over all trees that
    belongs to trees with the arc. The log-likelihood is that of each gold head among all words.
    """

    net_class = SpanningTreeNet
    # 500 words take a second, and 2,000 a minute.
    most_words = 500

    def score(self, scored: ScoredBatch[SpanningTreeNet]) -> ArcScores:
        return ArcScores(scored.net.score_parts(scored.rows, scored.lengths, scored.arcs))

    def zeros(self, n_sentences: int, size: int, device: torch.device) -> ArcScores:
        return ArcScores(torch.zeros(n_sentences, size, size, device=device))

    def best(self, scores: ArcScores, lengths: NDArray[np.int32]) -> Heads:
        return decode_spanning_trees(scores.arcs.detach().cpu().numpy(), lengths)

    def found(self, sentences: SentenceBatch, scores: ArcScores, trees: Heads) -> Found:
        return Found.by_arcs(sentences, trees, scores.arcs)

    def total(
        self, scored: ScoredBatch[SpanningTreeNet], scores: ArcScores, trees: Heads
    ) -> Tensor:
        return scored.sentences.score_trees(scores.arcs, trees).sum()

    def local_loss(
        self, scored: ScoredBatch[SpanningTreeNet], scores: ArcScores, gold: GoldBatch
    ) -> Tensor:
        return gold.head_selection_loss(scored, scores.arcs.log_softmax(dim=2))

    def marginals(self, scores: ArcScores, lengths: NDArray[np.int32]) -> Floats:
        return spanning_tree_marginals(scores.arcs.cpu().numpy(), lengths)


class TreesByArcs:
    """A search for maximum spanning trees by the arc scores that every network has.

    Attributes:
        how: The phrase for this search in warnings.
    """

    how = "by the scores of arcs alone"

    def best(self, scored: ScoredBatch[Any]) -> Found:
        """Find the maximum spanning trees.

        Args:
            scored: The sentences.
        """
        heads = decode_spanning_trees(scored.arcs.cpu().numpy(), scored.sentences.lengths)
        return Found.by_arcs(scored.sentences, heads, scored.arcs)

    def derive(self, scored: ScoredBatch[Any]) -> None:
        """Return None, because spanning trees have no derivations.

        Args:
            scored: The sentence.
        """
