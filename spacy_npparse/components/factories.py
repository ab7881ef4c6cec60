"""The factories: one `nlp.add_pipe` name for each transition system."""

from collections.abc import Callable
from typing import Any

from spacy.language import Language
from thinc.api import Model

from spacy_npparse.components.dependency_parser import DependencyParser
from spacy_npparse.components.ensemble_parser import EnsembleParser
from spacy_npparse.components.mh_parser import MHParser
from spacy_npparse.components.one_endpoint_crossing_parser import OneEndpointCrossingParser
from spacy_npparse.components.settings import (
    TREE_LOSSES,
    check_choice,
    check_positive,
    check_that_settings_fit,
    make_decoder_settings,
    make_settings,
)
from spacy_npparse.components.spanning_tree_parser import SpanningTreeParser
from spacy_npparse.components.transition_parser import TransitionParser
from spacy_npparse.components.tree_pipe import TreePipe
from spacy_npparse.systems import get_transition_system

DEFAULT_MODEL = {
    "@architectures": "spacy_npparse.Parser.v1",
    "tok2vec": {"@architectures": "spacy_npparse.CharBiLSTM.v1"},
}
EXPLORATION = {"probability": 0.1, "margin": 1.0, "warm_up": 0}
DECODER = {"beam_width": 1, "k_best": 0, "confidence": False}


def transition_factory(system_name: str, oracle: str) -> Callable[..., TransitionParser]:
    """Register the factory `{system_name}_parser` and return it.

    Args:
        system_name: a name of the `transition_systems` registry.
        oracle: the default oracle.
    """

    def make_parser(
        nlp: Language,
        name: str,
        model: Model,
        oracle: str,
        loss: str,
        exploration: dict[str, Any],
        decoder: dict[str, Any],
        pseudo_projective: str | None,
        scorer: Callable[..., dict[str, Any]] | None,
    ) -> TransitionParser:
        return _transition_parser(
            nlp,
            name,
            model,
            system_name=system_name,
            system=system_name,
            training=(oracle, loss, exploration),
            decoder=decoder,
            fixed={"pseudo_projective": pseudo_projective},
            scorer=scorer,
        )

    _register(
        system_name,
        make_parser,
        model=DEFAULT_MODEL,
        oracle=oracle,
        loss="log-likelihood",
        exploration=EXPLORATION,
        decoder=DECODER,
        pseudo_projective=None,
    )
    return make_parser


def mh_factory(
    system_name: str, n_heads: int, greedy_system: str, oracle: str
) -> Callable[..., DependencyParser]:
    """Register the factory of a parser with multi-headed items and return it.

    Args:
        system_name: of the factory, without `_parser`.
        n_heads: heads of the largest items.
        greedy_system: the transition system of greedy search.
        oracle: the default oracle of that.
    """

    def make_parser(
        nlp: Language,
        name: str,
        model: Model,
        search: str,
        features: str,
        max_length: int,
        oracle: str,
        loss: str,
        exploration: dict[str, Any],
        decoder: dict[str, Any],
        scorer: Callable[..., dict[str, Any]] | None,
    ) -> DependencyParser:
        check_choice(f"{name}: search", search, ["exact", "greedy"])
        check_choice(f"{name}: features", features, ["hybrid", "two"])
        check_positive(f"{name}: max_length", max_length)
        if search == "greedy":
            return _transition_parser(
                nlp,
                name,
                model,
                system_name=system_name,
                system=greedy_system,
                training=(oracle, loss, exploration),
                decoder=decoder,
                fixed={"pseudo_projective": None, "search": "greedy"},
                scorer=scorer,
            )
        check_choice(f"{name}: loss", loss, TREE_LOSSES)
        # What only greedy search uses must not be wrong either.
        make_settings(name, get_transition_system(greedy_system).oracles, oracle, loss, exploration)
        if decoder.get("k_best"):
            raise ValueError(
                f"{name}: decoder.k_best is {decoder['k_best']}, but exact search finds only the "
                'best tree. Make it 0, or set search = "greedy" and a beam_width. How sure the '
                "parser is of each arc, confidence tells."
            )
        settings = make_decoder_settings(name, decoder)
        if settings.beam_width > 1:
            raise ValueError(
                f"{name}: decoder.beam_width is {settings.beam_width}, but exact search has no "
                'beam. Make it 1, or set search = "greedy".'
            )
        return MHParser(
            nlp.vocab,
            model,
            name,
            n_heads=n_heads,
            features=features,
            loss=loss,
            max_length=max_length,
            decoder=settings,
            scorer=scorer,
        )

    _register(
        system_name,
        make_parser,
        model=DEFAULT_MODEL,
        search="exact",
        features="hybrid",
        max_length=300,
        loss="margin",
        oracle=oracle,
        exploration=EXPLORATION,
        decoder=DECODER,
    )
    return make_parser


