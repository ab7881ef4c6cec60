import numpy as np
from numpy.typing import NDArray

from spacy_npparse.transitions.system import KernelSystem

def derivable(
    system: KernelSystem, lengths: NDArray[np.int32], heads: NDArray[np.int32]
) -> NDArray[np.bool_]: ...
def derivation_counts(
    system: KernelSystem,
    lengths: NDArray[np.int32],
    heads: NDArray[np.int32],
    oracle_name: str | None = None,
) -> tuple[NDArray[np.bool_], NDArray[np.int32]]: ...
