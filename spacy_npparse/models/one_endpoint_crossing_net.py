"""The torch network of `one_endpoint_crossing_parser`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from spacy_npparse.decoding import OneEndpointCrossingScores, OneEndpointCrossingTrees
from spacy_npparse.models.pair_net import Biaffine, PairNet, as_array
from spacy_npparse.models.parser_net import SharedSizes, nodes_and_rows, sentences_and_words, take
from spacy_npparse.models.products import Linear
from spacy_npparse.models.upload import upload

if TYPE_CHECKING:
    from typing_extensions import Unpack


class OneEndpointCrossingPartScores(NamedTuple):
    """The scores of parts of trees. All are [n_sentences, size, size], with the dependent in the
    last dimension; see `spacy_npparse.decoding.OneEndpointCrossingScores`.

    Attributes:
        grandparents: The scores by the head of the head.
        heads: The scores of uncrossed arcs by the head.
        siblings: The scores by the sibling.
        crossed: The scores of crossed arcs by the head.
    """

    grandparents: Tensor
    heads: Tensor
    siblings: Tensor
    crossed: Tensor

    def add_to_arcs(self, more: Tensor) -> OneEndpointCrossingPartScores:
        """Add a number to the score of each arc, crossed or not.

        Args:
            more: [n_sentences, size, size], the numbers to add, with dependents in the second
                dimension.

        Returns:
            The new scores.
        """
        by_head = more.mT
        return self._replace(heads=self.heads + by_head, crossed=self.crossed + by_head)

    def as_arrays(self) -> OneEndpointCrossingScores:
        """Convert the scores to arrays for the kernel, detached and on the CPU."""
        return OneEndpointCrossingScores(*map(as_array, self))


class OneEndpointCrossingNet(PairNet):
    """A scorer of dependents by grandparents, heads and siblings, each of which forms a pair of
    words.

    Args:
        n_inputs: The width of the token vectors.
        hidden_size: The width of the layers below the biaffine forms.
        shared: The sizes of the scorers of arcs and labels, see `SharedSizes`.

    Source: Pitler (2014) for the parts; see `PairNet` for their scores.
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
            rows: [n_rows, n_inputs], the vectors of each sentence's root and words.
            lengths: int64 [n_sentences], the number of words of each sentence, on the CPU.
            arcs: [n_sentences, size, size], the scores that `score_arcs` returned.

        Returns:
            The scores of all parts.
        """
        places = upload(nodes_and_rows(lengths)[1], rows.device)
        relative, dependent = (
            take(self.activate(layer(rows)), places) for layer in (self.relative, self.dependent)
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
            scores: The scores of the sentences.
            lengths: int64 [n_sentences], the number of words of each tree, 0 for none, on the CPU.
            found: The trees.

        Returns:
            [n_words], the contribution of each word to the score of its tree.
        """
        device = scores.heads.device
        sentence, word = (upload(one, device) for one in sentences_and_words(lengths))
        heads, grandparents, siblings = (
            upload(words, device).long()
            for words in (found.heads, found.grandparents, found.siblings)
        )
        crossed = upload(found.crossed, device)
        arcs = torch.where(
            crossed, scores.crossed[sentence, heads, word], scores.heads[sentence, heads, word]
        )
        for part, words in ((scores.grandparents, grandparents), (scores.siblings, siblings)):
            arcs = arcs + part[sentence, words.clamp(min=0), word] * (words >= 0)
        return arcs
