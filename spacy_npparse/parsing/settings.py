"""Settings of searches, checked when they are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from spacy_npparse.checks import MOST_ROWS, check_range
from spacy_npparse.decoding import Exploration

TreeLoss: TypeAlias = Literal["log-likelihood", "margin"]
TransitionLoss: TypeAlias = Literal["log-likelihood", "margin", "max-violation"]
MHFeatures: TypeAlias = Literal["hybrid", "two"]
Encoding: TypeAlias = Literal["head", "path", "head+path"]

# The loss of a whole derivation that the beam prefers to the gold one.
MAX_VIOLATION: TransitionLoss = "max-violation"


@dataclass(frozen=True)
class ConfidenceSettings:
    """What exact search can be asked for.

    Attributes:
        confidence: Keep the probabilities of the head of each word and of its label, given the
            head, in `token._.head_probability` and `token._.label_probability`, and the most
            probable heads, in `token._.head_distribution`. For spanning trees, MH3 and MH4 with
            exact search, that of a head is the marginal probability; for other parsers, it is that
            among all words (see `Search.head_probabilities`). For a word that was lifted
            (pseudo-projective parsing), they are those of the lifted arc.
    """

    confidence: bool = False

    @property
    def n_trees(self) -> int:
        """How many trees of each sentence have to be found."""
        return 1

    @property
    def keeps_trees(self) -> bool:
        """Whether all trees found are kept, in `doc._.k_best_trees`."""
        return False


@dataclass(frozen=True)
class DecoderSettings(ConfidenceSettings):
    """How trees are searched for.

    Attributes:
        beam_width: Configurations on the beam, each with its best derivation; 1 is greedy search.
        k_best: At most so many trees of each sentence are kept, with their scores, in
            `doc._.k_best_trees`; 0 for none. It takes a beam to find several.
    """

    beam_width: int = 1
    k_best: int = 0

    def __post_init__(self) -> None:
        check_range("decoder.beam_width", self.beam_width)
        check_range("decoder.k_best", self.k_best, least=0)

    @property
    def n_trees(self) -> int:
        return max(1, self.k_best)

    @property
    def keeps_trees(self) -> bool:
        return self.k_best > 0


@dataclass(frozen=True)
class ExplorationSettings(Exploration):
    """The exploration policy of roll-outs, and when it begins. A beam that is trained needs none.

    Attributes:
        warm_up: Updates before the first exploration.
    """

    warm_up: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range("exploration.warm_up", self.warm_up, least=0, most=MOST_ROWS)


@dataclass(frozen=True)
class TransitionSettings:
    """How transition-based search proceeds, and how it is trained.

    Attributes:
        oracle: Name of an oracle of the transition system.
        loss: "log-likelihood" or "margin" of the transitions in the configurations of a roll-out,
            or "max-violation" of derivations on the beam.
        exploration: How roll-outs leave the oracle's path.
        decoder: How trees are searched for.
    """

    oracle: str
    loss: TransitionLoss
    exploration: ExplorationSettings
    decoder: DecoderSettings

    def exploration_at(self, n_updates: int) -> Exploration | None:
        """The exploration policy after a number of updates, None for none."""
        return self.exploration if n_updates >= self.exploration.warm_up else None
