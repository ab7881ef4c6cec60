"""A cache of the vectors of passages that an encoder has read."""

from __future__ import annotations

import logging
import os
import tempfile
from typing import Any

import numpy as np
from numpy.typing import NDArray
from thinc.api import Model, deserialize_attr, serialize_attr

from spacy_npparse.passages import Passage

logger = logging.getLogger(__name__)
Halves = NDArray[np.float16]

# The size of a file in bytes. The system keeps as much of it in main memory as there is room for.
FILE_SIZE = 2**26
MOST_BYTES = 2**33
# The maximum number of passages that are cached in prediction, unless more are from training.
MOST_PREDICTED = 2000


class VectorMemory:
    """The vectors of words in passages, in temporary files that vanish with the process.

    In training, the same passages are read in each epoch and each evaluation. When the files or the
    folder for temporary files are full, other passages are encoded each time.

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
        self._n_bytes = self._n_predicted = 0
        self._has_room = True
        # The unused rest of the last file.
        self._room: Halves = np.empty(0, dtype=np.float16)

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

    @property
    def takes_predicted(self) -> bool:
        """Whether passages of predictions are cached. This is so in a training, where they are
        those of the evaluations, but not for any number of other texts."""
        n_trained = len(self._vectors) - self._n_predicted
        return 0 < n_trained and self._n_predicted < max(n_trained, MOST_PREDICTED)

    def add(self, passage: Passage, vectors: Halves, *, predicted: bool = False) -> None:
        """Cache the vectors of a passage if there is room.

        Args:
            passage: A passage that is not cached.
            vectors: float16 [n_words, n_layers, hidden], the vectors of its words.
            predicted: Whether the passage is read for a prediction.
        """
        # A forked process shares the files of its parent.
        if self._process != os.getpid():
            return
        if vectors.size > len(self._room) and not self._add_file(max(FILE_SIZE, vectors.nbytes)):
            return
        kept, self._room = np.split(self._room, [vectors.size])
        kept[:] = vectors.ravel()
        self._vectors[passage] = kept.reshape(vectors.shape)
        self._n_predicted += predicted

    def _add_file(self, size: int) -> bool:
        """Make another file. Returns whether there is room for it."""
        if not self._has_room or self._n_bytes + size > self._most_bytes:
            return False
        try:
            with tempfile.TemporaryFile() as file:
                # Writing to a map of a file that the disk has no room for would kill the process.
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file.fileno(), 0, size)
                mapped = np.memmap(file, np.float16, "w+", shape=size // 2)
        except OSError as error:
            self._has_room = False
            logger.warning(
                "%s: %s. Vectors of the pretrained encoder that do not fit there are computed "
                "again in each epoch. To keep them, set TMPDIR to a folder with more room.",
                tempfile.gettempdir(),
                error.strerror or error,
            )
            return False
        self._n_bytes += size
        # Slicing an array is faster than slicing a memory map.
        self._room = np.asarray(mapped)
        return True


@serialize_attr.register(VectorMemory)
def _save(_: VectorMemory, value: VectorMemory, name: str, model: Model) -> bytes:
    return b""


@deserialize_attr.register(VectorMemory)
def _load(default: VectorMemory, value: bytes, name: str, model: Model) -> VectorMemory:
    default.forget()
    return default
