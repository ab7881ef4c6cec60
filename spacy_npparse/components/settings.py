"""How a parser is trained and how it searches, checked when the component is made."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from typing import Any

from spacy_npparse.decoding import Exploration
from spacy_npparse.models.losses import LOSSES
from spacy_npparse.transitions import TransitionSystem
from spacy_npparse.trees.pseudo_projective import ENCODINGS

# The losses of parsers that find the best of all trees.
TREE_LOSSES = ("log-likelihood", "margin")

# The loss of a whole derivation that the beam prefers to the right ones.
MAX_VIOLATION = "max-violation"


@dataclass(frozen=True)
class TrainingSettings:
    """Settings of one component.

    oracle: name of an oracle of the transition system.
    loss: "log-likelihood" or "margin" of the transitions in the states of a roll-out, or
        "max-violation": of derivations, found by the beam of the decoder's settings.
    exploration: how roll-outs leave the oracle's path. A beam that is trained needs none.
    warm_up: updates during which they do not.
    """

    oracle: str
    loss: str
    exploration: Exploration
    warm_up: int

    def exploration_at(self, n_updates: int) -> Exploration | None:
        """The policy after a number of updates, None for none."""
        return self.exploration if n_updates >= self.warm_up else None


@dataclass(frozen=True)
class DecoderSettings:
    """How trees are searched for.

    beam_width: derivations that are followed side by side; 1 is greedy.
    k_best: at most so many trees of each sentence are kept, with their scores, in
        `doc._.k_best_trees`; 0 for none. It takes a beam to find several.
    confidence: keep the probability of each arc in `token._.head_probability`. For greedy search,
        that of the transition that built it, among the legal ones; for a beam, the share of its
        probability that lies on trees with that arc; for MH3 and MH4 with exact search, the
        marginal probability (see `MHParser`); for spanning and one-endpoint-crossing trees, that
        of the head among all words. Of a word that was lifted (pseudo-projective parsing), it is
        that of the lifted arc.
    """

    beam_width: int = 1
    k_best: int = 0
    confidence: bool = False

    def __post_init__(self) -> None:
        if self.beam_width < 1:
            raise ValueError(f"decoder beam_width is {self.beam_width}, but must be 1 or more")
        if not 0 <= self.k_best <= (self.beam_width if self.beam_width > 1 else 0):
            raise ValueError(
                f"decoder k_best is {self.k_best}, but must be 0, or up to as many as the beam is "
                f"wide, and beam_width is {self.beam_width}"
            )

    @property
    def n_trees(self) -> int:
        """How many trees of each sentence have to be found."""
        return max(1, self.k_best)


def make_decoder_settings(
    name: str,
    decoder: dict[str, Any],
    settings: Sequence[str] = ("beam_width", "k_best", "confidence"),
) -> DecoderSettings:
    """Check the decoder's settings of component `name`, which has only some of them.

    Raises ValueError naming the wrong one.
    """
    types = {field.name: type(field.default) for field in fields(DecoderSettings)}
    known = {setting: types[setting] for setting in settings}
    for setting, value in decoder.items():
        _check(f"{name}: decoder.{setting}", value, known.get(setting), list(known))
    try:
        return DecoderSettings(**decoder)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def make_settings(
    name: str, oracles: Sequence[str], oracle: str, loss: str, exploration: dict[str, Any]
) -> TrainingSettings:
    """Check the settings of component `name`, whose system has certain oracles.

    Raises ValueError naming the wrong setting.
    """
    check_choice(f"{name}: oracle", oracle, oracles)
    check_choice(f"{name}: loss", loss, [*LOSSES, MAX_VIOLATION])
    policy = {"warm_up": 0, **exploration}
    known = {"warm_up": int, **{field.name: type(field.default) for field in fields(Exploration)}}
    for setting, value in policy.items():
        _check(f"{name}: exploration.{setting}", value, known.get(setting), list(known))
    warm_up = policy.pop("warm_up")
    if warm_up < 0:
        raise ValueError(
            f"{name}: exploration.warm_up is {warm_up}, but must be a number of updates, 0 or more"
        )
    try:
        return TrainingSettings(oracle, loss, Exploration(**policy), warm_up)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def check_that_settings_fit(
    name: str,
    system: TransitionSystem,
    settings: TrainingSettings,
    decoder: DecoderSettings,
    pseudo_projective: str | None,
) -> None:
    """Raise ValueError unless the settings of component `name` fit each other and the system."""
    if settings.loss == MAX_VIOLATION and decoder.beam_width == 1:
        raise ValueError(
            f"{name}: the loss {MAX_VIOLATION!r} trains a beam, but decoder.beam_width is 1; make "
            "it 2 or more"
        )
    if pseudo_projective is None:
        return
    check_choice(f"{name}: pseudo_projective", pseudo_projective, ENCODINGS)
    if not system.kernel.projective:
        raise ValueError(
            f"{name}: pseudo_projective is for projective systems, but {system.name} "
            "builds non-projective trees by itself. Remove the setting."
        )


def check_choice(setting: str, value: Any, choices: Collection[str]) -> None:
    """Raise ValueError unless the value of a setting is one of some."""
    if value not in choices:
        raise ValueError(f"{setting} is {value!r}, but must be one of: {', '.join(choices)}")


def check_positive(setting: str, value: Any) -> None:
    """Raise ValueError unless the value of a setting is a positive number."""
    if value < 1:
        raise ValueError(f"{setting} is {value!r}, but must be 1 or more")


def _check(setting: str, value: Any, expected: type | None, known: list[str]) -> None:
    """Raise ValueError unless the value has the expected type; None for a setting not known."""
    if expected is None:
        raise ValueError(f"{setting} is no setting; choose from: {', '.join(known)}")
    accepted = (int, float) if expected is float else expected
    # bool is an int in Python, but no number in a config.
    if not isinstance(value, accepted) or isinstance(value, bool) != (expected is bool):
        raise ValueError(f"{setting} is {value!r}, but must be of type {expected.__name__}")
