import numpy as np
from numpy.typing import NDArray

from spacy_npparse.decoding.transition_based.exploration import Exploration
from spacy_npparse.decoding.transition_based.types import RollOut, ScoreTables
from spacy_npparse.transitions.system import KernelSystem

def roll_out(
    system: KernelSystem,
    oracle_name: str,
    tables: ScoreTables,
    lengths: NDArray[np.int32],
    heads: NDArray[np.int32],
    exploration: Exploration | None,
    seed: int,
) -> RollOut: ...
