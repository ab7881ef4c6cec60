"""What the tests of pretrained encoders share."""

import pytest
import torch

from spacy_npparse.models.transformer import frozen


@pytest.fixture(autouse=True)
def exact_numbers(monkeypatch):
    """The numbers of every machine."""
    monkeypatch.setattr(frozen, "fast_dtype", lambda device: torch.float32)
