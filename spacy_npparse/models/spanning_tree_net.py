"""The torch network of parsers that search maximum spanning trees."""

import torch
from torch import Tensor, nn

from spacy_npparse.decoding import IMPOSSIBLE
from spacy_npparse.models.pair_net import Biaffine, PairNet
from spacy_npparse.models.parser_net import nodes_and_rows


class SpanningTreeNet(PairNet):
    """Scores trees by pairs of heads and dependents, one arc at a time.

    Source: see `PairNet`.
    """

    def add_tree_scorer(self, n_inputs: int, hidden_size: int) -> None:
        """Add the scorer of pairs."""
        self.head = nn.Linear(n_inputs, hidden_size)
        self.dependent = nn.Linear(n_inputs, hidden_size)
        self.pairs = Biaffine(hidden_size, 1)

    def score_pairs(self, rows: Tensor, lengths: Tensor, arcs: Tensor) -> Tensor:
        """What each arc adds to the score of a tree, very little if there cannot be one:
        [n_sentences, size, size], dependents in the second dimension.

        rows, lengths, arcs: as in `score_arcs`, and what that returns.
        """
        _, places = nodes_and_rows(lengths)
        dependents, heads = (
            self.dropout(torch.relu(layer(rows)))[places] for layer in (self.dependent, self.head)
        )
        scores = self.pairs(dependents, heads)[:, 0] + self.weigh(arcs)
        return scores.masked_fill(arcs < IMPOSSIBLE / 2, IMPOSSIBLE)
