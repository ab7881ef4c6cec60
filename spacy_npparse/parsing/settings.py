"""Settings of searches, which are checked when they are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from spacy_npparse.checks import MOST_ROWS, check_range
from spacy_npparse.decoding import Exploration

TreeLoss: TypeAlias = Literal["log-likelihood", "margin"]
TransitionLoss: TypeAlias = Literal["log-likelihood", "margin", "max-violation"]
MHFeatures: TypeAlias = Literal["hybrid", "two"]
Encoding: TypeAlias = Literal["head", "path", "head+path"]

# The loss that compares the gold derivation with whole derivations on the beam.
MAX_VIOLATION: TransitionLoss = "max-violation"


@dataclass(frozen=True)
class ConfidenceSettings:
    """Settings of all searches.

    Attributes:
        confidence: Whether to keep the probabilities of heads in `token._.head_probability`, those
            of labels given the heads in `token._.label_probability`, and the most probable heads in
            `token._.head_distribution`. Head probabilities are marginal for spanning trees of up
            to 500 words and for exact search with MH3 and MH4, see `Search.head_probabilities`. In
            pseudo-projective parsing, the probabilities are those of lifted arcs.
    """

    confidence: bool = False

    @property
    def keeps_trees(self) -> bool:
        """Whether trees are kept in `doc._.k_best_trees`."""
        return False

    def check(self, name: str) -> None:
        """Check that the settings fit each other.

        Args:
            name: The name of the component.

        Raises:
            ValueError: More trees are kept than the beam has.
        """


@dataclass(frozen=True)
class DecoderSettings(ConfidenceSettings):
    """Settings of greedy search and beam search.

    Attributes:
        beam_width: The number of configurations on the beam; 1 is greedy search.
        k_best: The maximum number of trees to keep for each sentence, with their scores, in
            `doc._.k_best_trees`; 0 for none. Several trees need a beam.
    """

    beam_width: int = 1
    k_best: int = 0

    def __post_init__(self) -> None:
        check_range("decoder.beam_width", self.beam_width)
        check_range("decoder.k_best", self.k_best, least=0)

    @property
    def n_trees(self) -> int:
        """The number of trees to find for each sentence."""
        return max(1, self.k_best)

    @property
    def keeps_trees(self) -> bool:
        return self.k_best > 0

    def check(self, name: str) -> None:
        if self.k_best > (self.beam_width if self.beam_width > 1 else 0):
            raise ValueError(
                f"{name}: decoder.k_best is {self.k_best}, but must be between 0 and "
                f"beam_width = {self.beam_width}, and 0 without a beam"
            )


@dataclass(frozen=True)
class ExplorationSettings(Exploration):
    """The exploration policy of roll-outs, and its beginning. Training with a beam does not use it.

    Attributes:
        warm_up: The number of updates before exploration begins.
    """

    warm_up: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range("exploration.warm_up", self.warm_up, least=0, most=MOST_ROWS)


@dataclass(frozen=True)
class TransitionSettings:
    """Settings of transition-based search and its training.

    Attributes:
        oracle: The name of an oracle of the transition system.
        loss: "log-likelihood" or "margin" of the transitions in a roll-out, or "max-violation" of
            the derivations on the beam.
        exploration: The exploration policy of roll-outs.
        decoder: The settings of the search.
    """

    oracle: str
    loss: TransitionLoss
    exploration: ExplorationSettings
    decoder: DecoderSettings

    def exploration_at(self, n_updates: int) -> Exploration | None:
        """Find the exploration policy after a number of updates; None before exploration begins."""
        return self.exploration if n_updates >= self.exploration.warm_up else None
