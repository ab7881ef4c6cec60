"""The factories of the parsers, which define their names in `nlp.add_pipe`.

spaCy reads the settings of a config from the signature of a factory, which has the fields of a
dataclass here. Types are checked by this package, because its error messages name the component,
the setting and the remedy.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from inspect import Parameter, Signature
from typing import Any

from spacy.language import Language
from thinc.api import Model

from spacy_npparse.checks import check_choice
from spacy_npparse.components.dependency_parser import DependencyParser
from spacy_npparse.components.ensemble_parser import EnsembleParser
from spacy_npparse.components.settings import (
    EnsembleSettings,
    MHParserSettings,
    OneEndpointCrossingSettings,
    SpanningTreeSettings,
    TransitionParserSettings,
    read_settings,
)
from spacy_npparse.parsing import (
    ExactSearch,
    GreedyMH,
    LengthLimited,
    MHParts,
    OneEndpointCrossingParts,
    SpanningTreeParts,
    TransitionSearch,
    TreesByArcs,
)
from spacy_npparse.parsing.settings import (
    MAX_VIOLATION,
    ConfidenceSettings,
    DecoderSettings,
    ExplorationSettings,
)
from spacy_npparse.systems import get_transition_system
from spacy_npparse.transitions import TransitionSystem

# Defaults of settings that several parsers share.
MODEL = {
    "@architectures": "spacy_npparse.Parser.v1",
    "tok2vec": {"@architectures": "spacy_npparse.CharBiLSTM.v1"},
}
EXPLORATION = asdict(ExplorationSettings())
DECODER = asdict(DecoderSettings())
CONFIDENCE = asdict(ConfidenceSettings())


def declare(
    name: str, settings: type[Any], defaults: Mapping[str, Any]
) -> Callable[[Callable[[Language, str, Any], Any]], Callable[..., Any]]:
    """Declare the factory `{name}_parser` to spaCy.

    Args:
        name: The name of the parser.
        settings: The dataclass of its settings.
        defaults: The default settings, except `keep` and `scorer`.

    Returns:
        A decorator for a function that makes the component from the pipeline, its name there, and
        its settings. The function raises ValueError if settings contradict each other.
    """
    factory_name = f"{name}_parser"

    def decorate(make: Callable[[Language, str, Any], Any]) -> Callable[..., Any]:
        def factory(nlp: Language, name: str, **values: Any) -> Any:
            _check_model(name, factory_name, values.get("model"))
            return make(nlp, name, read_settings(settings, name, values))

        known = dict.fromkeys([*defaults, *(field.name for field in fields(settings))])
        factory.__signature__ = Signature(  # type: ignore[attr-defined]
            [Parameter(one, Parameter.POSITIONAL_OR_KEYWORD) for one in ("nlp", "name", *known)]
        )
        factory.__name__ = factory.__qualname__ = factory_name
        factory.__doc__ = f"Make '{factory_name}'; see `{settings.__name__}`."
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
                # Shown in the meta.json of the pipeline, but not in the table of `spacy train`.
                "dep_las_per_type": None,
                "sents_p": None,
                "sents_r": None,
            },
            func=factory,
        )
        return factory

    return decorate


def transition_factory(system_name: str, oracle: str) -> Callable[..., DependencyParser]:
    """Declare the factory `{system_name}_parser` of a transition-based parser.

    Args:
        system_name: The name of a system in the registry `transition_systems`.
        oracle: The name of the default oracle.

    Returns:
        The factory.
    """
    defaults = dict(
        model=MODEL,
        sentences="joint",
        label_rules="trees",
        oracle=oracle,
        loss="log-likelihood",
        exploration=EXPLORATION,
        positions=None,
        decoder=DECODER,
        pseudo_projective=None,
    )

    @declare(system_name, TransitionParserSettings, defaults)
    def factory(nlp: Language, name: str, settings: TransitionParserSettings) -> DependencyParser:
        system = _transition_system(name, system_name, settings)
        encoding = settings.pseudo_projective
        if encoding is not None and not system.kernel.projective:
            raise ValueError(
                f"{name}: pseudo_projective needs a projective system, which {system.name} is "
                "not. Remove the setting."
            )
        return DependencyParser(
            nlp,
            name,
            settings,
            TransitionSearch(system, settings, pseudo_projective=encoding is not None),
            system_name=system_name,
            fixed={"positions": "+".join(system.position_names)},
            encoding=encoding,
        )

    return factory


def mh_factory(n_heads: int, greedy_system: str, oracle: str) -> Callable[..., DependencyParser]:
    """Declare the factory `mh{n_heads}_parser` of a parser with multi-headed items.

    Args:
        n_heads: The maximum number of heads in an item, 3 or 4.
        greedy_system: The transition system of greedy search.
        oracle: The default oracle of that system.

    Returns:
        The factory.
    """
    system_name = f"mh{n_heads}"
    defaults = dict(
        model=MODEL,
        sentences="joint",
        label_rules="trees",
        search="exact",
        positions=None,
        features="hybrid",
        max_length=300,
        loss="margin",
        oracle=oracle,
        exploration=EXPLORATION,
        decoder=DECODER,
    )

    @declare(system_name, MHParserSettings, defaults)
    def factory(nlp: Language, name: str, settings: MHParserSettings) -> DependencyParser:
        found: LengthLimited | TransitionSearch
        if settings.search == "exact":
            # Check settings of greedy search even if it is not used.
            system = get_transition_system(greedy_system)
            check_choice(f"{name}: oracle", settings.oracle, system.oracles)
            fixed = {"search": "exact", "features": settings.features}
            found = _exact_mh_search(name, n_heads, settings)
        else:
            system = _transition_system(name, greedy_system, settings)
            fixed = {"search": "greedy", "positions": "+".join(system.position_names)}
            found = TransitionSearch(system, settings)
        return DependencyParser(nlp, name, settings, found, system_name=system_name, fixed=fixed)

    return factory


@declare(
    "mst",
    SpanningTreeSettings,
    dict(model=MODEL, sentences="joint", label_rules="trees", loss="margin", decoder=CONFIDENCE),
)
def mst_parser(nlp: Language, name: str, settings: SpanningTreeSettings) -> DependencyParser:
    search = ExactSearch(SpanningTreeParts(), settings.loss, settings.decoder)
    return DependencyParser(nlp, name, settings, search, system_name="mst")


@declare(
    "one_endpoint_crossing",
    OneEndpointCrossingSettings,
    dict(
        model=MODEL,
        sentences="joint",
        label_rules="trees",
        max_length=150,
        pruning=0.0,
        decoder=CONFIDENCE,
    ),
)
def one_endpoint_crossing_parser(
    nlp: Language, name: str, settings: OneEndpointCrossingSettings
) -> DependencyParser:
    exact = ExactSearch(OneEndpointCrossingParts(settings.pruning), "margin", settings.decoder)
    search = LengthLimited(exact, TreesByArcs(), settings.max_length)
    return DependencyParser(nlp, name, settings, search, system_name="one_endpoint_crossing")


@declare("ensemble", EnsembleSettings, dict(combine="votes", sentences="joint", decoder=CONFIDENCE))
def ensemble_parser(nlp: Language, name: str, settings: EnsembleSettings) -> EnsembleParser:
    return EnsembleParser(nlp, name, settings)


def _check_model(name: str, factory: str, model: Any) -> None:
    """Reject models of other components, such as that of spaCy's parser in a config in which only
    the factory was changed."""
    if isinstance(model, Model) and "sizes" not in model.attrs:
        raise ValueError(
            f"{name}: {factory} cannot use the model {model.name!r}, which has no network of this "
            "package. Use the architecture spacy_npparse.Parser.v1, with the encoder as its "
            "tok2vec. If the config is for spaCy's parser, also remove the settings moves, "
            "update_with_oracle_cut_size, learn_tokens and min_action_freq."
        )


def _transition_system(
    name: str, system_name: str, settings: TransitionParserSettings | MHParserSettings
) -> TransitionSystem:
    """Find the transition system of a parser. Raises ValueError if it lacks the oracle or the
    positions, or if loss or k_best does not fit the beam."""
    system = get_transition_system(system_name)
    if settings.positions is not None:
        try:
            system = system.with_positions(settings.positions.split("+"))
        except ValueError as error:
            raise ValueError(f"{name}: positions: {error}") from error
    check_choice(f"{name}: oracle", settings.oracle, system.oracles)
    settings.decoder.check(name)
    if settings.loss == MAX_VIOLATION and settings.decoder.beam_width == 1:
        raise ValueError(
            f"{name}: the loss {MAX_VIOLATION!r} trains a beam, but decoder.beam_width is 1; make "
            "it 2 or more"
        )
    return system


def _exact_mh_search(name: str, n_heads: int, settings: MHParserSettings) -> LengthLimited:
    """Make the exact search of a parser. Raises ValueError if a setting is only for greedy
    search."""
    loss = settings.loss
    if loss == "max-violation":
        raise ValueError(
            f"{name}: loss is {loss!r}, but exact search has no beam to train. Make it "
            'one of: log-likelihood, margin; or set search = "greedy".'
        )
    if settings.positions is not None:
        raise ValueError(
            f"{name}: positions is a setting of greedy search, but search is 'exact'. Use "
            'features instead, or set search = "greedy".'
        )
    if settings.decoder.k_best:
        raise ValueError(
            f"{name}: decoder.k_best is {settings.decoder.k_best}, but exact search finds only "
            'the best tree. Make it 0, or set search = "greedy" and a beam_width. For '
            "probabilities of arcs, set confidence."
        )
    if settings.decoder.beam_width > 1:
        raise ValueError(
            f"{name}: decoder.beam_width is {settings.decoder.beam_width}, but exact search has no "
            'beam. Make it 1, or set search = "greedy".'
        )
    parts = MHParts(n_heads, settings.features)
    exact = ExactSearch(parts, loss, settings.decoder)
    fallback = GreedyMH(parts, normalised=loss == "log-likelihood")
    return LengthLimited(exact, fallback, settings.max_length)


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
