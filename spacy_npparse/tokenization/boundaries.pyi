import numpy as np
from numpy.typing import NDArray

class BoundaryNetwork:
    def __init__(
        self,
        inputs: NDArray[np.float32],
        gates: NDArray[np.float32],
        candidates: NDArray[np.float32],
        outputs: NDArray[np.float32],
        bias: NDArray[np.float32],
        window: int,
        allow_spaces: bool,
        no_addresses: frozenset[str],
    ) -> None: ...
    def tokens(
        self, text: str, codes: NDArray[np.uint32], rows: NDArray[np.int32]
    ) -> NDArray[np.int32]: ...
