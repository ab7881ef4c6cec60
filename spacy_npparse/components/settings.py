"""Settings of the components, a dataclass for each family, checked when a component is made.

The types are those of the dataclasses: a setting is a number, a text, one of the values of a
`Literal`, or a section with settings of its own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, TypeAlias, TypeVar, get_type_hints

from thinc.api import Model

from spacy_npparse.checks import MOST_ROWS, check_range, check_type
from spacy_npparse.components.annotation import ROOT_LABEL
from spacy_npparse.decoding import Exploration

TreeLoss: TypeAlias = Literal["log-likelihood", "margin"]
TransitionLoss: TypeAlias = Literal["log-likelihood", "margin", "max-violation"]
Combination: TypeAlias = Literal["votes", "scores"]
MHFeatures: TypeAlias = Literal["hybrid", "two"]
Sentences: TypeAlias = Literal["joint", "preset"]
Keep: TypeAlias = Literal["none", "heads"]
Encoding: TypeAlias = Literal["head", "path", "head+path"]
Scorer: TypeAlias = Callable[..., dict[str, Any]]

# The loss of a whole derivation that the beam prefers to the gold one.
MAX_VIOLATION: TransitionLoss = "max-violation"

SettingsT = TypeVar("SettingsT")


@dataclass(frozen=True)
class ConfidenceSettings:
    """What exact search can be asked for.

    Attributes:
        confidence: Keep the probabilities of the head of each word and of its label, given the
            head, in `token._.head_probability` and `token._.label_probability`, and the most
            probable heads, in `token._.head_distribution`. For spanning trees,
            MH3 and MH4 with exact search, that of a head is the marginal probability; for other
            parsers, it is that among all words (see `CalibratedPipe`). For a word that was lifted
            (pseudo-projective parsing), they are those of the lifted arc.
    """

    confidence: bool = False


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
        """How many trees of each sentence have to be found."""
        return max(1, self.k_best)


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
class TrainingSettings:
    """How a parser with a transition system is trained.

    Attributes:
        oracle: Name of an oracle of the transition system.
        loss: "log-likelihood" or "margin" of the transitions in the configurations of a roll-out,
            or "max-violation" of derivations on the beam.
        exploration: How roll-outs leave the oracle's path.
    """

    oracle: str
    loss: TransitionLoss
    exploration: ExplorationSettings

    def exploration_at(self, n_updates: int) -> Exploration | None:
        """The exploration policy after a number of updates, None for none."""
        return self.exploration if n_updates >= self.exploration.warm_up else None


@dataclass(frozen=True)
class ComponentSettings:
    """Settings of all components.

    Attributes:
        keep: "heads" to keep the heads and labels that Docs have, as if they were constraints; see
            `DependencyConstraints`.
        scorer: Computes the scores of `nlp.evaluate`.
    """

    keep: Keep
    scorer: Scorer | None


@dataclass(frozen=True)
class ParserSettings(ComponentSettings):
    """Settings of all parsers that are trained.

    Attributes:
        model: See `spacy_npparse.Parser.v1`.
        sentences: "joint" to find the sentence boundaries that Docs leave open, together with the
            heads; or "preset" to leave it at those that they have.
    """

    model: Model
    sentences: Sentences


@dataclass(frozen=True)
class TransitionParserSettings(ParserSettings, TrainingSettings):
    """Settings of parsers that search greedily or with a beam.

    Attributes:
        positions: Of stack and buffer, whose words are the features of transitions, joined by "+";
            None for those of the transition system.
        decoder: How they search.
        pseudo_projective: The encoding of crossing arcs in labels, None for none.
    """

    positions: str | None
    decoder: DecoderSettings
    pseudo_projective: Encoding | None


@dataclass(frozen=True)
class MHParserSettings(ParserSettings, TrainingSettings):
    """Settings of MH3 and MH4. Oracle and exploration are those of greedy search.

    Attributes:
        search: Over all derivations, or with a transition system.
        positions: Of greedy search, see `TransitionParserSettings`.
        features: Of exact search, see `MHParser`.
        max_length: Words of the longest sentence that is searched exactly.
        decoder: How greedy search proceeds; of exact search, only the confidence.
    """

    search: Literal["exact", "greedy"]
    positions: str | None
    features: MHFeatures
    max_length: int
    decoder: DecoderSettings

    def __post_init__(self) -> None:
        check_range("max_length", self.max_length)


@dataclass(frozen=True)
class SpanningTreeSettings(ParserSettings):
    """Settings of `SpanningTreeParser`.

    Attributes:
        loss: See `SpanningTreeParser`.
        decoder: Whether the confidence is kept.
    """

    loss: TreeLoss
    decoder: ConfidenceSettings


@dataclass(frozen=True)
class OneEndpointCrossingSettings(ParserSettings):
    """Settings of `OneEndpointCrossingParser`.

    Attributes:
        max_length: Words of the longest sentence that is searched exactly.
        pruning: See `OneEndpointCrossingParser`.
        decoder: Whether the confidence is kept.
    """

    max_length: int
    pruning: float
    decoder: ConfidenceSettings

    def __post_init__(self) -> None:
        check_range("max_length", self.max_length)
        check_range("pruning", self.pruning, least=0, most=1)


@dataclass(frozen=True)
class EnsembleSettings(ComponentSettings):
    """Settings of `EnsembleParser`.

    Attributes:
        members: Names of other components of the pipeline.
        combine: See `EnsembleParser`.
        sentences: See `ParserSettings`.
        decoder: Whether the confidence is kept.
    """

    members: list[str]
    combine: Combination
    sentences: Sentences
    decoder: ConfidenceSettings

    def __post_init__(self) -> None:
        if not self.members:
            raise ValueError("there are no members. Name other parsers of the pipeline.")
        twice = sorted({name for name in self.members if self.members.count(name) > 1})
        if twice:
            raise ValueError(
                f"members has {', '.join(map(repr, twice))} more than once, which would have more "
                "than one vote. Name each parser once."
            )


def read_settings(
    settings: type[SettingsT], name: str, values: Mapping[str, Any], section: str = ""
) -> SettingsT:
    """Make the settings of a component from its config.

    Args:
        settings: A dataclass.
        name: Of the component.
        values: Of the settings, by name.
        section: Of the config, with a dot behind it; empty for the whole.

    Returns:
        The settings, of that class.

    Raises:
        ValueError: Naming component and setting, if a value is of another type than the field of
            that name, or a setting is unknown or wrong.
    """
    hints = get_type_hints(settings)
    known = [field.name for field in fields(settings)]  # type: ignore[arg-type]
    read = {}
    for setting, value in values.items():
        where = f"{name}: {section}{setting}"
        if setting not in known:
            raise ValueError(f"{where} is no setting; choose from: {', '.join(known)}")
        if is_dataclass(hints[setting]) and isinstance(value, Mapping):
            value = read_settings(hints[setting], name, value, f"{section}{setting}.")
        check_type(where, value, hints[setting])
        read[setting] = value
    try:
        return settings(**read)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def check_labels(name: str, labels: Sequence[str]) -> None:
    """Check labels that are given in a config.

    Args:
        name: Of the component.
        labels: Of arcs, without the root's.

    Raises:
        ValueError: If they are no list of different labels, or the root's is among them.
    """
    where = f"{name}: initialize.components.{name}.labels"
    check_type(where, list(labels) if isinstance(labels, tuple) else labels, list[str])
    if not labels:
        raise ValueError(f"{where} is empty. Remove it, so that labels come from the examples.")
    for label in labels:
        if not label.strip():
            raise ValueError(f"{where} has an empty label. Remove it.")
        if labels.count(label) > 1:
            raise ValueError(f"{where} has {label!r} more than once. Name each label once.")
    if ROOT_LABEL in labels:
        raise ValueError(f"{where} has {ROOT_LABEL!r}, which every parser has anyway. Remove it.")
