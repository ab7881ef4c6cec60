"""The factories: one `nlp.add_pipe` name for each transition system."""

from collections.abc import Callable
from typing import Any

from spacy.language import Language
from thinc.api import Model

from ..transitions.registry import transition_systems
from .dependency_parser import DependencyParser
from .settings import (
    TREE_LOSSES,
    check_choice,
    check_that_settings_fit,
    make_decoder_settings,
    make_settings,
)
from .spanning_tree_parser import SpanningTreeParser
from .transition_parser import TransitionParser

DEFAULT_MODEL = {
    "@architectures": "spacy_npparse.Parser.v1",
    "tok2vec": {"@architectures": "spacy_npparse.CharBiLSTM.v1"},
}


def parser_factory(system_name: str, oracle: str) -> Callable[..., TransitionParser]:
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
        system = transition_systems.get(system_name)(single_root=True)
        settings = make_settings(name, tuple(system.oracle_classes()), oracle, loss, exploration)
        decoder_settings = make_decoder_settings(name, decoder)
        check_that_settings_fit(name, system, settings, decoder_settings, pseudo_projective)
        return TransitionParser(
            nlp.vocab,
            model,
            name,
            system_name=system_name,
            system=system,
            settings=settings,
            decoder=decoder_settings,
            pseudo_projective=pseudo_projective,
            scorer=scorer,
        )

    _register(
        system_name,
        make_parser,
        oracle=oracle,
        loss="log-likelihood",
        exploration={"probability": 0.1, "margin": 1.0, "warm_up": 0},
        decoder={"beam_width": 1, "k_best": 0, "confidence": False},
        pseudo_projective=None,
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

    _register("mst", make_parser, loss="log-likelihood", decoder={"confidence": False})
    return make_parser


def _register(
    system_name: str, make_parser: Callable[..., DependencyParser], **config: Any
) -> None:
    """Make a factory known to spaCy. config: the defaults of its own settings."""
    Language.factory(
        f"{system_name}_parser",
        assigns=["token.dep", "token.head", "token.is_sent_start", "doc.sents"],
        default_config={
            "model": DEFAULT_MODEL,
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


arc_standard_parser = parser_factory("arc_standard", oracle="dynamic")
arc_eager_parser = parser_factory("arc_eager", oracle="dynamic")
arc_hybrid_parser = parser_factory("arc_hybrid", oracle="dynamic")
nonmonotonic_arc_eager_parser = parser_factory("nonmonotonic_arc_eager", oracle="joint")
nonmonotonic_arc_eager_left_parser = parser_factory("nonmonotonic_arc_eager_left", oracle="joint")
nonmonotonic_arc_eager_reduce_parser = parser_factory(
    "nonmonotonic_arc_eager_reduce", oracle="joint"
)
arc_standard_swap_parser = parser_factory("arc_standard_swap", oracle="lazy")
arc_hybrid_swap_parser = parser_factory("arc_hybrid_swap", oracle="static-dynamic")
stay_eager_swap_parser = parser_factory("stay_eager_swap", oracle="non-static")
attardi_parser = parser_factory("attardi", oracle="static")
attardi_3_parser = parser_factory("attardi_3", oracle="static")
mh4_parser = parser_factory("mh4", oracle="static")
covington_parser = parser_factory("covington", oracle="dynamic")
nonmonotonic_covington_parser = parser_factory("nonmonotonic_covington", oracle="dynamic")
two_planar_parser = parser_factory("two_planar", oracle="static")
mst_parser = mst_factory()
