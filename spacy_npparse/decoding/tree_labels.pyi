import numpy as np
from numpy.typing import NDArray

FORBIDDEN: int
LEAST_SCORE: float

def best_tree_labels(
    scores: NDArray[np.float32],
    broken: NDArray[np.uint8],
    heads: NDArray[np.int32],
    lengths: NDArray[np.int32],
    groups: NDArray[np.int32],
    classes: NDArray[np.int32],
    excluded: NDArray[np.uint8],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
