"""The torch network of MH3 and MH4 with exact search."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor, nn

from spacy_npparse.decoding import IMPOSSIBLE, MHDerivations, MHScores
from spacy_npparse.models.pair_net import Biaffine, PairNet, kernel_scores
from spacy_npparse.models.parser_net import SharedSizes

if TYPE_CHECKING:
    from typing_extensions import Unpack

N_LINKS = 6


class MHPartScores(NamedTuple):
    """What transitions are scored by; see `spacy_npparse.decoding.MHScores`. Nodes are the root,
    the words and the end of the sentence: size + 1 of them.

    Attributes:
        shift: [n_sentences, size + 1, size + 1], of SHIFT by s0 and b0.
        below: [n_sentences, N_LINKS, size + 1, size + 1], of links by s1 and s0.
        front: [n_sentences, N_LINKS, size + 1, size + 1], of links by s0 and b0.
        arcs: [n_sentences, size + 1, size + 1], of the arc that a link builds, by head and
            dependent.
    """

    shift: Tensor
    below: Tensor
    front: Tensor
    arcs: Tensor

    def add_to_arcs(self, more: Tensor) -> MHPartScores:
        """Add to the score of each arc.

        Args:
            more: [n_sentences, size, size], dependents in the second dimension.

        Returns:
            The new scores.
        """
        return self._replace(arcs=self.arcs + _by_head(more))

    def as_arrays(self) -> MHScores:
        """The scores as the kernel takes them, detached and on the CPU."""
        return MHScores(*map(kernel_scores, self))


class MHNet(PairNet):
    """Scores transitions by pairs of nodes: all by s0 and b0, links by s1 and s0 too.

    Args:
        n_inputs: Width of the token vectors.
        hidden_size: Units of the layers below the biaffine forms.
        hybrid: Score links by s1 and s0 too.
        shared: See `SharedSizes`.

    Source: the feature sets "two" and "hybrid" of Gómez-Rodríguez, Shi and Lee (2018, section 4.2);
        see `PairNet`.
    """

    def __init__(
        self, n_inputs: int, hidden_size: int, *, hybrid: bool, **shared: Unpack[SharedSizes]
    ):
        super().__init__(n_inputs)
        self.end = nn.Parameter(torch.empty(n_inputs).uniform_(-0.1, 0.1))
        self.s1 = nn.Linear(n_inputs, hidden_size) if hybrid else None
        self.s0 = nn.Linear(n_inputs, hidden_size)
        self.b0 = nn.Linear(n_inputs, hidden_size)
        self.shift_pairs = Biaffine(hidden_size, 1)
        self.front_pairs = Biaffine(hidden_size, N_LINKS)
        self.below_pairs = Biaffine(hidden_size, N_LINKS) if hybrid else None
        self.add_arc_and_label_scorers(n_inputs, **shared)

    def score_parts(self, rows: Tensor, lengths: Tensor, arcs: Tensor) -> MHPartScores:
        """Score all pairs of nodes of all sentences.

        Args:
            rows: As in `score_arcs`.
            lengths: As in `score_arcs`.
            arcs: What `score_arcs` returns.

        Returns:
            The scores of all parts.
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
        return MHPartScores(
            self.shift_pairs(s0, b0)[:, 0], below, front, _by_head(self.weigh(arcs))
        )

    def score_derivations(
        self, scores: MHPartScores, lengths: Tensor, found: MHDerivations
    ) -> Tensor:
        """Score all transitions in each configuration of some derivations.

        Args:
            scores: Of the sentences.
            lengths: int64 [n_sentences], words of each sentence.
            found: The derivations.

        Returns:
            [2 * n_words, 1 + N_LINKS], IMPOSSIBLE for transitions that are illegal.
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


def _by_head(arcs: Tensor) -> Tensor:
    """Scores of arcs by head and dependent, with the end of the sentence among the nodes."""
    return nn.functional.pad(arcs.mT, (0, 1, 0, 1))
