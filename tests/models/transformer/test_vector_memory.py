"""What is remembered is what was given, as far as there is room."""

import errno
import os
import pickle
from copy import deepcopy

import numpy as np
import pytest

from spacy_npparse.models.transformer import memory
from spacy_npparse.models.transformer.memory import VectorMemory

SHAPE = (2, 3)


def passages(n):
    rng = np.random.default_rng(0)
    made = [("word ",) * size + (str(i),) for i, size in enumerate(rng.integers(0, 9, size=n))]
    return {one: rng.normal(size=(len(one), *SHAPE)).astype(np.float16) for one in made}


def test_vectors_are_found_again(monkeypatch):
    # Files of 10 words; the longest passages have one of their own.
    monkeypatch.setattr(memory, "FILE_SIZE", 10 * 6 * 2)
    found = VectorMemory()
    kept = passages(40) | {("w",) * 33: np.ones((33, *SHAPE), dtype=np.float16)}
    for passage, vectors in kept.items():
        assert found.get(passage) is None
        found.add(passage, vectors)
    assert len(found) == 41
    for passage, vectors in kept.items():
        assert np.array_equal(found.get(passage), vectors)
    found.forget()
    assert len(found) == 0 and found.get(next(iter(kept))) is None


def test_a_limit(monkeypatch):
    monkeypatch.setattr(memory, "FILE_SIZE", 10 * 6 * 2)
    found = VectorMemory(most_bytes=30 * 6 * 2)
    kept = passages(40)
    for passage, vectors in kept.items():
        found.add(passage, vectors)
    assert 3 < len(found) < 20
    remembered = [passage for passage in kept if found.get(passage) is not None]
    assert 15 < sum(map(len, remembered)) <= 30
    for passage in remembered:
        assert np.array_equal(found.get(passage), kept[passage])


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="the system reserves no room")
def test_a_full_disk(monkeypatch, caplog):
    """Writing to a memory map that the disk has no room for would kill the process."""
    monkeypatch.setattr(memory, "FILE_SIZE", 10 * 6 * 2)
    found = VectorMemory()
    kept = list(passages(40).items())
    found.add(*kept[0])

    def reserve(*about):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", reserve)
    for passage, vectors in kept[1:]:
        found.add(passage, vectors)
    assert 1 <= len(found) < 10 and np.array_equal(found.get(kept[0][0]), kept[0][1])
    [message] = caplog.messages
    assert "No space left on device" in message and "TMPDIR" in message


def test_predictions_outside_a_training(monkeypatch):
    monkeypatch.setattr(memory, "MOST_PREDICTED", 5)
    found = VectorMemory()
    kept = list(passages(40).items())
    assert not found.takes_predicted
    for passage, vectors in kept[:8]:
        found.add(passage, vectors)
    for passage, vectors in kept[8:]:
        if found.takes_predicted:
            found.add(passage, vectors, predicted=True)
    assert len(found) == 8 + 8


def test_copies_are_empty():
    found = VectorMemory()
    for passage, vectors in passages(2).items():
        found.add(passage, vectors)
    assert len(deepcopy(found)) == len(pickle.loads(pickle.dumps(found))) == 0
