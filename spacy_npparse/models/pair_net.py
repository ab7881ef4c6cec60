"""What networks share that score trees by pairs of words."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from spacy_npparse.decoding import SCORE_LIMIT
from spacy_npparse.models.parser_net import ParserNet

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
        left = nn.functional.pad(left, (0, 1), value=1.0)
        right = nn.functional.pad(right, (0, 1), value=1.0)
        n_batch, n_left, size = left.shape
        # One large product for all scores: a weight for each sentence would be copied.
        projected = left @ self.weight.transpose(0, 1).reshape(size, -1)
        scores = projected.view(n_batch, -1, size) @ right.mT
        return scores.view(n_batch, n_left, len(self.weight), -1).transpose(1, 2)


def kernel_scores(scores: Tensor) -> NDArray[np.float32]:
    """Detach scores for the kernel: on the CPU, finite and small enough to be summed."""
    finite = scores.detach().nan_to_num(0.0).clamp(-SCORE_LIMIT, SCORE_LIMIT)
    return finite.cpu().contiguous().numpy()
