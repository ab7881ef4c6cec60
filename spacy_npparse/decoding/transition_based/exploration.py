"""The exploration policy: when a roll-out leaves the gold derivation."""

from __future__ import annotations

from dataclasses import dataclass

from spacy_npparse.checks import check_range


@dataclass(frozen=True)
class Exploration:
    """The exploration policy of a roll-out.

    In each configuration, with an exploring oracle, the best-scoring transition of minimal cost
    competes with the best-scoring wrong one. The roll-out follows the former if it scores higher by
    more than `margin`, or if either of the two is SWAP and the oracle defines no costs after a
    wrong SWAP (`explores_reordering`). Within the margin, it follows the latter with `probability`.
    If the latter scores higher, it is always followed, or only with `probability` if
    `follow_preferred_errors` is off.

    Attributes:
        probability: The probability of following a wrong transition within the margin.
        margin: The margin of scores, 0 or more.
        follow_preferred_errors: Whether to always follow a wrong transition that scores higher.
        postponement: The probability of postponing a transition if a non-static oracle allows it.

    Source: UUParser, the released parser of de Lhoneux, Stymne and Nivre (2017), whose paper does
    not describe it; Kohita, Noji and Matsumoto (2017) for `postponement`, their non-static oracle.
    """

    probability: float = 0.1
    margin: float = 1.0
    follow_preferred_errors: bool = True
    postponement: float = 0.5

    def __post_init__(self) -> None:
        for name in ("probability", "postponement"):
            check_range(f"exploration.{name}", getattr(self, name), least=0.0, most=1.0)
        check_range("exploration.margin", self.margin, least=0.0)
