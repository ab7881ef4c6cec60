"""The common part of networks that score trees by pairs of words."""

from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from spacy_npparse.models.parser_net import ParserNet
from spacy_npparse.models.products import linear

ScoresT = TypeVar("ScoresT", bound=Iterable[Tensor])
# A lower bound of the log-probabilities of arcs. All arcs below it are equally bad.
_LOWEST_LOG_PROBABILITY = -8.0


class PairNet(ParserNet):
    """A scorer of pairs of words. The score of an arc is added with a learnt weight.

    Args:
        n_inputs: The width of the token vectors.

    Source: the biaffine scores of the released parser of Gómez-Rodríguez, Shi and Lee (2018). The
    scores of arcs are our addition.
    """

    def __init__(self, n_inputs: int):
        super().__init__(n_inputs)
        self.arc_scale = nn.Parameter(torch.ones(()))

    def weigh(self, arcs: Tensor) -> Tensor:
        """Convert log-probabilities of arcs to their contribution to the scores of trees.

        Args:
            arcs: [n_sentences, size, size], the scores that `score_arcs` returned.

        Returns:
            [n_sentences, size, size], the contributions.
        """
        return arcs.clamp(min=_LOWEST_LOG_PROBABILITY) * self.arc_scale


class Biaffine(nn.Module):
    """A bilinear form with bias, which scores pairs of vectors.

    Args:
        n_inputs: The width of the vectors.
        n_scores: The number of scores of each pair.

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
            left: [batch, n_left, n_inputs], the left vectors.
            right: [batch, n_right, n_inputs], the right vectors.

        Returns:
            [batch, n_scores, n_left, n_right], the scores.
        """
        n_batch, n_left, n_inputs = left.shape
        projected = self._project(left)
        # The last column is multiplied by the bias of the right vectors, which is 1.
        scores = torch.baddbmm(
            projected[..., n_inputs:].flatten(1, 2),
            projected[..., :n_inputs].flatten(1, 2),
            right.mT,
        )
        return scores.view(n_batch, n_left, len(self.weight), -1).transpose(1, 2)

    def factors(self, left: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
        """Compute factors whose products are the scores of pairs.

        Args:
            left: [..., n_left, n_inputs], the left vectors.
            right: [..., n_right, n_inputs], the right vectors.

        Returns:
            [..., n_left, n_scores, n_inputs + 1], the factors of the left vectors; and [...,
            n_right, n_inputs + 1], those of the right ones.
        """
        return self._project(left), nn.functional.pad(right, (0, 1), value=1.0)

    def _project(self, left: Tensor) -> Tensor:
        """Project the left vectors to [..., n_left, n_scores, n_inputs + 1]. One large product
        computes all scores, because a batched product would copy the weights for each sentence."""
        by_input = self.weight.transpose(0, 1).flatten(1)
        projected = linear(left, by_input[:-1].mT, by_input[-1])
        return projected.view(*left.shape[:-1], *self.weight.shape[:2])


def as_array(scores: Tensor) -> NDArray[np.float32]:
    """Convert scores to a contiguous array on the CPU for the kernel."""
    return scores.contiguous().numpy(force=True)


def take_pairs(scores: ScoresT, numbers: Tensor, n_less: int) -> ScoresT:
    """Take the scores of pairs of nodes of some sentences.

    Args:
        scores: A named tuple of scores, [n_sentences, ..., n_nodes, n_nodes] each.
        numbers: int64 [n], the numbers of the sentences.
        n_less: The difference in length between the longest sentence of all and the longest of
            these.

    Returns:
        The scores of pairs in these sentences, [n, ..., n_nodes - n_less, n_nodes - n_less] each.
    """
    made: Callable[..., ScoresT] = type(scores)
    sizes = [part.shape[-1] - n_less for part in scores]
    return made(*(part[..., :n, :n][numbers] for part, n in zip(scores, sizes, strict=True)))
