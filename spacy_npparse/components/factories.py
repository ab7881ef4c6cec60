"""The factories: one `nlp.add_pipe` name for each parser."""

from collections.abc import Callable
from dataclasses import fields
from inspect import Parameter, Signature
from typing import Any, TypeVar

from spacy.language import Language

from spacy_npparse.checks import check_choice
from spacy_npparse.components.encoders import SharedEncoders
from spacy_npparse.components.ensemble_parser import EnsembleParser
from spacy_npparse.components.mh_parser import MHParser
from spacy_npparse.components.network_pipe import NetworkPipe
from spacy_npparse.components.one_endpoint_crossing_parser import OneEndpointCrossingParser
from spacy_npparse.components.settings import (
    MAX_VIOLATION,
    ComponentSettings,
    ConfidenceSettings,
    DecoderSettings,
    EnsembleSettings,
    MHParserSettings,
    OneEndpointCrossingSettings,
    SpanningTreeSettings,
    TransitionParserSettings,
    read_settings,
)
from spacy_npparse.components.spacy_parser import check_model
from spacy_npparse.components.spanning_tree_parser import SpanningTreeParser
from spacy_npparse.components.transition_parser import TransitionParser
from spacy_npparse.components.tree_pipe import TreePipe
from spacy_npparse.systems import get_transition_system
from spacy_npparse.transitions import TransitionSystem

SettingsT = TypeVar("SettingsT", bound=ComponentSettings)
Factory = Callable[..., TreePipe]

# Defaults of the settings that several families have.
MODEL = {
    "@architectures": "spacy_npparse.Parser.v1",
    "tok2vec": {"@architectures": "spacy_npparse.CharBiLSTM.v1"},
}
EXPLORATION = {"probability": 0.1, "margin": 1.0, "warm_up": 0}
DECODER = {"beam_width": 1, "k_best": 0, "confidence": False}
CONFIDENCE = {"confidence": False}


def register(
    name: str,
    settings: type[SettingsT],
    make: Callable[[Language, str, SettingsT], TreePipe],
    **defaults: Any,
) -> Factory:
    """Register the factory `{name}_parser` with spaCy.

    Args:
        name: Of the parser.
        settings: Dataclass of the component's settings.
        make: Makes the component, given the pipeline, the component's name there, and its
            settings. It raises ValueError where settings do not fit each other.
        defaults: The component's default config, but for the scorer.

    Returns:
        The factory.
    """

    factory_name = f"{name}_parser"

    def factory(nlp: Language, name: str, **config: Any) -> TreePipe:
        check_model(name, factory_name, config.get("model"))
        read = read_settings(settings, name, config)
        component = make(nlp, name, read)
        component.keep = read.keep
        if isinstance(component, NetworkPipe):
            component.encoders = SharedEncoders(nlp)
        return component

    factory.__name__ = factory.__qualname__ = factory_name
    factory.__doc__ = (
        f"Make the component of `nlp.add_pipe({factory_name!r})`; its settings are those of "
        f"`{settings.__module__}.{settings.__name__}`."
    )
    # spaCy reads here which settings a config may have. Their types are checked by us: our messages
    # name the component and what is wrong with the setting.
    parameters = ["nlp", "name", *(field.name for field in fields(settings))]
    factory.__signature__ = Signature(  # type: ignore[attr-defined]
        [Parameter(parameter, Parameter.POSITIONAL_OR_KEYWORD) for parameter in parameters]
    )
    Language.factory(
        factory_name,
        assigns=["token.dep", "token.head", "token.is_sent_start", "doc.sents"],
        default_config={
            **defaults,
            "keep": "none",
            "scorer": {"@scorers": "spacy_npparse.parser_scorer.v1"},
        },
        default_score_weights={
            "dep_las": 1.0,
            "dep_uas": 0.0,
            "dep_clas": 0.0,
            "sents_f": 0.0,
            "nonproj_las": 0.0,
            # Not in the table of `spacy train`, but in the meta.json of the pipeline.
            "dep_las_per_type": None,
            "sents_p": None,
            "sents_r": None,
        },
        func=factory,
    )
    return factory


