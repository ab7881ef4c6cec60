import numpy as np
from numpy.typing import NDArray

def decode_spanning_trees(
    arcs: NDArray[np.floating], lengths: NDArray[np.int32]
) -> NDArray[np.int32]: ...
