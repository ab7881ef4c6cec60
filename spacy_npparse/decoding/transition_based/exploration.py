"""When a roll-out leaves the gold derivation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Exploration:
    """The exploration policy of a roll-out: that of UUparser 2.0, the parser which de Lhoneux,
    Stymne and Nivre (2017) released; their paper does not describe it.

    With an exploring oracle, in each configuration the model's best move of least cost competes
    with its best wrong move. The good one is followed if either of the two only reorders words
    (SWAP), or if it scores higher by more than `margin`. Within the margin the wrong one is
    followed with `probability`; if it scores higher it is followed always, or with `probability`
    as well when `follow_preferred_errors` is off.

    probability: chance to follow a wrong move that scores at most `margin` below the good one.
    margin: in units of the score, zero or more.
    follow_preferred_errors: always follow a wrong move that scores higher than the good one.
    postponement: chance that a non-static oracle puts off a transition that can wait (Kohita, Noji
        and Matsumoto 2017).
    """

    probability: float = 0.1
    margin: float = 1.0
    follow_preferred_errors: bool = True
    postponement: float = 0.5

    def __post_init__(self) -> None:
        for name in ("probability", "postponement"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(
                    f"exploration {name} is {getattr(self, name)}, but must be between 0 and 1"
                )
        if not self.margin >= 0.0:
            raise ValueError(f"exploration margin is {self.margin}, but must be 0 or more")
