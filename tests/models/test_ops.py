"""Matrix products of torch, compared with numpy."""

from itertools import product

import numpy as np
import pytest

from spacy_npparse.models.ops import TorchProductOps


@pytest.mark.parametrize("trans1, trans2, into", list(product([False, True], repeat=3)))
def test_products_equal_those_of_numpy(trans1, trans2, into):
    rng = np.random.default_rng(0)
    x, y = (rng.random(shape, dtype="float32") for shape in ((4, 3), (3, 5)))
    expected = x @ y
    out = np.ones((4, 5), dtype="float32") if into else None
    left = np.ascontiguousarray(x.T) if trans1 else x
    right = np.ascontiguousarray(y.T) if trans2 else y
    found = TorchProductOps().gemm(left, right, out=out, trans1=trans1, trans2=trans2)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert not into or np.shares_memory(found, out)
