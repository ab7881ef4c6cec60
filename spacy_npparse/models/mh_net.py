"""The torch network of parsers that search exactly, with multi-headed items."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from spacy_npparse.decoding import IMPOSSIBLE, MHDerivations, MHScores
from spacy_npparse.models.pair_net import Biaffine, PairNet, kernel_scores

N_LINKS = 6


class PairScores(NamedTuple):
    """What the scores of transitions are made of; see `spacy_npparse.decoding.MHScores`."""

    shift: Tensor
    below: Tensor
    front: Tensor
    arcs: Tensor


class MHNet(PairNet):
    """Scores transitions by pairs of words: s0 and b0 for all, s1 and s0 for arcs.

    Source: "two" and "hybrid" there, see `PairNet`.
    """

    def add_tree_scorer(self, n_inputs: int, hidden_size: int, *, hybrid: bool) -> None:
        """Add the scorers of pairs.

        hybrid: score s1 and s0 too.
        """
        self.end = nn.Parameter(torch.empty(n_inputs).uniform_(-0.1, 0.1))
        self.s1 = nn.Linear(n_inputs, hidden_size) if hybrid else None
        self.s0 = nn.Linear(n_inputs, hidden_size)
        self.b0 = nn.Linear(n_inputs, hidden_size)
        self.shift_pairs = Biaffine(hidden_size, 1)
        self.front_pairs = Biaffine(hidden_size, N_LINKS)
        self.below_pairs = Biaffine(hidden_size, N_LINKS) if hybrid else None

    def score_pairs(self, rows: Tensor, lengths: Tensor, arcs: Tensor) -> PairScores:
        """Scores of all pairs of nodes of all sentences; nodes are the root, the words and the
        end of the sentence.

        rows, lengths, arcs: as in `score_arcs`, and what that returns.
        """
        nodes = torch.arange(int(lengths.max()) + 2, device=rows.device)
        roots = torch.cumsum(lengths + 1, dim=0) - (lengths + 1)
        places = roots[:, None] + nodes
        places = torch.where(nodes > lengths[:, None], len(rows), places)
        rows = torch.cat([rows, self.end[None]])
        s0, b0 = (self.dropout(torch.relu(layer(rows)))[places] for layer in (self.s0, self.b0))
        front = self.front_pairs(s0, b0)
        if self.s1 is None or self.below_pairs is None:
            below = torch.zeros_like(front)
        else:
            s1 = self.dropout(torch.relu(self.s1(rows)))[places]
            below = self.below_pairs(s1, s0)
        by_head = nn.functional.pad(self.weigh(arcs).mT, (0, 1, 0, 1))
        return PairScores(self.shift_pairs(s0, b0)[:, 0], below, front, by_head)

    def score_derivations(
        self, scores: PairScores, lengths: Tensor, found: MHDerivations
    ) -> Tensor:
        """The scores of all transitions in each configuration of some derivations, very low ones
        for those that are illegal: [2 * n_words, 7].

        scores: of the sentences; lengths: int64 [n_sentences].
        """
        sentence = torch.repeat_interleave(2 * lengths)
        s2, s1, s0, b0 = torch.from_numpy(found.nodes).to(lengths.device).long().T
        heads = torch.stack([b0, s1, s0, s2, b0, s2], dim=1)
        dependents = torch.stack([s0, s0, s1, s1, s1, s0], dim=1)
        end = (lengths + 1)[sentence]
        last = (b0 == end) & (s1 == 0)
        legal = (dependents > 0) & (heads < end[:, None]) & ((heads > 0) | last[:, None])
        legal &= heads >= 0
        arcs = scores.arcs[sentence[:, None], heads.clamp(min=0), dependents.clamp(min=0)]
        below = scores.below[sentence, :, s1.clamp(min=0), s0]
        links = (below + scores.front[sentence, :, s0, b0] + arcs).masked_fill(~legal, IMPOSSIBLE)
        shift = scores.shift[sentence, s0, b0].masked_fill(b0 == end, IMPOSSIBLE)
        return torch.cat([shift[:, None], links], dim=1)


def mh_scores(scores: PairScores) -> MHScores:
    """What the kernel needs, on the CPU."""
    return MHScores(*map(kernel_scores, scores))
