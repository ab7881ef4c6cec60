"""Matrix products of oneDNN, compared with torch."""

from types import SimpleNamespace

import pytest
import torch
from torch.nn import functional

from spacy_npparse.models.products import BLOCK, Linear, find_onednn, linear

OPERATOR = "_linear_pointwise"
HAS_ONEDNN = torch.backends.mkl.is_available() and torch.backends.mkldnn.is_available()


@pytest.mark.parametrize(
    "shape", [(BLOCK, 7), (2 * BLOCK + 3, 7), (5, BLOCK, 7), (3, 7), (7,), (0, 7)]
)
@pytest.mark.parametrize("n_outputs", [1, 5])
@pytest.mark.parametrize("biased", [True, False])
@torch.no_grad()
def test_products_equal_those_of_torch(shape, n_outputs, biased):
    torch.manual_seed(0)
    x, weight = torch.randn(shape), torch.randn(n_outputs, 7)
    bias = torch.randn(n_outputs) if biased else None
    torch.testing.assert_close(linear(x, weight, bias), functional.linear(x, weight, bias))


@torch.no_grad()
def test_matrices_may_be_views_of_others():
    torch.manual_seed(0)
    x, weight = torch.randn(9, 2 * BLOCK).T[::2], torch.randn(9, 4).T
    torch.testing.assert_close(linear(x, weight), x @ weight.T)


@torch.no_grad()
def test_numbers_of_another_type_remain_theirs():
    layer, x = Linear(6, 4).double(), torch.randn(BLOCK, 6, dtype=torch.float64)
    torch.testing.assert_close(layer(x), functional.linear(x, layer.weight, layer.bias))


def test_a_layer_that_learns_has_gradients():
    layer, x = Linear(6, 4), torch.randn(BLOCK, 6)
    layer(x).sum().backward()
    torch.testing.assert_close(layer.weight.grad, x.sum(dim=0).expand(4, 6))


@pytest.fixture
def other_onednn(monkeypatch):
    """Return a function that replaces torch's oneDNN operator."""

    def exchange(operator):
        monkeypatch.setattr(torch.ops.mkldnn, OPERATOR, operator)
        find_onednn.cache_clear()

    yield exchange
    find_onednn.cache_clear()


@pytest.mark.skipif(not HAS_ONEDNN, reason="this torch has no oneDNN")
def test_this_version_of_torch_has_the_product_of_onednn():
    """Without it, predictions would be slower, but no other test would fail."""
    assert find_onednn() is getattr(torch.ops.mkldnn, OPERATOR)


@pytest.mark.parametrize("schema", [None, "mkldnn::_linear_pointwise(Tensor X) -> Tensor Y"])
@torch.no_grad()
def test_a_version_without_it_multiplies_with_torch(schema, other_onednn):
    other_onednn(schema and SimpleNamespace(default=SimpleNamespace(_schema=schema)))
    assert find_onednn() is None
    x, weight = torch.randn(BLOCK, 7), torch.randn(5, 7)
    torch.testing.assert_close(linear(x, weight), functional.linear(x, weight))