def mst_factory() -> Callable[..., SpanningTreeParser]:
    """Register the factory `mst_parser` and return it."""

    def make_parser(
        nlp: Language,
        name: str,
        model: Model,
        loss: str,
        decoder: dict[str, Any],
        scorer: Callable[..., dict[str, Any]] | None,
    ) -> SpanningTreeParser:
        check_choice(f"{name}: loss", loss, TREE_LOSSES)
        settings = make_decoder_settings(name, decoder, ["confidence"])
        return SpanningTreeParser(
            nlp.vocab, model, name, loss=loss, decoder=settings, scorer=scorer
        )

    _register(
        "mst",
        make_parser,
        model=DEFAULT_MODEL,
        loss="margin",
        decoder={"confidence": False},
    )
    return make_parser


def one_endpoint_crossing_factory() -> Callable[..., OneEndpointCrossingParser]:
    """Register the factory `one_endpoint_crossing_parser` and return it."""
    system_name = "one_endpoint_crossing"

    def make_parser(
        nlp: Language,
        name: str,
        model: Model,
        max_length: int,
        decoder: dict[str, Any],
        scorer: Callable[..., dict[str, Any]] | None,
    ) -> OneEndpointCrossingParser:
        check_positive(f"{name}: max_length", max_length)
        settings = make_decoder_settings(name, decoder, ["confidence"])
        return OneEndpointCrossingParser(
            nlp.vocab,
            model,
            name,
            system_name=system_name,
            max_length=max_length,
            decoder=settings,
            fixed={"pseudo_projective": None},
            scorer=scorer,
        )

    _register(
        system_name,
        make_parser,
        model=DEFAULT_MODEL,
        max_length=150,
        decoder={"confidence": False},
    )
    return make_parser


def ensemble_factory() -> Callable[..., EnsembleParser]:
    """Register the factory `ensemble_parser` and return it."""

    def make_parser(
        nlp: Language,
        name: str,
        members: list[str],
        combine: str,
        decoder: dict[str, Any],
        scorer: Callable[..., dict[str, Any]] | None,
    ) -> EnsembleParser:
        check_choice(f"{name}: combine", combine, ["votes", "scores"])
        if not members:
            raise ValueError(f"{name}: there are no members. Name other parsers of the pipeline.")
        settings = make_decoder_settings(name, decoder, ["confidence"])
        return EnsembleParser(
            nlp, name, members=members, combine=combine, decoder=settings, scorer=scorer
        )

    _register("ensemble", make_parser, combine="votes", decoder={"confidence": False})
    return make_parser


def _transition_parser(
    nlp: Language,
    name: str,
    model: Model,
    *,
    system_name: str,
    system: str,
    training: tuple[str, str, dict[str, Any]],
    decoder: dict[str, Any],
    fixed: dict[str, Any],
    scorer: Callable[..., dict[str, Any]] | None,
) -> TransitionParser:
    """Make a parser with a transition system of the registry. training: oracle, loss and
    exploration; decoder: settings of the search."""
    found = get_transition_system(system)
    settings = make_settings(name, found.oracles, *training)
    decoder_settings = make_decoder_settings(name, decoder)
    check_that_settings_fit(name, found, settings, decoder_settings, fixed["pseudo_projective"])
    return TransitionParser(
        nlp.vocab,
        model,
        name,
        system_name=system_name,
        system=found,
        settings=settings,
        decoder=decoder_settings,
        fixed=fixed,
        scorer=scorer,
    )


def _register(system_name: str, make_parser: Callable[..., TreePipe], **config: Any) -> None:
    """Make a factory known to spaCy. config: the defaults of its own settings."""
    Language.factory(
        f"{system_name}_parser",
        assigns=["token.dep", "token.head", "token.is_sent_start", "doc.sents"],
        default_config={
            **config,
            "scorer": {"@scorers": "spacy_npparse.parser_scorer.v1"},
        },
        default_score_weights={
            "dep_las": 1.0,
            "dep_uas": 0.0,
            "dep_clas": 0.0,
            "sents_f": 0.0,
            "nonproj_las": 0.0,
        },
        func=make_parser,
    )


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
mh3_parser = mh_factory("mh3", 3, greedy_system="arc_hybrid", oracle="dynamic")
mh4_parser = mh_factory("mh4", 4, greedy_system="mh4", oracle="static")
covington_parser = transition_factory("covington", oracle="dynamic")
nonmonotonic_covington_parser = transition_factory("nonmonotonic_covington", oracle="dynamic")
two_planar_parser = transition_factory("two_planar", oracle="static")
mst_parser = mst_factory()
one_endpoint_crossing_parser = one_endpoint_crossing_factory()
ensemble_parser = ensemble_factory()
