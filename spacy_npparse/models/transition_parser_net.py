"""The torch network of `spacy_npparse.TransitionParser.v1`."""

import torch
from torch import Tensor, nn


class TransitionParserNet(nn.Module):
    """Scores transitions from the words at a few positions, and labels from the two words of an arc.

    Both hidden layers are linear in each of their input words before the activation, so that every
    word is projected once per position, whatever the number of states it takes part in.

    Args:
        n_inputs: width of the token vectors.
        n_positions: positions of a state that are looked at (s2, s1, s0, b0 …).
        n_transitions: transitions of the system.
        n_labels: arc labels, the root's excluded.
        hidden_size, label_size, dropout: see
            `spacy_npparse.models.transition_parser.TransitionParserModel`.

    Source: the feature function of Kiperwasser and Goldberg (2016); precomputation as in Chen and
    Manning (2014), section 3.2.
    """

    def __init__(
        self,
        n_inputs: int,
        n_positions: int,
        n_transitions: int,
        n_labels: int,
        hidden_size: int,
        label_size: int,
        dropout: float,
    ):
        super().__init__()
        self.n_positions = n_positions
        self.root = nn.Parameter(torch.empty(n_inputs).uniform_(-0.1, 0.1))
        self.projection = nn.Linear(n_inputs, n_positions * hidden_size, bias=False)
        self.padding = nn.Parameter(torch.zeros(n_positions, hidden_size))
        self.hidden_bias = nn.Parameter(torch.zeros(hidden_size))
        self.output = nn.Linear(hidden_size, n_transitions)
        self.label_head = nn.Linear(n_inputs, label_size)
        self.label_dependent = nn.Linear(n_inputs, label_size)
        self.label_output = nn.Linear(label_size, n_labels)
        self.dropout = nn.Dropout(dropout)

    def rows(self, vectors: Tensor, tokens: Tensor) -> Tensor:
        """Vectors of the rows of the sentences, roots included: [n_rows, n_inputs].

        vectors: [n_tokens, n_inputs]; tokens: int64 [n_rows], the token of each row, n_tokens for
        a root.
        """
        return torch.cat([vectors, self.root[None]])[tokens]

    def project(self, rows: Tensor) -> Tensor:
        """What each row adds to the hidden layer at each position: [n_rows + 1, P, H].

        The last row is the padding, for positions where a state has no word; the bias of the
        hidden layer is part of the first position.
        """
        projected = self.projection(rows).view(len(rows), self.n_positions, -1)
        table = torch.cat([projected, self.padding[None]])
        bias = torch.zeros_like(self.padding)
        bias[0] = 1.0
        return table + bias * self.hidden_bias

    def score(self, table: Tensor, states: Tensor) -> Tensor:
        """Scores of all transitions, [n_states, n_transitions]. states: int64 [n_states, P], rows
        of the table at each position."""
        positions = torch.arange(self.n_positions, device=table.device)
        hidden = table[states, positions].sum(dim=1)
        return self.output(self.dropout(torch.relu(hidden)))

    def score_labels(self, rows: Tensor, heads: Tensor, dependents: Tensor) -> Tensor:
        """Scores of all labels for some arcs, [n_arcs, n_labels]. heads, dependents: int64
        [n_arcs], rows of the two words."""
        hidden = self.label_head(rows)[heads] + self.label_dependent(rows)[dependents]
        return self.label_output(self.dropout(torch.relu(hidden)))
