"""The torch network of MH3 and MH4 with exact search."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor, nn

from spacy_npparse.decoding import IMPOSSIBLE, MHDerivations, MHFactors, MHScores
from spacy_npparse.decoding.mh.types import N_LINKS
from spacy_npparse.models.pair_net import Biaffine, PairNet, as_array
from spacy_npparse.models.parser_net import SharedSizes, take
from spacy_npparse.models.products import Linear
from spacy_npparse.models.upload import upload

if TYPE_CHECKING:
    from typing_extensions import Unpack


class MHPartScores(NamedTuple):
    """The scores of parts of derivations; see `spacy_npparse.decoding.MHScores`. Nodes are the
    root, the words and the end of the sentence, size + 1 in total.

    Attributes:
        shift: [n_sentences, size + 1, size + 1], the scores of SHIFT by s0 and b0.
        below: [n_sentences, N_LINKS, size + 1, size + 1], the scores of links by s1 and s0.
        front: [n_sentences, N_LINKS, size + 1, size + 1], the scores of links by s0 and b0.
        arcs: [n_sentences, size + 1, size + 1], the score of the arc that a link adds, by head and
            dependent.
    """

    shift: Tensor
    below: Tensor
    front: Tensor
    arcs: Tensor

    def add_to_arcs(self, more: Tensor) -> MHPartScores:
        """Add a number to the score of each arc.

        Args:
            more: [n_sentences, size, size], the numbers to add, with dependents in the second
                dimension.

        Returns:
            The new scores.
        """
        return self._replace(arcs=self.arcs + _by_head(more))

    def as_arrays(self) -> MHScores:
        """Convert the scores to arrays for the kernel, detached and on the CPU."""
        return MHScores(*map(as_array, self))

    def look_up(self, sentence: Tensor, nodes: Tensor) -> tuple[Tensor, Tensor]:
        """Look up the scores of configurations.

        Args:
            sentence: int64 [n], the sentence of each configuration.
            nodes: int64 [3, n], the nodes s1, s0 and b0 of each configuration.

        Returns:
            [n], the scores of SHIFT; and [n, N_LINKS], the scores of links without their arcs.
        """
        s1, s0, b0 = nodes
        links = self.below[sentence, :, s1, s0] + self.front[sentence, :, s0, b0]
        return self.shift[sentence, s0, b0], links


class MHPartFactors(NamedTuple):
    """Factors whose products are the scores of `MHPartScores`, for sentences that are too long for
    those; see `spacy_npparse.decoding.MHFactors`.

    Attributes:
        before_b0: [n_nodes, 1 + N_LINKS, hidden_size + 1], the factors of s0 in scores by s0 and
            b0.
        b0: [n_nodes, hidden_size + 1], the factors of b0.
        before_s0: [n_nodes, N_LINKS, hidden_size + 1], the factors of s1 in scores by s1 and s0.
        s0: [n_nodes, hidden_size + 1], the factors of s0 in scores by s1 and s0.
        arcs: [n_sentences, size, size], the scores of arcs, by head and dependent.
        first_nodes: int64 [n_sentences], the node of each sentence's root.
    """

    before_b0: Tensor
    b0: Tensor
    before_s0: Tensor
    s0: Tensor
    arcs: Tensor
    first_nodes: Tensor

    def as_arrays(self) -> MHFactors:
        """Convert the factors to arrays for the kernel, detached and on the CPU."""
        before_b0, b0, before_s0, s0 = map(as_array, self[:4])
        return MHFactors(before_b0, b0, before_s0, s0, self.arcs.detach().cpu().numpy())

    def look_up(self, sentence: Tensor, nodes: Tensor) -> tuple[Tensor, Tensor]:
        """Look up the scores of configurations, like `MHPartScores.look_up`."""
        s1, s0, b0 = nodes + self.first_nodes[sentence]
        before_b0 = torch.einsum("ntk,nk->nt", self.before_b0[s0], self.b0[b0])
        below = torch.einsum("ntk,nk->nt", self.before_s0[s1], self.s0[s0])
        return before_b0[:, 0], before_b0[:, 1:] + below


class MHNet(PairNet):
    """A scorer of transitions by pairs of nodes: all by s0 and b0, and links by s1 and s0 as well.

    Args:
        n_inputs: The width of the token vectors.
        hidden_size: The width of the layers below the biaffine forms.
        hybrid: Whether to score links by s1 and s0 as well.
        shared: The sizes of the scorers of arcs and labels, see `SharedSizes`.

    Source: Gómez-Rodríguez, Shi and Lee (2018, section 4.2), the feature sets "two" and "hybrid";
    see `PairNet`.
    """

    def __init__(
        self, n_inputs: int, hidden_size: int, *, hybrid: bool, **shared: Unpack[SharedSizes]
    ):
        super().__init__(n_inputs)
        self.end = nn.Parameter(torch.empty(n_inputs).uniform_(-0.1, 0.1))
        self.s1 = Linear(n_inputs, hidden_size) if hybrid else None
        self.s0 = Linear(n_inputs, hidden_size)
        self.b0 = Linear(n_inputs, hidden_size)
        self.shift_pairs = Biaffine(hidden_size, 1)
        self.front_pairs = Biaffine(hidden_size, N_LINKS)
        self.below_pairs = Biaffine(hidden_size, N_LINKS) if hybrid else None
        self.add_arc_and_label_scorers(n_inputs, **shared)

    def score_parts(self, rows: Tensor, lengths: Tensor, arcs: Tensor) -> MHPartScores:
        """Score all pairs of nodes of all sentences.

        Args:
            rows: [n_rows, n_inputs], the vectors of each sentence's root and words.
            lengths: int64 [n_sentences], the number of words of each sentence, on the CPU.
            arcs: [n_sentences, size, size], the scores that `score_arcs` returned.

        Returns:
            The scores of all parts.
        """
        nodes = torch.arange(int(lengths.max()) + 2)
        roots = torch.cumsum(lengths + 1, dim=0) - (lengths + 1)
        places = roots[:, None] + nodes
        places = upload(torch.where(nodes > lengths[:, None], len(rows), places), rows.device)
        s1, s0, b0 = (take(hidden, places) for hidden in self._hidden(rows))
        front = self.front_pairs(s0, b0)
        hybrid = self.below_pairs
        below = torch.zeros_like(front) if hybrid is None else hybrid(s1, s0)
        return MHPartScores(
            self.shift_pairs(s0, b0)[:, 0], below, front, _by_head(self.weigh(arcs))
        )

    def factor_parts(self, rows: Tensor, lengths: Tensor, arcs: Tensor) -> MHPartFactors:
        """Factor the scores of all pairs of nodes of all sentences.

        Args:
            rows: [n_rows, n_inputs], the vectors of each sentence's root and words.
            lengths: int64 [n_sentences], the number of words of each sentence, on the CPU.
            arcs: [n_sentences, size, size], the scores that `score_arcs` returned.

        Returns:
            The factors.
        """
        sentence = torch.repeat_interleave(lengths + 2)
        first_nodes = torch.cumsum(lengths + 2, dim=0) - (lengths + 2)
        nodes = torch.arange(len(sentence))
        is_end = nodes - first_nodes[sentence] > lengths[sentence]
        places = upload(torch.where(is_end, len(rows), nodes - sentence), rows.device)
        s1, s0, b0 = (hidden[places] for hidden in self._hidden(rows))
        of_shift, with_b0 = self.shift_pairs.factors(s0, b0)
        of_front, _ = self.front_pairs.factors(s0, b0)
        if self.below_pairs is None:
            before_s0, with_s0 = of_front[..., :0], with_b0[..., :0]
        else:
            before_s0, with_s0 = self.below_pairs.factors(s1, s0)
        before_b0 = torch.cat([of_shift, of_front], dim=1)
        by_head, device = self.weigh(arcs).mT, rows.device
        return MHPartFactors(
            before_b0, with_b0, before_s0, with_s0, by_head, upload(first_nodes, device)
        )

    def _hidden(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Compute the hidden layers of all rows and, last, of the end of a sentence, as s1, s0 and
        b0."""
        rows = torch.cat([rows, self.end[None]])
        s0, b0 = (self.activate(layer(rows)) for layer in (self.s0, self.b0))
        # Without hybrid features, s1 is not used.
        s1 = s0 if self.s1 is None else self.activate(self.s1(rows))
        return s1, s0, b0

    def score_derivations(
        self, scores: MHPartScores | MHPartFactors, lengths: Tensor, found: MHDerivations
    ) -> Tensor:
        """Score all transitions in each configuration of some derivations.

        Args:
            scores: The scores of the sentences, or their factors.
            lengths: int64 [n_sentences], the number of words of each sentence, on the CPU.
            found: The derivations.

        Returns:
            [2 * n_words, 1 + N_LINKS], the scores, IMPOSSIBLE for illegal transitions.
        """
        sentence = torch.repeat_interleave(2 * lengths)
        s2, s1, s0, b0 = torch.from_numpy(found.nodes).long().T
        heads = torch.stack([b0, s1, s0, s2, b0, s2], dim=1)
        dependents = torch.stack([s0, s0, s1, s1, s1, s0], dim=1)
        end = (lengths + 1)[sentence]
        last = (b0 == end) & (s1 == 0)
        legal = (dependents > 0) & (heads < end[:, None]) & ((heads > 0) | last[:, None])
        legal &= heads >= 0
        # The end of the sentence has no arcs.
        heads = heads.clamp(0, scores.arcs.shape[1] - 1)
        nodes = torch.stack([s1.clamp(min=0), s0, b0])
        sentence, nodes, heads, dependents, illegal, at_end = (
            upload(one, scores.arcs.device)
            for one in (sentence, nodes, heads, dependents.clamp(min=0), ~legal, b0 == end)
        )
        shift, links = scores.look_up(sentence, nodes)
        links = links + scores.arcs[sentence[:, None], heads, dependents]
        shift = shift.masked_fill(at_end, IMPOSSIBLE)
        return torch.cat([shift[:, None], links.masked_fill(illegal, IMPOSSIBLE)], dim=1)


def _by_head(arcs: Tensor) -> Tensor:
    """Arrange scores of arcs by head and dependent, and add the end of the sentence to the
    nodes."""
    return nn.functional.pad(arcs.mT, (0, 1, 0, 1))
