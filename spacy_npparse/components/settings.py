"""Settings of the components, a dataclass for each family, checked when a component is made.

The types are those of the dataclasses: a setting is a number, a text, one of the values of a
`Literal`, or a section with settings of its own. Settings of searches are in
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
    """Settings of all parsers that are trained.

    Attributes:
        model: See `spacy_npparse.Parser.v1`.
        sentences: "joint" to find the sentence boundaries that Docs leave open, together with the
            heads; or "preset" to leave it at those that they have.
        keep: "heads" to keep the heads and labels that Docs have, as if they were constraints; see
            `DependencyConstraints`.
        label_rules: How trees keep the rules that the parser has learnt from its treebank, see
            `LabelRule`: "labels" for the best labels of the best tree that keep them; "trees" for
            the best labelled tree, whose arcs may be others. With greedy and beam search, whose
            trees have no scores to compare them by, "trees" is the same as "labels". "off" for the
            best label of each arc by itself.
        scorer: Computes the scores of `nlp.evaluate`.
    """

    model: Model
    sentences: Sentences
    keep: Keep
    label_rules: UseOfRules
    scorer: Scorer | None


@dataclass(frozen=True)
class TransitionParserSettings(ParserSettings, TransitionSettings):
    """Settings of parsers that search greedily or with a beam.

    Attributes:
        positions: Of stack and buffer, whose words are the features of transitions, joined by "+";
            None for those of the transition system.
        pseudo_projective: The encoding of crossing arcs in labels, None for none.
    """

    positions: str | None
    pseudo_projective: Encoding | None


@dataclass(frozen=True)
class MHParserSettings(ParserSettings, TransitionSettings):
    """Settings of MH3 and MH4. Oracle and exploration are those of greedy search; of exact search,
    only the confidence of the decoder counts.

    Attributes:
        search: Over all derivations, or with a transition system.
        positions: Of greedy search, see `TransitionParserSettings`.
        features: Of exact search, see `MHParts`.
        max_length: Words of the longest sentence that is searched exactly.
    """

    search: Literal["exact", "greedy"]
    positions: str | None
    features: MHFeatures
    max_length: int

    def __post_init__(self) -> None:
        check_range("max_length", self.max_length)


@dataclass(frozen=True)
class SpanningTreeSettings(ParserSettings):
    """Settings of parsers that search maximum spanning trees.

    Attributes:
        loss: See `ExactSearch`.
        decoder: Whether the confidence is kept.
    """

    loss: TreeLoss
    decoder: ConfidenceSettings


@dataclass(frozen=True)
class OneEndpointCrossingSettings(ParserSettings):
    """Settings of parsers that search one-endpoint-crossing trees.

    Attributes:
        max_length: Words of the longest sentence that is searched exactly.
        pruning: See `OneEndpointCrossingParts`.
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
    """Settings of `EnsembleParser`.

    Attributes:
        members: Names of other components of the pipeline.
        combine: See `EnsembleParser`.
        sentences: See `ParserSettings`.
        decoder: Whether the confidence is kept.
        keep: See `ParserSettings`.
        scorer: Likewise.
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
