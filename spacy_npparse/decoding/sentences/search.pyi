import numpy as np
from numpy.typing import NDArray

from spacy_npparse.decoding.sentences.types import Spans

def score_spans(
    arcs: NDArray[np.float32],
    roots: NDArray[np.float32],
    candidates: NDArray[np.bool_],
    certain: NDArray[np.bool_],
    max_length: int,
) -> Spans: ...
def best_segmentation(log_odds: NDArray[np.float64], spans: Spans) -> NDArray[np.bool_]: ...
