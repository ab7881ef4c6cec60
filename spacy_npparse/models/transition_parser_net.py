"""The torch network of `spacy_npparse.TransitionParser.v1`."""

import torch
from torch import Tensor, nn

from ..decoding import RollOut, ScoreTables, Violations
from .losses import IMPOSSIBLE


class TransitionParserNet(nn.Module):
    """Scores transitions by the words at a few positions and the arcs between them, and labels by
    the two words of an arc.

    The hidden layers of both are linear in each of their input words before the activation, so
    that a word is projected once per position, whatever the number of states it takes part in.
    All arcs of a sentence are scored at once too: each word chooses its head among the others.

    Args:
        n_inputs: width of the token vectors.
        n_positions: positions of a state that are looked at (s2, s1, s0, b0 …).
        n_candidate_arcs: arcs between them that are looked at.
        n_transitions: transitions of the system.
        n_labels: arc labels, the root's excluded.
        hidden_size, arc_size, label_size, dropout: see
            `spacy_npparse.models.transition_parser.TransitionParserModel`.

    Source: the feature function of Kiperwasser and Goldberg (2016); precomputation as in Chen and
    Manning (2014); the biaffine arc scorer of Dozat and Manning (2017).
    """

    def __init__(
        self,
        n_inputs: int,
        n_positions: int,
        n_candidate_arcs: int,
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
        self.arc_weights = nn.Parameter(torch.randn(n_candidate_arcs, hidden_size) * 0.1)
        self.output = nn.Linear(hidden_size, n_transitions)
        self.arc_head = nn.Linear(n_inputs, arc_size)
        self.arc_dependent = nn.Linear(n_inputs, arc_size)
        self.arc_weight = nn.Parameter(torch.randn(arc_size, arc_size) * 0.5 / arc_size)
        self.arc_bias = nn.Linear(arc_size, 1)
        self.label_head = nn.Linear(n_inputs, label_size)
        self.label_dependent = nn.Linear(n_inputs, label_size)
        self.label_output = nn.Linear(label_size, n_labels)
        self.dropout = nn.Dropout(dropout)

    def with_root(self, vectors: Tensor) -> Tensor:
        """Vectors of all tokens and, last, of the root: [n_tokens + 1, n_inputs]."""
        return torch.cat([vectors, self.root[None]])

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

    def score_arcs(self, rows: Tensor, lengths: Tensor) -> Tensor:
        """Log-probability of each head of each word among all words and the root:
        [n_sentences, size, size], dependents in the second dimension, size = longest sentence + 1.

        rows: [n_rows, n_inputs]; lengths: int64 [n_sentences], words of each sentence.
        """
        nodes = torch.arange(int(lengths.max()) + 1, device=rows.device)
        roots = torch.cumsum(lengths + 1, dim=0) - (lengths + 1)
        places = roots[:, None] + torch.minimum(nodes, lengths[:, None])
        as_head = torch.relu(self.arc_head(rows))
        as_dependent = self.dropout(torch.relu(self.arc_dependent(rows))) @ self.arc_weight
        heads = self.dropout(as_head)[places].mT
        absent = (nodes > lengths[:, None]) * IMPOSSIBLE
        bias = self.arc_bias(as_head)[places].squeeze(2) + absent
        scores = torch.baddbmm(bias[:, None], as_dependent[places], heads)
        scores.diagonal(dim1=1, dim2=2).fill_(IMPOSSIBLE)
        return scores.log_softmax(dim=2)

    def head_selection_loss(self, arcs: Tensor, lengths: Tensor, heads: Tensor) -> Tensor:
        """Sum over words of -log of the probability of the gold head.

        It teaches the encoder about every word and its head, also where a derivation never
        compares the two.

        Args:
            arcs: what `score_arcs` returns.
            lengths: int64 [n_sentences], words of each sentence.
            heads: int64 [n_words], in the sentence, 0 for the root, -1 for unknown.
        """
        sentence = torch.repeat_interleave(lengths)
        word = torch.arange(1, len(heads) + 1, device=heads.device)
        word = word - (torch.cumsum(lengths, dim=0) - lengths)[sentence]
        by_head = arcs[sentence, word]
        return nn.functional.nll_loss(by_head, heads, ignore_index=-1, reduction="sum")

    def tables(self, table: Tensor, arcs: Tensor) -> ScoreTables:
        """What the kernel needs to score transitions, on the CPU. table, arcs: what `project` and
        `score_arcs` return."""
        parts = (
            table,
            _as_feature(arcs),
            self.arc_weights,
            self.output.weight,
            self.output.bias,
        )
        return ScoreTables(*(part.detach().cpu().contiguous().numpy() for part in parts))

    def score(self, table: Tensor, arcs: Tensor, visited: RollOut | Violations) -> Tensor:
        """Scores of all transitions in the states visited: [n_states, n_transitions].

        table, arcs: as in `tables`.
        """
        states = torch.from_numpy(visited.states).to(table.device).long()
        hidden = table[states, torch.arange(self.n_positions, device=table.device)].sum(dim=1)
        cells = torch.from_numpy(visited.arcs).to(table.device)
        features = _as_feature(arcs).flatten()[cells.clamp(min=0)] * (cells >= 0)
        return self.output(self.dropout(torch.relu(hidden + features @ self.arc_weights)))

    def score_labels(self, rows: Tensor, heads: Tensor, dependents: Tensor) -> Tensor:
        """Scores of all labels for some arcs, [n_arcs, n_labels]. heads, dependents: int64
        [n_arcs], rows of the two words."""
        hidden = self.label_head(rows)[heads] + self.label_dependent(rows)[dependents]
        return self.label_output(self.dropout(torch.relu(hidden)))


def _as_feature(log_probabilities: Tensor) -> Tensor:
    """Log-probabilities in [-1, 1]; those below e^-8 count as that."""
    return log_probabilities.clamp(min=-8.0) / 4.0 + 1.0
