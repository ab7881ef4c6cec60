import numpy as np
from numpy.typing import NDArray

from spacy_npparse.decoding.mh.types import ArcMarginals, MHDerivations, MHFactors, MHScores

def decode_mh(
    scores: MHScores,
    lengths: NDArray[np.int32],
    n_heads: int,
    single_root: bool = True,
) -> MHDerivations: ...
def decode_mh_greedily(
    factors: MHFactors,
    lengths: NDArray[np.int32],
    n_heads: int,
    single_root: bool = True,
) -> MHDerivations: ...
def mh_marginals(
    scores: MHScores,
    lengths: NDArray[np.int32],
    n_heads: int,
    single_root: bool = True,
) -> ArcMarginals: ...
