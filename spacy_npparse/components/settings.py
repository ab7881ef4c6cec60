"""How a parser is trained: oracle, loss and exploration, checked when the component is made."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..decoding import Exploration
from ..models.losses import LOSSES


@dataclass(frozen=True)
class TrainingSettings:
    """Settings of one component.

    oracle: name of an oracle of the transition system.
    loss: "log-likelihood" or "margin".
    exploration: how roll-outs leave the oracle's path.
    warm_up: updates during which they do not.
    """

    oracle: str
    loss: str
    exploration: Exploration
    warm_up: int

    def exploration_at(self, n_updates: int) -> Exploration | None:
        """The policy after a number of updates, None for none."""
        return self.exploration if n_updates >= self.warm_up else None


def make_settings(
    name: str, oracles: Sequence[str], oracle: str, loss: str, exploration: dict[str, Any]
) -> TrainingSettings:
    """Check the settings of component `name`, whose system has certain oracles.

    Raises ValueError naming the wrong setting.
    """
    if oracle not in oracles:
        raise ValueError(
            f"{name}: its transition system has no oracle {oracle!r}; choose one of: "
            f"{', '.join(oracles)}"
        )
    if loss not in LOSSES:
        raise ValueError(f"{name}: unknown loss {loss!r}; choose one of {', '.join(LOSSES)}")
    policy = dict(exploration)
    warm_up = policy.pop("warm_up", 0)
    if not isinstance(warm_up, int) or warm_up < 0:
        raise ValueError(f"{name}: exploration.warm_up must be a number of updates, not {warm_up}")
    try:
        return TrainingSettings(oracle, loss, Exploration(**policy), warm_up)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: exploration: {error}") from error
