"""A pytest plugin that runs spaCy's own tests with a parser of this package in place of spaCy's.

    python -m pytest -p spacy_stand_in --pyargs spacy.tests

The plugin replaces the factories "parser" and "beam_parser", the class
`spacy.pipeline.DependencyParser` and its default model before spaCy's tests are imported. It runs
the tests that mention a parser, except the tests in `NOT_RUN`. The tests in `EXCLUDED` have to
fail. The environment variable `STAND_IN` names the factory; `-k` selects some of the tests.
"""

from __future__ import annotations

import inspect
import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import spacy.tests
from spacy.language import Language
from spacy.pipeline import dep_parser
from spacy.util import registry
from spacy.vocab import Vocab
from thinc.api import Model

SPACYS_TESTS = Path(spacy.tests.__file__).parent
FACTORY = os.environ.get("STAND_IN", "arc_hybrid_swap_parser")
# Settings of spaCy's parser that its tests use and that the parsers of this package do not have.
_ARC_EAGER = (
    "learn_tokens",
    "min_action_freq",
    "update_with_oracle_cut_size",
    "beam_width",
    "beam_density",
    "beam_update_prob",
)
_MODEL = "gives the parser a model of spaCy (TransitionBasedParser), and looks at its layers"
_MOVES = "looks at the transitions of spaCy's arc-eager system (moves)"
_BEAM = "looks at the beam of spaCy's parser (scored_parses)"
_NER = "is of spaCy's EntityRecognizer, with the model of a parser"
_TEMPLATE = "makes a config of spaCy's template, which has spaCy's model of a parser"
# Long tests with meaningless results: their bound on the loss is for a model without dropout, and
# their training data does not determine the expected parse of an unknown word. The third one looks
# at the beam of spaCy's parser, after a training.
NOT_RUN = {
    *(
        f"parser/test_parse.py::test_{test}[{name}]"
        for test in ("overfitting_IO", "incomplete_data")
        for name in ("parser", "beam_parser")
    ),
    "parser/test_parse.py::test_beam_overfitting_IO",
}
# Tests that cannot pass, and why.
EXCLUDED = {
    "parser/test_add_label.py::test_add_label_get_label[DependencyParser-5-model_config0]": _MOVES,
    "parser/test_arc_eager_oracle.py::test_get_oracle_actions": _MOVES,
    "parser/test_neural_parser.py::test_can_init_nn_parser": _MOVES,
    "parser/test_neural_parser.py::test_build_model": _MOVES,
    "parser/test_neural_parser.py::test_predict_doc": _MOVES,
    "parser/test_neural_parser.py::test_update_doc": _MOVES,
    "parser/test_parse.py::test_issue3830_with_subtok": "asks for spaCy's setting learn_tokens",
    "parser/test_parse.py::test_beam_parser_scores": _BEAM,
    "serialize/test_serialize_config.py::test_serialize_custom_nlp": _MODEL,
    **{
        f"serialize/test_serialize_config.py::{test}[parser_config_string{number}]": _MODEL
        for test in ("test_serialize_parser", "test_config_validate_literal")
        for number in (0, 1)
    },
    **{
        f"serialize/test_serialize_pipeline.py::test_serialize_{what}[EntityRecognizer]": _NER
        for what in ("parser_strings", "parser_roundtrip_disk")
    },
    "serialize/test_serialize_pipeline.py::test_to_from_bytes": _MOVES,
    **{
        f"test_cli.py::test_init_config[{pretraining}-{optimize}-pipeline0-{lang}]": _TEMPLATE
        for pretraining in (True, False)
        for optimize in ("efficiency", "accuracy")
        for lang in ("en", "nl")
    },
}
# The tests that have made a parser.
_with_parser: set[str] = set()


def _exchange() -> None:
    """Replace spaCy's parser by the parser of this package."""
    spacy.blank("xx")  # Registers spaCy's factories.
    meta = Language.get_factory_meta(FACTORY)
    known = inspect.signature(registry.factories.get(FACTORY)).parameters
    ignored = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in _ARC_EAGER]
    _make_component.__signature__ = inspect.Signature([*known.values(), *ignored])
    for name, beam_width in (("parser", 1), ("beam_parser", 4)):
        config = {**dict.fromkeys(_ARC_EAGER), **meta.default_config}
        if "beam_width" in config["decoder"] and config.get("search") != "exact":
            config["decoder"] = {**config["decoder"], "beam_width": beam_width}
        registry.factories.register(name, func=_make_component)
        Language.set_factory_meta(name, replace(meta, factory=name, default_config=config))
    dep_parser.DEFAULT_PARSER_MODEL = meta.default_config["model"]
    spacy.pipeline.DependencyParser = DependencyParser


def _make_component(nlp: Any, name: str, **settings: Any) -> Any:
    """Replace spaCy's factory: make the parser without the settings of spaCy's parser."""
    _with_parser.add(os.environ["PYTEST_CURRENT_TEST"].split(" ")[0])
    ours = {key: value for key, value in settings.items() if key not in _ARC_EAGER}
    return registry.factories.get(FACTORY)(nlp, name, **ours)


def DependencyParser(vocab: Vocab, model: Model, name: str = "parser", **settings: Any) -> Any:
    """Replace spaCy's class: make the parser without a pipeline."""
    config = Language.get_factory_meta("parser").default_config
    config = registry.resolve({"settings": {**config, "model": None}})["settings"]
    return _make_component(
        SimpleNamespace(vocab=vocab), name, **{**config, **settings, "model": model}
    )


def pytest_configure() -> None:
    """Replace the parser before spaCy's tests are imported."""
    _exchange()


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Ignore the test modules that do not mention a parser."""
    if collection_path.suffix == ".py" and collection_path.name.startswith("test_"):
        return "parser" not in collection_path.read_text(encoding="utf8").lower() or None
    return None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Select the tests, and mark the tests in `EXCLUDED` as expected failures."""
    chosen = [item for item in items if _name(item) not in NOT_RUN and _concerns_a_parser(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen
    names = {_name(item): item for item in items}
    unknown = EXCLUDED.keys() - names.keys()
    if unknown and not config.option.keyword:
        raise pytest.UsageError(f"spaCy has no such tests: {', '.join(sorted(unknown))}")
    for name in EXCLUDED.keys() & names.keys():
        names[name].add_marker(pytest.mark.xfail(reason=EXCLUDED[name], strict=True))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how many tests have made a parser, and its factory."""
    terminalreporter.write_line(f"{len(_with_parser)} tests with {FACTORY}")


def _concerns_a_parser(item: pytest.Item) -> bool:
    """Return whether the body, the fixtures or the parameters of a test mention a parser."""
    source = inspect.getsource(item.function)
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    texts = [source[source.index("def ") :], *item.fixturenames, *map(str, parameters.values())]
    return any("parser" in text.lower() for text in texts)


def _name(item: pytest.Item) -> str:
    """Return the file, function and parameters of a test."""
    return f"{item.path.relative_to(SPACYS_TESTS).as_posix()}::{item.name}"
