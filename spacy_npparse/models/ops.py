"""Array operations for thinc layers."""

from __future__ import annotations

from typing import Any

import torch
from thinc.api import NumpyOps
from torch import nn

from spacy_npparse.models.forks import ForkSafe
from spacy_npparse.models.products import linear
from spacy_npparse.models.threads import threads_for


class TorchProductOps(ForkSafe, NumpyOps):
    """Operations on the CPU whose matrix products are those of `linear`.

    BLIS, which thinc takes for them, computes on processors that it does not know without their
    wide vectors, several times as slowly. Torch keeps to its number of threads, too, which numpy
    does not know.
    """

    def gemm(
        self,
        x: Any,
        y: Any,
        out: Any = None,
        trans1: bool = False,
        trans2: bool = False,
    ) -> Any:
        """Multiply two matrices.

        Args:
            x: float32 [n, k], or [k, n] if `trans1`.
            y: float32 [k, m], or [m, k] if `trans2`.
            out: float32 [n, m], the array to write to, if any.
            trans1: Transpose x.
            trans2: Transpose y.

        Returns:
            float32 [n, m].
        """
        left, right = torch.from_numpy(x), torch.from_numpy(y)
        # The first dimension is that of the words, in the backward pass as well.
        with torch.no_grad(), threads_for(len(left)):
            weights = right if trans2 else right.T
            # The gradient of weights is a sum over words. oneDNN would compile code for the number
            # of words in each batch.
            product = nn.functional.linear(left.T, weights) if trans1 else linear(left, weights)
            found = product.numpy()
        if out is None:
            return found
        out[...] = found
        return out
