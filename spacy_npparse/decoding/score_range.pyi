from typing import Final

IMPOSSIBLE: Final[float]
SCORE_LIMIT: Final[float]
