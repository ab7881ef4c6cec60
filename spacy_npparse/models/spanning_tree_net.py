"""The torch network of `mst_parser`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

from spacy_npparse.decoding import IMPOSSIBLE
from spacy_npparse.models.pair_net import Biaffine, PairNet
from spacy_npparse.models.parser_net import SharedSizes, nodes_and_rows, take
from spacy_npparse.models.products import Linear
from spacy_npparse.models.upload import upload

if TYPE_CHECKING:
    from typing_extensions import Unpack


class SpanningTreeNet(PairNet):
    """A scorer of trees by their arcs (first order), each of which is a pair of head and dependent.

    Args:
        n_inputs: The width of the token vectors.
        hidden_size: The width of the layers below the biaffine form.
        shared: The sizes of the scorers of arcs and labels, see `SharedSizes`.

    Source: see `PairNet`.
    """

    def __init__(self, n_inputs: int, hidden_size: int, **shared: Unpack[SharedSizes]):
        super().__init__(n_inputs)
        self.head = Linear(n_inputs, hidden_size)
        self.dependent = Linear(n_inputs, hidden_size)
        self.pairs = Biaffine(hidden_size, 1)
        self.add_arc_and_label_scorers(n_inputs, **shared)

    def score_parts(self, rows: Tensor, lengths: Tensor, arcs: Tensor) -> Tensor:
        """Score all arcs as parts of trees.

        Args:
            rows: [n_rows, n_inputs], the vectors of each sentence's root and words.
            lengths: int64 [n_sentences], the number of words of each sentence, on the CPU.
            arcs: [n_sentences, size, size], the scores that `score_arcs` returned.

        Returns:
            [n_sentences, size, size], the scores, with dependents in the second dimension;
            IMPOSSIBLE where there is no such arc.
        """
        places = upload(nodes_and_rows(lengths)[1], rows.device)
        dependents, heads = (
            take(self.activate(layer(rows)), places) for layer in (self.dependent, self.head)
        )
        scores = self.pairs(dependents, heads)[:, 0] + self.weigh(arcs)
        return scores.masked_fill(arcs < IMPOSSIBLE / 2, IMPOSSIBLE)
