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
    """Operations on the CPU that multiply matrices with `linear`.

    thinc multiplies with BLIS, which does not use the wide vectors of processors that it does not
    know, and is several times slower there. Torch also respects its number of threads, which numpy
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
            out: float32 [n, m], the array for the result; None to allocate it.
            trans1: Whether to transpose x.
            trans2: Whether to transpose y.

        Returns:
            float32 [n, m], the product.
        """
        left, right = torch.from_numpy(x), torch.from_numpy(y)
        # The first dimension is that of words, also in the backward pass.
        with threads_for(len(x)):
            weights = right if trans2 else right.T
            # The gradient of weights is a sum over words, and oneDNN would compile code for each
            # number of words.
            product = nn.functional.linear(left.T, weights) if trans1 else linear(left, weights)
            found = product.numpy()
        if out is None:
            return found
        out[...] = found
        return out
