"""The torch network of parsers that search greedily or with a beam."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from spacy_npparse.decoding import RollOut, ScoreTables, Violations
from spacy_npparse.models.parser_net import ParserNet, SharedSizes
from spacy_npparse.models.products import Linear, linear

if TYPE_CHECKING:
    from typing_extensions import Unpack


class TransitionNet(ParserNet):
    """Scores transitions by the words at a few positions and the arcs between them.

    The hidden layer is linear in each of its words before the activation, so that a word is
    projected once per position, whatever the number of configurations it takes part in.

    Args:
        n_inputs: Width of the token vectors.
        hidden_size: Units of the hidden layer.
        n_positions: Positions of a configuration that are looked at (s2, s1, s0, b0 …).
        n_candidate_arcs: Arcs between them that are looked at.
        n_transitions: Transitions of the system.
        shared: See `SharedSizes`.

    Source: the feature function of Kiperwasser and Goldberg (2016); precomputation as in Chen and
        Manning (2014).
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
        """Precompute what each row adds to the hidden layer at each position.

        Args:
            rows: As in `score_arcs`.

        Returns:
            [n_rows + 1, n_positions, hidden_size]. The last row is the padding, for positions where
            a configuration has no word; the bias of the hidden layer is part of the first
            position.
        """
        bias = torch.zeros_like(self.padding)
        bias[0] = self.hidden_bias
        projected = linear(rows, self.projection.weight, bias.flatten())
        shape = (self.n_positions, len(self.hidden_bias))
        return torch.cat([projected.unflatten(1, shape), (self.padding + bias)[None]])

    def tables(self, table: Tensor, arcs: Tensor) -> ScoreTables:
        """The scorer as the kernel takes it, detached and on the CPU.

        Args:
            table: What `project` returns.
            arcs: What `score_arcs` returns.

        Returns:
            What the kernel scores transitions by.
        """
        parts = (
            table,
            _as_feature(arcs),
            self.arc_weights,
            self.output.weight,
            self.output.bias,
        )
        return ScoreTables(*(part.detach().cpu().contiguous().numpy() for part in parts))

    def score(self, table: Tensor, arcs: Tensor, visited: RollOut | Violations) -> Tensor:
        """Score all transitions in the configurations visited.

        Args:
            table: What `project` returns.
            arcs: What `score_arcs` returns.
            visited: The configurations.

        Returns:
            [n_states, n_transitions].
        """
        states = torch.from_numpy(visited.states).to(table.device).long()
        hidden = table[states, torch.arange(self.n_positions, device=table.device)].sum(dim=1)
        cells = torch.from_numpy(visited.arcs).to(table.device)
        features = _as_feature(arcs).flatten()[cells.clamp(min=0)] * (cells >= 0)
        return self.output(self.dropout(torch.relu(hidden + features @ self.arc_weights)))


def _as_feature(log_probabilities: Tensor) -> Tensor:
    """Log-probabilities, clamped from below and scaled to [-1, 1]."""
    return log_probabilities.clamp(min=-8.0) / 4.0 + 1.0
