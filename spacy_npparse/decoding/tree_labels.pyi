import numpy as np
from numpy.typing import NDArray

UNBROKEN: float
LEAST_SCORE: float

def best_tree_labels(
    scores: NDArray[np.float32],
    costs: NDArray[np.float32],
    heads: NDArray[np.int32],
    lengths: NDArray[np.int32],
    groups: NDArray[np.int32],
    group_costs: NDArray[np.float32],
    classes: NDArray[np.int32],
    excluded: NDArray[np.float32],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]: ...
