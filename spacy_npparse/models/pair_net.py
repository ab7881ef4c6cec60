"""What networks share that score trees by pairs of words."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from spacy_npparse.models.parser_net import ParserNet
from spacy_npparse.models.products import linear

# Log-probabilities of arcs are clamped from below: a hopeless arc is as bad as another.
_LOWEST_LOG_PROBABILITY = -8.0


class PairNet(ParserNet):
    """Scores pairs of words; an arc adds its own score, times a learnt weight.

    Args:
        n_inputs: Width of the token vectors.

    Source: the biaffine scores of the released parser of Gómez-Rodríguez, Shi and Lee (2018); the
        scores of arcs are added here.
    """

    def __init__(self, n_inputs: int):
        super().__init__(n_inputs)
        self.arc_scale = nn.Parameter(torch.ones(()))

    def weigh(self, arcs: Tensor) -> Tensor:
        """Turn log-probabilities of arcs into what they add to the scores of trees.

        Args:
            arcs: What `score_arcs` returns.

        Returns:
            The same shape.
        """
        return arcs.clamp(min=_LOWEST_LOG_PROBABILITY) * self.arc_scale


class Biaffine(nn.Module):
    """Scores of pairs of vectors: a bilinear form with bias.

    Args:
        n_inputs: Width of the vectors.
        n_scores: Scores of each pair.

    Source: Dozat and Manning (2017).
    """

    def __init__(self, n_inputs: int, n_scores: int):
        super().__init__()
        self.weight = nn.Parameter(
            torch.randn(n_scores, n_inputs + 1, n_inputs + 1) * 0.5 / n_inputs
        )

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        """Score all pairs.

        Args:
            left: [batch, n_left, n_inputs].
            right: [batch, n_right, n_inputs].

        Returns:
            [batch, n_scores, n_left, n_right].
        """
        n_batch, n_left, n_inputs = left.shape
        projected = self._project(left)
        # The last column is what the bias of the right vectors, 1, is multiplied with.
        scores = torch.baddbmm(
            projected[..., n_inputs:].flatten(1, 2),
            projected[..., :n_inputs].flatten(1, 2),
            right.mT,
        )
        return scores.view(n_batch, n_left, len(self.weight), -1).transpose(1, 2)

    def factors(self, left: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
        """Vectors whose products are the scores of pairs.

        Args:
            left: [..., n_left, n_inputs].
            right: [..., n_right, n_inputs].

        Returns:
            Of the left vectors, [..., n_left, n_scores, n_inputs + 1], and of the right ones,
            [..., n_right, n_inputs + 1].
        """
        return self._project(left), nn.functional.pad(right, (0, 1), value=1.0)

    def _project(self, left: Tensor) -> Tensor:
        """[..., n_left, n_scores, n_inputs + 1]: one large product for all scores, since a weight
        for each sentence would be copied."""
        by_input = self.weight.transpose(0, 1).flatten(1)
        projected = linear(left, by_input[:-1].mT, by_input[-1])
        return projected.unflatten(-1, (len(self.weight), -1))


def as_array(scores: Tensor) -> NDArray[np.float32]:
    """Detach scores for the kernel: on the CPU, contiguous."""
    return scores.detach().cpu().contiguous().numpy()


def take_square(scores: Tensor, numbers: Tensor, n_less: int) -> Tensor:
    """Take the scores of pairs of nodes of some sentences.

    Args:
        scores: [n_sentences, ..., n_nodes, n_nodes].
        numbers: int64 [n], of the sentences.
        n_less: By how many nodes the longest of them is shorter than that of all.

    Returns:
        [n, ..., n_nodes - n_less, n_nodes - n_less].
    """
    size = scores.shape[-1] - n_less
    return scores[..., :size, :size][numbers]
