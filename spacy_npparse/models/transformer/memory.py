"""A cache of the vectors of passages that an encoder has read."""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np
from numpy.typing import NDArray
from thinc.api import Model, deserialize_attr, serialize_attr

from spacy_npparse.passages import Passage

Halves = NDArray[np.float16]

# The size of a file in bytes. The system keeps as much of it in main memory as there is room for.
FILE_SIZE = 2**26
MOST_BYTES = 2**33


class VectorMemory:
    """The vectors of words in passages, in temporary files that vanish with the process.

    In training, the same passages are read in each epoch and each evaluation. When the files are
    full, other passages are encoded each time.

    The cache is not saved, copied or sent to other processes.

    Args:
        most_bytes: The maximum size of all files together.
    """

    def __init__(self, most_bytes: int = MOST_BYTES):
        self._most_bytes = most_bytes
        self.forget()

    def forget(self) -> None:
        """Empty the cache when the encoder changes."""
        self._process = os.getpid()
        self._vectors: dict[Passage, Halves] = {}
        self._n_bytes = 0
        # The unused rest of the last file.
        self._room: Halves = np.empty(0, dtype=np.float16)

    def __deepcopy__(self, memo: Any) -> VectorMemory:
        return VectorMemory(self._most_bytes)

    def __reduce__(self) -> tuple[Any, ...]:
        return VectorMemory, (self._most_bytes,)

    def __len__(self) -> int:
        """The number of passages."""
        return len(self._vectors)

    def get(self, passage: Passage) -> Halves | None:
        """Find the vectors of a passage.

        Args:
            passage: The passage.

        Returns:
            float16 [n_words, n_layers, hidden], the vectors of each word; None if they are not
            cached.
        """
        return self._vectors.get(passage)

    def add(self, passage: Passage, vectors: Halves) -> None:
        """Cache the vectors of a passage if there is room.

        Args:
            passage: A passage that is not cached.
            vectors: float16 [n_words, n_layers, hidden], the vectors of its words.
        """
        # A forked process shares the files of its parent.
        if self._process != os.getpid():
            return
        if vectors.size > len(self._room):
            size = max(FILE_SIZE, vectors.nbytes)
            if self._n_bytes + size > self._most_bytes:
                return
            self._n_bytes += size
            with tempfile.TemporaryFile() as file:
                mapped = np.memmap(file, np.float16, "w+", shape=size // vectors.itemsize)
                # Slicing an array is faster than slicing a memory map.
                self._room = np.asarray(mapped)
        kept, self._room = np.split(self._room, [vectors.size])
        kept[:] = vectors.ravel()
        self._vectors[passage] = kept.reshape(vectors.shape)


@serialize_attr.register(VectorMemory)
def _save(_: VectorMemory, value: VectorMemory, name: str, model: Model) -> bytes:
    return b""


@deserialize_attr.register(VectorMemory)
def _load(default: VectorMemory, value: bytes, name: str, model: Model) -> VectorMemory:
    default.forget()
    return default
