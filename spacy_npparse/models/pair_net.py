"""What networks share that score trees by pairs of words."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from spacy_npparse.decoding import SCORE_LIMIT
from spacy_npparse.models.parser_net import ParserNet

# Log-probabilities of arcs below count as this one: a hopeless arc is not more so than others.
_LOWEST = -8.0


class PairNet(ParserNet):
    """Scores pairs of words, to which an arc adds its own score, times a weight that is learnt.

    inputs, sizes: see `ParserNet`.

    Source: the biaffine scores of Gómez-Rodríguez, Shi and Lee (2018, section 5); the scores of
    arcs are added here.
    """

    def __init__(self, *inputs: Any, **sizes: Any):
        super().__init__(*inputs, **sizes)
        self.arc_scale = nn.Parameter(torch.ones(()))

    def weigh(self, arcs: Tensor) -> Tensor:
        """What arcs add to the scores of trees. arcs: what `score_arcs` returns."""
        return arcs.clamp(min=_LOWEST) * self.arc_scale


class Biaffine(nn.Module):
    """Scores of pairs of vectors: a bilinear form with bias.

    n_inputs: width of the vectors; n_scores: of each pair.

    Source: Dozat and Manning (2017).
    """

    def __init__(self, n_inputs: int, n_scores: int):
        super().__init__()
        self.weight = nn.Parameter(
            torch.randn(n_scores, n_inputs + 1, n_inputs + 1) * 0.5 / n_inputs
        )

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        """[batch, n_scores, n_left, n_right]. left, right: [batch, n, n_inputs]."""
        left = nn.functional.pad(left, (0, 1), value=1.0)
        right = nn.functional.pad(right, (0, 1), value=1.0)
        n_batch, n_left, size = left.shape
        # One large product for all scores: a weight for each sentence would be copied.
        projected = left @ self.weight.transpose(0, 1).reshape(size, -1)
        scores = projected.view(n_batch, -1, size) @ right.mT
        return scores.view(n_batch, n_left, len(self.weight), -1).transpose(1, 2)


def kernel_scores(scores: Tensor) -> NDArray[np.float32]:
    """Scores on the CPU, all of them numbers that can be added up."""
    limited = scores.detach().nan_to_num(0.0).clamp(-SCORE_LIMIT, SCORE_LIMIT)
    return limited.cpu().contiguous().numpy()