def transition_factory(system_name: str, oracle: str) -> Factory:
    """Register the factory `{system_name}_parser` of a parser with a transition system.

    Args:
        system_name: A name of the `transition_systems` registry.
        oracle: The default oracle.

    Returns:
        The factory.
    """

    def make(nlp: Language, name: str, settings: TransitionParserSettings) -> TransitionParser:
        system = _transition_system(name, system_name, settings)
        if settings.pseudo_projective is not None and not system.kernel.projective:
            raise ValueError(
                f"{name}: pseudo_projective is for projective systems, but {system.name} builds "
                "non-projective trees by itself. Remove the setting."
            )
        return TransitionParser(
            nlp.vocab,
            settings.model,
            name,
            system_name=system_name,
            system=system,
            settings=settings,
            sentences=settings.sentences,
            decoder=settings.decoder,
            fixed={
                "pseudo_projective": settings.pseudo_projective,
                "positions": "+".join(system.position_names),
            },
            scorer=settings.scorer,
        )

    return register(
        system_name,
        TransitionParserSettings,
        make,
        model=MODEL,
        sentences="joint",
        oracle=oracle,
        loss="log-likelihood",
        exploration=EXPLORATION,
        positions=None,
        decoder=DECODER,
        pseudo_projective=None,
    )


def mh_factory(n_heads: int, greedy_system: str, oracle: str) -> Factory:
    """Register the factory `mh{n_heads}_parser` of a parser with multi-headed items.

    Args:
        n_heads: Heads of the largest items: 3 or 4.
        greedy_system: The transition system of greedy search.
        oracle: The default oracle of that.

    Returns:
        The factory.
    """

    def make(nlp: Language, name: str, settings: MHParserSettings) -> MHParser | TransitionParser:
        if settings.search == "exact":
            # What only greedy search uses must not be wrong either.
            system = get_transition_system(greedy_system)
            check_choice(f"{name}: oracle", settings.oracle, system.oracles)
            return _exact_mh_parser(nlp, name, n_heads, settings)
        system = _transition_system(name, greedy_system, settings)
        return TransitionParser(
            nlp.vocab,
            settings.model,
            name,
            system_name=f"mh{n_heads}",
            system=system,
            settings=settings,
            sentences=settings.sentences,
            decoder=settings.decoder,
            fixed={
                "pseudo_projective": None,
                "search": "greedy",
                "positions": "+".join(system.position_names),
            },
            scorer=settings.scorer,
        )

    return register(
        f"mh{n_heads}",
        MHParserSettings,
        make,
        model=MODEL,
        sentences="joint",
        search="exact",
        positions=None,
        features="hybrid",
        max_length=300,
        loss="margin",
        oracle=oracle,
        exploration=EXPLORATION,
        decoder=DECODER,
    )


def _transition_system(
    name: str, system_name: str, settings: TransitionParserSettings | MHParserSettings
) -> TransitionSystem:
    """The system of a parser. Raises ValueError unless it has the oracle and the positions, and
    loss and k_best suit the beam."""
    system = get_transition_system(system_name)
    if settings.positions is not None:
        try:
            system = system.with_positions(settings.positions.split("+"))
        except ValueError as error:
            raise ValueError(f"{name}: positions: {error}") from error
    check_choice(f"{name}: oracle", settings.oracle, system.oracles)
    decoder = settings.decoder
    if decoder.k_best > (decoder.beam_width if decoder.beam_width > 1 else 0):
        raise ValueError(
            f"{name}: decoder.k_best is {decoder.k_best}, but must be 0, or up to as many as the "
            f"beam is wide, and beam_width is {decoder.beam_width}"
        )
    if settings.loss == MAX_VIOLATION and decoder.beam_width == 1:
        raise ValueError(
            f"{name}: the loss {MAX_VIOLATION!r} trains a beam, but decoder.beam_width is 1; make "
            "it 2 or more"
        )
    return system


