"""Fixtures for the tests of networks."""

import pytest
import torch


@pytest.fixture
def sizes():
    """Return the sizes of small networks."""
    return dict(
        n_inputs=10,
        n_labels=3,
        hidden_size=8,
        arc_size=6,
        label_size=5,
        dropout=0.0,
        finds_sentences=False,
    )


@pytest.fixture
def rows(request):
    """Return random vectors for the words and roots of sentences with the module's LENGTHS."""
    lengths = torch.as_tensor(request.module.LENGTHS)
    return torch.randn(int(lengths.sum()) + len(lengths), 10)
