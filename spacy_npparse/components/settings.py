"""Settings of components, which are checked when a component is made. Each kind of parser has a
dataclass.

The types of the fields determine the checks: a setting is a number, a string, one of the values of
a `Literal`, or a section with settings of its own. The settings of searches are in
`spacy_npparse.parsing.settings`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, TypeAlias, TypeVar, get_type_hints

from thinc.api import Model

from spacy_npparse.checks import check_range, check_type
from spacy_npparse.parsing.settings import (
    ConfidenceSettings,
    Encoding,
    MHFeatures,
    TransitionSettings,
    TreeLoss,
)

Combination: TypeAlias = Literal["votes", "scores"]
Sentences: TypeAlias = Literal["joint", "preset"]
Keep: TypeAlias = Literal["none", "heads"]
UseOfRules: TypeAlias = Literal["trees", "labels", "off"]
Scorer: TypeAlias = Callable[..., dict[str, Any]]

SettingsT = TypeVar("SettingsT")


@dataclass(frozen=True)
class ParserSettings:
    """Settings of all trained parsers.

    Attributes:
        model: The network, a `spacy_npparse.Parser.v1`.
        sentences: "joint" to find sentence boundaries that Docs leave open, together with the
            heads; "preset" to use only those that they have.
        keep: "heads" to keep the heads and labels that Docs have, as if they were constraints;
            "none" to predict all.
        label_rules: How trees obey the label rules of the treebank, see `LabelRule`: "labels"
            finds the best labels of the best tree, "trees" the best labelled tree, and "off"
            ignores the rules. In greedy and beam search, "trees" is the same as "labels", because
            trees have no scores to compare them by.
        scorer: The function that computes the scores of `nlp.evaluate`.
    """

    model: Model
    sentences: Sentences
    keep: Keep
    label_rules: UseOfRules
    scorer: Scorer | None


@dataclass(frozen=True)
class TransitionParserSettings(ParserSettings, TransitionSettings):
    """Settings of parsers with greedy or beam search.

    Attributes:
        positions: The positions of stack and buffer whose words are features of transitions, joined
            by "+"; None for those of the transition system.
        pseudo_projective: The pseudo-projective encoding of crossing arcs; None if there is none.
    """

    positions: str | None
    pseudo_projective: Encoding | None


@dataclass(frozen=True)
class MHParserSettings(ParserSettings, TransitionSettings):
    """Settings of MH3 and MH4. The oracle and the exploration apply to greedy search. Exact search
    uses only the confidence of the decoder.

    Attributes:
        search: "exact" for all derivations, or "greedy" with a transition system.
        positions: The positions that are features in greedy search, see `TransitionParserSettings`.
        features: The positions that are features in exact search, see `MHParts`.
        max_length: The maximum number of words in exact search.
    """

    search: Literal["exact", "greedy"]
    positions: str | None
    features: MHFeatures
    max_length: int

    def __post_init__(self) -> None:
        check_range("max_length", self.max_length)


@dataclass(frozen=True)
class SpanningTreeSettings(ParserSettings):
    """Settings of `mst_parser`.

    Attributes:
        loss: The loss of gold trees, see `ExactSearch`.
        decoder: Whether the confidence is kept.
    """

    loss: TreeLoss
    decoder: ConfidenceSettings


@dataclass(frozen=True)
class OneEndpointCrossingSettings(ParserSettings):
    """Settings of `one_endpoint_crossing_parser`.

    Attributes:
        max_length: The maximum number of words in exact search.
        pruning: The share of the probability of a word's best head below which arcs are skipped; 0
            for exact search.
        decoder: Whether the confidence is kept.
    """

    max_length: int
    pruning: float
    decoder: ConfidenceSettings

    def __post_init__(self) -> None:
        check_range("max_length", self.max_length)
        check_range("pruning", self.pruning, least=0, most=1)


@dataclass(frozen=True)
class EnsembleSettings:
    """Settings of `ensemble_parser`.

    Attributes:
        members: The names of other components of the pipeline.
        combine: "votes" to count the arcs of the members' trees, or "scores" to add their
            log-probabilities.
        sentences: Whether open sentence boundaries are found, see `ParserSettings`.
        decoder: Whether the confidence is kept.
        keep: Whether heads and labels of Docs are kept, see `ParserSettings`.
        scorer: The function that computes the scores of `nlp.evaluate`.
    """

    members: list[str]
    combine: Combination
    sentences: Sentences
    decoder: ConfidenceSettings
    keep: Keep
    scorer: Scorer | None

    def __post_init__(self) -> None:
        if not self.members:
            raise ValueError("there are no members. Name other parsers of the pipeline.")
        twice = sorted({name for name in self.members if self.members.count(name) > 1})
        if twice:
            raise ValueError(
                f"members has {', '.join(map(repr, twice))} more than once, which would give it "
                "several votes. Name each parser once."
            )


def read_settings(
    settings: type[SettingsT], name: str, values: Mapping[str, Any], section: str = ""
) -> SettingsT:
    """Read the settings of a component from its config.

    Args:
        settings: The dataclass of the settings.
        name: The name of the component.
        values: The values of the settings, by name.
        section: The section of the config, followed by a dot; empty for the whole config.

    Returns:
        The settings, an instance of that class.

    Raises:
        ValueError: A setting is unknown, or its value is wrong or of the wrong type. The message
            names the component and the setting.
    """
    hints = get_type_hints(settings)
    known = [field.name for field in fields(settings)]  # type: ignore[arg-type]
    read = {}
    for setting, value in values.items():
        where = f"{name}: {section}{setting}"
        if setting not in known:
            raise ValueError(f"{where} is not a setting; choose from: {', '.join(known)}")
        if is_dataclass(hints[setting]) and isinstance(value, Mapping):
            value = read_settings(hints[setting], name, value, f"{section}{setting}.")
        check_type(where, value, hints[setting])
        read[setting] = value
    try:
        return settings(**read)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
