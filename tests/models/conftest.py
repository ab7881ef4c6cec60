"""What the tests of networks share."""

import pytest
import torch


@pytest.fixture
def sizes():
    """Of small networks."""
    return dict(n_inputs=10, n_labels=3, hidden_size=8, arc_size=6, label_size=5, dropout=0.0)


@pytest.fixture
def rows(request):
    """Random vectors of sentences, whose LENGTHS the module gives, and of their roots."""
    lengths = torch.as_tensor(request.module.LENGTHS)
    return torch.randn(int(lengths.sum()) + len(lengths), 10)
