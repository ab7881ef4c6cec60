"""The torch network of `spacy_npparse.TransitionParser.v1`."""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from .losses import IMPOSSIBLE


class TransitionParserNet(nn.Module):
    """Scores transitions by the words at a few positions, and labels by the two words of an arc.

    The hidden layers of both are linear in each of their input words before the activation, so
    that a word is projected once per position, whatever the number of states it takes part in.

    Args:
        n_inputs: width of the token vectors.
        n_positions: positions of a state that are looked at (s2, s1, s0, b0 …).
        n_transitions: transitions of the system.
        n_labels: arc labels, the root's excluded.
        hidden_size, arc_size, label_size, dropout: see
            `spacy_npparse.models.transition_parser.TransitionParserModel`.

    Source: the feature function of Kiperwasser and Goldberg (2016); precomputation as in Chen and
    Manning (2014).
    """

    def __init__(
        self,
        n_inputs: int,
        n_positions: int,
        n_transitions: int,
        n_labels: int,
        hidden_size: int,
        arc_size: int,
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
        self.arc_head = nn.Linear(n_inputs, arc_size)
        self.arc_dependent = nn.Linear(n_inputs, arc_size)
        self.arc_weight = nn.Parameter(torch.randn(arc_size, arc_size) * 0.5 / arc_size)
        self.arc_bias = nn.Linear(arc_size, 1)
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
        bias = torch.zeros_like(self.padding)
        bias[0] = self.hidden_bias
        projected = nn.functional.linear(rows, self.projection.weight, bias.flatten())
        shape = (self.n_positions, len(self.hidden_bias))
        return torch.cat([projected.unflatten(1, shape), (self.padding + bias)[None]])

    def score(self, table: Tensor, states: Tensor) -> Tensor:
        """Scores of all transitions, [n_states, n_transitions]. states: int64 [n_states, P], rows
        of the table at each position."""
        positions = torch.arange(self.n_positions, device=table.device)
        hidden = table[states, positions].sum(dim=1)
        return self.output(self.dropout(torch.relu(hidden)))

    def head_selection_loss(self, rows: Tensor, lengths: Tensor, heads: Tensor) -> Tensor:
        """Sum over words of -log of the probability of the gold head among all words and the root.

        A second objective for the encoder, used in training only: it teaches every word about its
        head, also where a derivation never compares the two.

        Args:
            rows: [n_rows, n_inputs].
            lengths: int64 [n_sentences], words of each sentence.
            heads: int64 [n_words], in the sentence, 0 for the root, -1 for unknown.

        Source: Dozat and Manning (2017), the biaffine arc scorer.
        """
        sizes = (lengths + 1).tolist()
        row_heads = torch.cat([heads.new_full((len(sizes), 1), -1), self._pad(heads, lengths)], 1)
        as_head = self._pad_rows(torch.relu(self.arc_head(rows)), sizes)
        as_dependent = self._pad_rows(torch.relu(self.arc_dependent(rows)), sizes)
        scores = self.dropout(as_dependent) @ self.arc_weight @ self.dropout(as_head).mT
        scores = scores + self.arc_bias(as_head).mT
        longest = torch.arange(scores.shape[1], device=rows.device)
        absent = longest[None, :] > lengths[:, None]
        itself = longest[None, :] == longest[:, None]
        scores = scores.masked_fill(absent[:, None, :] | itself, IMPOSSIBLE)
        return nn.functional.cross_entropy(
            scores.flatten(0, 1), row_heads.flatten(), ignore_index=-1, reduction="sum"
        )

    @staticmethod
    def _pad_rows(rows: Tensor, sizes: list[int]) -> Tensor:
        return pad_sequence(rows.split(sizes), batch_first=True)

    @staticmethod
    def _pad(heads: Tensor, lengths: Tensor) -> Tensor:
        parts = heads.split(lengths.tolist())
        return pad_sequence(parts, batch_first=True, padding_value=-1)

    def score_labels(self, rows: Tensor, heads: Tensor, dependents: Tensor) -> Tensor:
        """Scores of all labels for some arcs, [n_arcs, n_labels]. heads, dependents: int64
        [n_arcs], rows of the two words."""
        hidden = self.label_head(rows)[heads] + self.label_dependent(rows)[dependents]
        return self.label_output(self.dropout(torch.relu(hidden)))
