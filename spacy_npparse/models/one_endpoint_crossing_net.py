"""The torch network of parsers that search one-endpoint-crossing trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from spacy_npparse.decoding import OneEndpointCrossingScores, OneEndpointCrossingTrees
from spacy_npparse.models.pair_net import Biaffine, PairNet, as_array, take_square
from spacy_npparse.models.parser_net import SharedSizes, nodes_and_rows, sentences_and_words, take
from spacy_npparse.models.products import Linear

if TYPE_CHECKING:
    from typing_extensions import Unpack


class OneEndpointCrossingPartScores(NamedTuple):
    """What trees are scored by. All are [n_sentences, size, size], the dependent in the last
    dimension; see `spacy_npparse.decoding.OneEndpointCrossingScores`.

    Attributes:
        grandparents: By the head of the head.
        heads: By the head, of arcs that are not crossed.
        siblings: By the sibling.
        crossed: By the head, of arcs that are crossed.
    """

    grandparents: Tensor
    heads: Tensor
    siblings: Tensor
    crossed: Tensor

    def take(self, numbers: Tensor, n_less: int) -> OneEndpointCrossingPartScores:
        """Take the scores of some sentences.

        Args:
            numbers: int64 [n], of the sentences.
            n_less: By how many nodes the longest of them is shorter than that of all.
        """
        return OneEndpointCrossingPartScores(*(take_square(part, numbers, n_less) for part in self))

    def add_to_arcs(self, more: Tensor) -> OneEndpointCrossingPartScores:
        """Add to the score of each arc, crossed or not.

        Args:
            more: [n_sentences, size, size], dependents in the second dimension.

        Returns:
            The new scores.
        """
        by_head = more.mT
        return self._replace(heads=self.heads + by_head, crossed=self.crossed + by_head)

    def as_arrays(self) -> OneEndpointCrossingScores:
        """The scores as the kernel takes them, detached and on the CPU."""
        return OneEndpointCrossingScores(*map(as_array, self))


class OneEndpointCrossingNet(PairNet):
    """Scores dependents by grandparents, heads and siblings, each a pair of words.

    Args:
        n_inputs: Width of the token vectors.
        hidden_size: Units of the layers below the biaffine forms.
        shared: See `SharedSizes`.

    Source: the parts of Pitler (2014); for their scores see `PairNet`.
    """

    def __init__(self, n_inputs: int, hidden_size: int, **shared: Unpack[SharedSizes]):
        super().__init__(n_inputs)
        self.relative = Linear(n_inputs, hidden_size)
        self.dependent = Linear(n_inputs, hidden_size)
        self.pairs = Biaffine(hidden_size, len(OneEndpointCrossingPartScores._fields))
        self.add_arc_and_label_scorers(n_inputs, **shared)

    def score_parts(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor
    ) -> OneEndpointCrossingPartScores:
        """Score all pairs of words of all sentences.

        Args:
            rows: As in `score_arcs`.
            lengths: As in `score_arcs`.
            arcs: What `score_arcs` returns.

        Returns:
            The scores of all parts.
        """
        _, places = nodes_and_rows(lengths)
        relative, dependent = (
            take(self.dropout(torch.relu(layer(rows))), places)
            for layer in (self.relative, self.dependent)
        )
        scores = OneEndpointCrossingPartScores(*self.pairs(relative, dependent).unbind(dim=1))
        return scores.add_to_arcs(self.weigh(arcs))

    def score_trees(
        self,
        scores: OneEndpointCrossingPartScores,
        lengths: Tensor,
        found: OneEndpointCrossingTrees,
    ) -> Tensor:
        """Score trees word by word.

        Args:
            scores: Of the sentences.
            lengths: int64 [n_sentences], words of each tree, 0 for none.
            found: The trees.

        Returns:
            What each word adds to the score of its tree: [n_words].
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
