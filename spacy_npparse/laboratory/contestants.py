"""Who can take part: this package's parsers, those of others that register theirs, and peers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import spacy

from ..treebank import Sentence

_SUFFIX = "_parser"
_SCORER = "spacy_npparse.parser_scorer.v1"


@dataclass(frozen=True)
class Task:
    """What all contestants are trained for.

    train: CoNLL-U file. dev: CoNLL-U file on which the best model is chosen. config: training
    config of this package's pipelines. updates: how many a training has; None leaves it to the
    configs.
    """

    train: Path
    dev: Path
    config: Path
    updates: int | None


class Checkpoint(NamedTuple):
    """LAS on the dev file, in percent, after so many updates."""

    update: int
    las: float


@dataclass(frozen=True)
class Parsed:
    """Predictions, and how many words were parsed in a second of CPU time."""

    sentences: list[Sentence]
    words_per_second: float


class Contestant(Protocol):
    """A parser and its settings.

    name: as it was asked for. model_name: contestants with the same share a model. is_peer: whether
    it comes from elsewhere. uses_seeds: whether training again with another seed differs.
    """

    @property
    def name(self) -> str: ...

    @property
    def model_name(self) -> str: ...

    @property
    def is_peer(self) -> bool: ...

    @property
    def uses_seeds(self) -> bool: ...

    def train(self, task: Task, seed: int, folder: Path) -> None:
        """Train a model and write it to a folder. Raises `commands.FailedCommandError`."""
        ...

    def parse(self, folder: Path, sentences: Sequence[Sentence]) -> Parsed:
        """Parse sentences with a trained model: gold tokens and boundaries, nothing else."""
        ...

    def learning_curve(self, folder: Path) -> list[Checkpoint]:
        """How a trained model learnt, as far as that is known."""
        ...


def contestant(name: str) -> Contestant:
    """The contestant of a name.

    name: "spacy" or "udpipe", or a component's factory without `_parser`, followed by settings of
        the component: "arc_standard,oracle=dynamic,pseudo_projective=head".

    Raises ValueError if there is none, naming what is wrong.
    """
    # These import what they train with.
    from .component import ComponentPipeline
    from .spacy_parser import SpacyPipeline
    from .udpipe import UDPipe

    peers: dict[str, Callable[[], Contestant]] = {"spacy": SpacyPipeline, "udpipe": UDPipe}
    if name in peers:
        return peers[name]()
    system, *settings = name.split(",")
    if system not in trainable_parsers():
        raise ValueError(
            f"{name!r}: there is no parser {system!r}. There are: "
            f"{', '.join([*trainable_parsers(), *peers])}."
        )
    for setting in settings:
        if "/" in setting or not all(setting.partition("=")):
            raise ValueError(f"{name!r}: {setting!r} should be NAME=VALUE.")
    return ComponentPipeline(name)


def trainable_parsers() -> list[str]:
    """The parsers with a model, as factories without `_parser`: all that are registered and have
    this package's scorer, those of other packages among them."""
    # Factories of other packages are known once there is a pipeline.
    nlp = spacy.blank("xx")
    found = []
    for name in nlp.factory_names:
        defaults = nlp.get_factory_meta(name).default_config or {}
        trainable = "model" in defaults and defaults.get("scorer") == {"@scorers": _SCORER}
        if trainable and name.endswith(_SUFFIX):
            found.append(name.removesuffix(_SUFFIX))
    return sorted(found)
