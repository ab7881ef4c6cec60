"""Contestants by name: parsers of this package, of its extensions, and of other packages."""

from __future__ import annotations

from collections.abc import Callable

import spacy

from spacy_npparse.laboratory.component import ComponentPipeline
from spacy_npparse.laboratory.contestants import Contestant
from spacy_npparse.laboratory.spacy_parser import SpacyPipeline
from spacy_npparse.laboratory.udpipe import UDPipe

# The classes of contestants from other packages, by name.
PEERS: dict[str, Callable[[], Contestant]] = {"spacy": SpacyPipeline, "udpipe": UDPipe}
FACTORY_SUFFIX = "_parser"
_SCORER = "spacy_npparse.parser_scorer.v1"


def contestant(name: str) -> Contestant:
    """Make a contestant.

    Args:
        name: "spacy", "udpipe", or the factory of a component, with or without `_parser`, and
            settings of the component: "arc_standard,oracle=dynamic,pseudo_projective=head".

    Returns:
        The contestant.

    Raises:
        ValueError: There is no such contestant. The message has the reason.
    """
    if name in PEERS:
        return PEERS[name]()
    system, *settings = name.split(",")
    system = system.removesuffix(FACTORY_SUFFIX)
    if system not in trainable_parsers():
        raise ValueError(
            f"{name!r}: there is no parser {system!r}. There are: "
            f"{', '.join([*trainable_parsers(), *PEERS])}."
        )
    for setting in settings:
        if not all(setting.partition("=")):
            raise ValueError(
                f"{name!r}: {setting!r} should be NAME=VALUE. Spaces separate parsers."
            )
        if "/" in setting:
            raise ValueError(
                f"{name!r}: files are named after the parser, so {setting!r} must not contain '/'. "
                "Set it in a config, and give --config."
            )
    return ComponentPipeline(",".join([system, *settings]))


def trainable_parsers() -> list[str]:
    """List the parsers that can be trained, including those of other packages.

    Returns:
        The registered factories with a model and this package's scorer, without `_parser`.
    """
    # Creating a pipeline loads the factories of other packages.
    nlp = spacy.blank("xx")
    found = []
    for name in nlp.factory_names:
        defaults = nlp.get_factory_meta(name).default_config or {}
        trainable = "model" in defaults and defaults.get("scorer") == {"@scorers": _SCORER}
        if trainable and name.endswith(FACTORY_SUFFIX):
            found.append(name.removesuffix(FACTORY_SUFFIX))
    return sorted(found)
