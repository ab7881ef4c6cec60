import numpy as np
from numpy.typing import NDArray

from spacy_npparse.decoding.transition_based.scoring import Scorer
from spacy_npparse.decoding.transition_based.types import BeamResult, Explanation, ScoreTables
from spacy_npparse.transitions.system import KernelOracle, KernelSystem

class Beam:
    def __init__(
        self,
        system: KernelSystem,
        scorer: Scorer,
        width: int,
        normalised: bool,
        oracle: KernelOracle | None = None,
        right_only: bool = False,
        margin: float = 0.0,
    ) -> None: ...

def decode_beam(
    system: KernelSystem,
    tables: ScoreTables,
    lengths: NDArray[np.int32],
    width: int,
    normalised: bool = True,
) -> BeamResult: ...
def explain(
    system: KernelSystem,
    tables: ScoreTables,
    n_words: int,
    width: int,
    normalised: bool = True,
) -> Explanation: ...
def score_trees(
    system: KernelSystem,
    tables: ScoreTables,
    heads: NDArray[np.int32],
    normalised: bool = True,
) -> NDArray[np.float64]: ...
