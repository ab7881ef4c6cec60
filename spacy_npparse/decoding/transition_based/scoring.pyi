import numpy as np
from numpy.typing import NDArray

from spacy_npparse.decoding.transition_based.types import ScoreTables
from spacy_npparse.transitions.system import KernelSystem

class Scorer:
    @property
    def n_words(self) -> int: ...
    def __init__(
        self, system: KernelSystem, tables: ScoreTables, lengths: NDArray[np.int32]
    ) -> None: ...