def _exact_mh_parser(
    nlp: Language, name: str, n_heads: int, settings: MHParserSettings
) -> MHParser:
    if settings.loss == "max-violation":
        raise ValueError(
            f"{name}: loss is {settings.loss!r}, but exact search has no beam to train. Make it "
            'one of: log-likelihood, margin; or set search = "greedy".'
        )
    if settings.positions is not None:
        raise ValueError(
            f"{name}: positions are those of greedy search, but search is 'exact', which has "
            'features. Remove them, or set search = "greedy".'
        )
    if settings.decoder.k_best:
        raise ValueError(
            f"{name}: decoder.k_best is {settings.decoder.k_best}, but exact search finds only the "
            'best tree. Make it 0, or set search = "greedy" and a beam_width. How sure the parser '
            "is of each arc, confidence tells."
        )
    if settings.decoder.beam_width > 1:
        raise ValueError(
            f"{name}: decoder.beam_width is {settings.decoder.beam_width}, but exact search has no "
            'beam. Make it 1, or set search = "greedy".'
        )
    return MHParser(
        nlp.vocab,
        settings.model,
        name,
        n_heads=n_heads,
        features=settings.features,
        loss=settings.loss,
        max_length=settings.max_length,
        sentences=settings.sentences,
        decoder=settings.decoder,
        scorer=settings.scorer,
    )


def _spanning_tree_parser(
    nlp: Language, name: str, settings: SpanningTreeSettings
) -> SpanningTreeParser:
    return SpanningTreeParser(
        nlp.vocab,
        settings.model,
        name,
        loss=settings.loss,
        sentences=settings.sentences,
        decoder=_without_beam(settings.decoder),
        scorer=settings.scorer,
    )


def _one_endpoint_crossing_parser(
    nlp: Language, name: str, settings: OneEndpointCrossingSettings
) -> OneEndpointCrossingParser:
    return OneEndpointCrossingParser(
        nlp.vocab,
        settings.model,
        name,
        max_length=settings.max_length,
        pruning=settings.pruning,
        sentences=settings.sentences,
        decoder=_without_beam(settings.decoder),
        scorer=settings.scorer,
    )


def _ensemble_parser(nlp: Language, name: str, settings: EnsembleSettings) -> EnsembleParser:
    return EnsembleParser(
        nlp,
        name,
        members=settings.members,
        combine=settings.combine,
        sentences=settings.sentences,
        decoder=_without_beam(settings.decoder),
        scorer=settings.scorer,
    )


def _without_beam(settings: ConfidenceSettings) -> DecoderSettings:
    return DecoderSettings(confidence=settings.confidence)


arc_standard_parser = transition_factory("arc_standard", oracle="dynamic")
arc_eager_parser = transition_factory("arc_eager", oracle="dynamic")
arc_hybrid_parser = transition_factory("arc_hybrid", oracle="dynamic")
nonmonotonic_arc_eager_parser = transition_factory("nonmonotonic_arc_eager", oracle="joint")
nonmonotonic_arc_eager_left_parser = transition_factory(
    "nonmonotonic_arc_eager_left", oracle="joint"
)
nonmonotonic_arc_eager_reduce_parser = transition_factory(
    "nonmonotonic_arc_eager_reduce", oracle="joint"
)
arc_standard_swap_parser = transition_factory("arc_standard_swap", oracle="lazy")
arc_hybrid_swap_parser = transition_factory("arc_hybrid_swap", oracle="static-dynamic")
stay_eager_swap_parser = transition_factory("stay_eager_swap", oracle="non-static")
attardi_parser = transition_factory("attardi", oracle="static")
attardi_3_parser = transition_factory("attardi_3", oracle="static")
mh3_parser = mh_factory(3, greedy_system="arc_hybrid", oracle="dynamic")
mh4_parser = mh_factory(4, greedy_system="mh4", oracle="static")
covington_parser = transition_factory("covington", oracle="dynamic")
nonmonotonic_covington_parser = transition_factory("nonmonotonic_covington", oracle="dynamic")
two_planar_parser = transition_factory("two_planar", oracle="static")
mst_parser = register(
    "mst",
    SpanningTreeSettings,
    _spanning_tree_parser,
    model=MODEL,
    sentences="joint",
    loss="margin",
    decoder=CONFIDENCE,
)
one_endpoint_crossing_parser = register(
    "one_endpoint_crossing",
    OneEndpointCrossingSettings,
    _one_endpoint_crossing_parser,
    model=MODEL,
    sentences="joint",
    max_length=150,
    pruning=0.0,
    decoder=CONFIDENCE,
)
ensemble_parser = register(
    "ensemble",
    EnsembleSettings,
    _ensemble_parser,
    combine="votes",
    sentences="joint",
    decoder=CONFIDENCE,
)
