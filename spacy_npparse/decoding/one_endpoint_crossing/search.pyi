import numpy as np
from numpy.typing import NDArray

from spacy_npparse.decoding.one_endpoint_crossing.types import (
    OneEndpointCrossingScores,
    OneEndpointCrossingTrees,
)

def decode_one_endpoint_crossing(
    scores: OneEndpointCrossingScores,
    lengths: NDArray[np.int32],
    single_root: bool = True,
    pruned: NDArray[np.bool_] | None = None,
) -> OneEndpointCrossingTrees: ...
