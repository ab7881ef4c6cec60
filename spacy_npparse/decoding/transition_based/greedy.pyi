import numpy as np
from numpy.typing import NDArray

from spacy_npparse.decoding.transition_based.types import GreedyResult, ScoreTables
from spacy_npparse.transitions.system import KernelSystem

def decode_greedy(
    system: KernelSystem, tables: ScoreTables, lengths: NDArray[np.int32]
) -> GreedyResult: ...
