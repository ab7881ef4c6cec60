"""Tests of how batches are split into parts."""

import math
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from parser_helpers import FAMILIES

from spacy_npparse.parsing import SentenceBatch
from spacy_npparse.parsing import batch as module


def batch(lengths):
    n_words = sum(lengths)
    return SentenceBatch(np.arange(n_words), np.array(lengths, dtype=np.int32), n_words)


@given(st.lists(st.integers(1, 2000), max_size=40))
def test_parts_hold_every_sentence_once_and_few_arcs(lengths):
    parts = list(batch(lengths).parts())
    assert [sum(part[i] for part in parts) for i in range(len(lengths))] == [1] * len(lengths)
    for part in parts:
        longest = max(n for n, chosen in zip(lengths, part, strict=True) if chosen)
        assert part.sum() == 1 or part.sum() * (longest + 1) ** 2 <= module.MAX_ARCS


def test_sentences_of_one_length_are_one_part():
    assert len(list(batch([20] * 128).parts())) == 1


@pytest.mark.parametrize(
    "memory, n_arcs", [(2**30, 2**17), (2**31, 2**17), (2**34, 2**20), (80 * 2**30, 80 * 2**16)]
)
def test_parts_grow_with_the_memory_of_a_gpu(monkeypatch, memory, n_arcs):
    properties = SimpleNamespace(total_memory=memory)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: properties)
    assert module.max_arcs(torch.device("cuda", 0)) == n_arcs
    assert module.max_arcs(torch.device("cpu")) == 2**17
    monkeypatch.setattr(module, "get_torch_default_device", lambda: torch.device("cuda", 0))
    n_parts = len(list(batch([127] * 80).parts()))
    assert n_parts == math.ceil(80 * 2**14 / n_arcs)


@pytest.mark.parametrize("system", FAMILIES)
def test_no_constant_is_made_for_each_batch(shared, sample, system, monkeypatch):
    """A constant would be copied to the GPU for each batch."""
    nlp = shared(system)
    docs = [eg.predicted for eg in sample(nlp, limit=5)]
    with monkeypatch.context() as patch:
        patch.setattr(torch, "tensor", mock.Mock(side_effect=AssertionError("a constant")))
        nlp.get_pipe("parser").predict(docs)


@pytest.mark.parametrize("system", FAMILIES)
def test_trees_do_not_depend_on_the_parts(shared, sample, system, monkeypatch):
    nlp = shared(system)
    parser = nlp.get_pipe("parser")
    docs = [eg.predicted for eg in sample(nlp, limit=20)]
    together = parser.predict(docs)
    monkeypatch.setattr(module, "MAX_ARCS", 1)
    for one, other in zip(together, parser.predict(docs), strict=True):
        assert (one.arcs == other.arcs).all()
