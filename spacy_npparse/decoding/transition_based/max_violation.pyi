import numpy as np
from numpy.typing import NDArray

from spacy_npparse.decoding.transition_based.types import ScoreTables, Violations
from spacy_npparse.transitions.system import KernelSystem

def max_violations(
    system: KernelSystem,
    oracle_name: str,
    tables: ScoreTables,
    lengths: NDArray[np.int32],
    heads: NDArray[np.int32],
    width: int,
    margin: float,
) -> Violations: ...
