import numpy as np
from numpy.typing import NDArray

from spacy_npparse.decoding.mh.types import ArcMarginals, MHDerivations, MHScores

def decode_mh(
    scores: MHScores,
    lengths: NDArray[np.int32],
    n_heads: int,
    single_root: bool = True,
    max_length: int = ...,
) -> MHDerivations: ...
def mh_marginals(
    scores: MHScores,
    lengths: NDArray[np.int32],
    n_heads: int,
    single_root: bool = True,
) -> ArcMarginals: ...
