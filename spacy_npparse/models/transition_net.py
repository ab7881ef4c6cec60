"""The torch network of parsers with greedy or beam search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from spacy_npparse.decoding import RollOut, ScoreTables, Violations
from spacy_npparse.models.parser_net import ParserNet, SharedSizes
from spacy_npparse.models.products import Linear, linear
from spacy_npparse.models.upload import upload

if TYPE_CHECKING:
    from typing_extensions import Unpack


class TransitionNet(ParserNet):
    """A scorer of transitions by the words at a few positions and the arcs between them.

    The hidden layer is linear in each word before the activation, so each word is projected only
    once for each position, whatever the number of configurations.

    Args:
        n_inputs: The width of the token vectors.
        hidden_size: The width of the hidden layer.
        n_positions: The number of positions of a configuration that are features (s2, s1, s0, b0
            …).
        n_candidate_arcs: The number of arcs between them that are features.
        n_transitions: The number of transitions of the system.
        shared: The sizes of the scorers of arcs and labels, see `SharedSizes`.

    Source: Kiperwasser and Goldberg (2016) for the features; Chen and Manning (2014) for the
    precomputation.
    """

    def __init__(
        self,
        n_inputs: int,
        hidden_size: int,
        *,
        n_positions: int,
        n_candidate_arcs: int,
        n_transitions: int,
        **shared: Unpack[SharedSizes],
    ):
        super().__init__(n_inputs)
        self.n_positions = n_positions
        self.projection = Linear(n_inputs, n_positions * hidden_size, bias=False)
        self.padding = nn.Parameter(torch.zeros(n_positions, hidden_size))
        self.hidden_bias = nn.Parameter(torch.zeros(hidden_size))
        self.arc_weights = nn.Parameter(torch.randn(n_candidate_arcs, hidden_size) * 0.1)
        self.output = Linear(hidden_size, n_transitions)
        self.add_arc_and_label_scorers(n_inputs, **shared)

    def project(self, rows: Tensor) -> Tensor:
        """Precompute the contribution of each row to the hidden layer at each position.

        Args:
            rows: [n_rows, n_inputs], the vectors of each sentence's root and words.

        Returns:
            [n_rows + 1, n_positions, hidden_size], the contributions. The last row is padding for
            positions without a word. The bias of the hidden layer is part of the first position.
        """
        bias = torch.zeros_like(self.padding)
        bias[0] = self.hidden_bias
        projected = linear(rows, self.projection.weight, bias.flatten())
        shape = (self.n_positions, len(self.hidden_bias))
        return torch.cat([projected.unflatten(1, shape), (self.padding + bias)[None]])

    def tables(self, table: Tensor, arcs: Tensor) -> ScoreTables:
        """Convert the scorer to arrays for the kernel, detached and on the CPU.

        Args:
            table: The contributions that `project` returned.
            arcs: [n_sentences, size, size], the scores that `score_arcs` returned.

        Returns:
            The tables by which the kernel scores transitions.
        """
        parts = (
            table,
            _as_feature(arcs),
            self.arc_weights,
            self.output.weight,
            self.output.bias,
        )
        return ScoreTables(*(part.contiguous().numpy(force=True) for part in parts))

    def score(self, table: Tensor, arcs: Tensor, visited: RollOut | Violations) -> Tensor:
        """Score all transitions in the configurations visited.

        Args:
            table: The contributions that `project` returned.
            arcs: [n_sentences, size, size], the scores that `score_arcs` returned.
            visited: The configurations.

        Returns:
            [n_states, n_transitions], the scores.
        """
        states = upload(visited.states, table.device).long()
        hidden = table[states, torch.arange(self.n_positions, device=table.device)].sum(dim=1)
        cells = upload(visited.arcs, table.device)
        features = _as_feature(arcs).flatten()[cells.clamp(min=0)] * (cells >= 0)
        return self.output(self.activate(hidden + features @ self.arc_weights))


def _as_feature(log_probabilities: Tensor) -> Tensor:
    """Clamp log-probabilities from below, and scale them to [-1, 1]."""
    return log_probabilities.clamp(min=-8.0) / 4.0 + 1.0
