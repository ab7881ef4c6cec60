"""The torch network of parsers that search one-endpoint-crossing trees."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from spacy_npparse.decoding import OneEndpointCrossingScores, OneEndpointCrossingTrees
from spacy_npparse.models.pair_net import Biaffine, PairNet, kernel_scores
from spacy_npparse.models.parser_net import nodes_and_rows, sentences_and_words


class PartScores(NamedTuple):
    """What trees are scored by; see `spacy_npparse.decoding.OneEndpointCrossingScores`."""

    grandparents: Tensor
    heads: Tensor
    siblings: Tensor
    crossed: Tensor


class OneEndpointCrossingNet(PairNet):
    """Scores dependents by their grandparents, heads and siblings, one pair of words at a time.

    Source: for the parts Pitler (2014), for their scores see `PairNet`.
    """

    def add_tree_scorer(self, n_inputs: int, hidden_size: int) -> None:
        """Add the scorers of pairs."""
        self.relative = nn.Linear(n_inputs, hidden_size)
        self.dependent = nn.Linear(n_inputs, hidden_size)
        self.pairs = Biaffine(hidden_size, len(PartScores._fields))

    def score_parts(self, rows: Tensor, lengths: Tensor, arcs: Tensor) -> PartScores:
        """Scores of all pairs of words of all sentences.

        rows, lengths, arcs: as in `score_arcs`, and what that returns.
        """
        _, places = nodes_and_rows(lengths)
        relative, dependent = (
            self.dropout(torch.relu(layer(rows)))[places]
            for layer in (self.relative, self.dependent)
        )
        scores = PartScores(*self.pairs(relative, dependent).unbind(dim=1))
        by_head = self.weigh(arcs).mT
        return scores._replace(heads=scores.heads + by_head, crossed=scores.crossed + by_head)

    def score_trees(
        self, scores: PartScores, lengths: Tensor, found: OneEndpointCrossingTrees
    ) -> Tensor:
        """What each word adds to the score of its tree: [n_words].

        scores: of the sentences; lengths: int64 [n_sentences], words of each tree, 0 for none.
        """
        sentence, word = sentences_and_words(lengths)
        heads, grandparents, siblings = (
            torch.from_numpy(words).to(lengths.device).long()
            for words in (found.heads, found.grandparents, found.siblings)
        )
        crossed = torch.from_numpy(found.crossed).to(lengths.device)
        arcs = torch.where(
            crossed, scores.crossed[sentence, heads, word], scores.heads[sentence, heads, word]
        )
        for part, words in ((scores.grandparents, grandparents), (scores.siblings, siblings)):
            arcs = arcs + part[sentence, words.clamp(min=0), word] * (words >= 0)
        return arcs


def one_endpoint_crossing_scores(scores: PartScores) -> OneEndpointCrossingScores:
    """What the kernel needs, on the CPU."""
    return OneEndpointCrossingScores(*map(kernel_scores, scores))
