"""What an encoder remembers of the passages that it has read."""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np
from numpy.typing import NDArray
from thinc.api import Model, deserialize_attr, serialize_attr

from spacy_npparse.passages import Passage

Halves = NDArray[np.float16]

# Bytes of a file. The system keeps in main memory what there is room for.
FILE_SIZE = 2**26
MOST_BYTES = 2**33


class VectorMemory:
    """Vectors of the words of passages, in temporary files that vanish with the process.

    In training, the same passages are read again and again, in each epoch and each evaluation. Once
    the files are full, passages that are not in them are encoded each time.

    It is no part of what is saved, copied or sent to other processes.

    Args:
        most_bytes: What all files may have together.
    """

    def __init__(self, most_bytes: int = MOST_BYTES):
        self._most_bytes = most_bytes
        self.forget()

    def forget(self) -> None:
        """Forget everything, before the encoder becomes another one."""
        self._process = os.getpid()
        self._vectors: dict[Passage, Halves] = {}
        self._n_bytes = 0
        # What is left of the last file.
        self._room: Halves = np.empty(0, dtype=np.float16)

    def __deepcopy__(self, memo: Any) -> VectorMemory:
        return VectorMemory(self._most_bytes)

    def __reduce__(self) -> tuple[Any, ...]:
        return VectorMemory, (self._most_bytes,)

    def __len__(self) -> int:
        """The number of passages."""
        return len(self._vectors)

    def get(self, passage: Passage) -> Halves | None:
        """The vectors of a passage, if they are remembered.

        Args:
            passage: The passage.

        Returns:
            Of each word, [n_words, n_layers, hidden].
        """
        return self._vectors.get(passage)

    def add(self, passage: Passage, vectors: Halves) -> None:
        """Remember a passage if there is room.

        Args:
            passage: One that is not remembered.
            vectors: Of its words.
        """
        # A forked process has the same files.
        if self._process != os.getpid():
            return
        if vectors.size > len(self._room):
            size = max(FILE_SIZE, vectors.nbytes)
            if self._n_bytes + size > self._most_bytes:
                return
            self._n_bytes += size
            with tempfile.TemporaryFile() as file:
                mapped = np.memmap(file, np.float16, "w+", shape=size // vectors.itemsize)
                # Slices of arrays are made faster.
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
