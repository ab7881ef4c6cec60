"""Compare the reference documentation with the code."""

import inspect
import json
import re
from collections.abc import Mapping

import pytest
import spacy
from documentation import PAGES, ROOT, names, rows, section
from typer.main import get_command

from spacy_npparse.cli import app
from spacy_npparse.models.char_bilstm import CharBiLSTM
from spacy_npparse.models.parser import ParserModel
from spacy_npparse.models.scaled_gradient import ScaledGradient
from spacy_npparse.models.speller import SpellerModel
from spacy_npparse.models.tagger import LinearTagger, TaggerModel
from spacy_npparse.models.transformer import Transformer
from spacy_npparse.scaling.reader import CorpusShards
from spacy_npparse.systems import get_transition_system, transition_systems
from spacy_npparse.tokenization import TrainedTokenizer
from spacy_npparse.treebank import ConlluCorpus
from spacy_npparse.treebank.augmentation import NonceAugmenter, augmenting_batcher

REFERENCE = ROOT / "docs" / "reference"
SYSTEMS = (REFERENCE / "systems.md").read_text(encoding="utf-8")
PROJECT = (ROOT / "docs" / "how-to" / "project.md").read_text(encoding="utf-8")
SETTINGS = (REFERENCE / "settings.md").read_text(encoding="utf-8")
COMMANDS = (REFERENCE / "commands.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")

NLP = spacy.blank("xx")
FACTORIES = {
    name: NLP.get_factory_meta(name)
    for name in NLP.factory_names
    if NLP.get_factory_meta(name).default_config.get("scorer")
    == {"@scorers": "spacy_npparse.parser_scorer.v1"}
}
# Factories whose system has another name in the registry, if any.
GREEDY = {"mh3": "arc_hybrid"}
SECTIONS = {
    "mh3": "mh3_parser and mh4_parser",
    "mh4": "mh3_parser and mh4_parser",
    "mst": "mst_parser",
    "one_endpoint_crossing": "one_endpoint_crossing_parser",
    "ensemble": "ensemble_parser",
}
ARCHITECTURES = {
    "spacy_npparse.Parser.v1": ParserModel,
    "spacy_npparse.CharBiLSTM.v1": CharBiLSTM,
    "spacy_npparse.Transformer.v1": Transformer,
    "spacy_npparse.ScaledGradient.v1": ScaledGradient,
    "spacy_npparse.Tagger.v1": TaggerModel,
    "spacy_npparse.LinearTagger.v1": LinearTagger,
    "spacy_npparse.Speller.v1": SpellerModel,
    "spacy_npparse.ConlluCorpus.v1": ConlluCorpus,
    "spacy_npparse.CorpusShards.v1": CorpusShards,
    "spacy_npparse.augmenting_batcher.v1": augmenting_batcher,
    "spacy_npparse.nonce_augmenter.v1": NonceAugmenter,
}


def system_rows():
    """Return the oracles of each factory in the table of systems."""
    return {
        factory: row[2]
        for row in rows(SYSTEMS.split("## Notation")[0])
        for factory in names(row[0])
    }


def test_every_factory_has_a_row():
    assert set(system_rows()) == set(FACTORIES)
    assert len(FACTORIES) == 19 and "There are nineteen" in README and "Nineteen" in SYSTEMS


@pytest.mark.parametrize("factory", FACTORIES)
def test_oracles(factory):
    default = FACTORIES[factory].default_config.get("oracle")
    listed = names(system_rows()[factory])
    if default is None:
        assert not listed
        return
    name = factory.removesuffix("_parser")
    assert listed[0] == default
    assert set(listed) == set(get_transition_system(GREEDY.get(name, name)).oracles)


def test_the_oracle_of_gold_derivations_is_named():
    """The section on `derive` names it. The table of systems lists another oracle first."""
    defaults = {
        name: get_transition_system(name).oracles[0] for name in transition_systems.get_all()
    }
    assert {*defaults.values()} == {"static", "eager"}
    assert [name for name, oracle in defaults.items() if oracle == "eager"] == ["arc_standard_swap"]
    options = {names(row[0])[0]: row[1] for row in rows(section(COMMANDS, "derive"))}
    assert options["--oracle"].startswith("`static`, or `eager` for `arc_standard_swap`;")


def written(value):
    """Return a default as the page writes it."""
    if value is inspect.Parameter.empty:
        return "required"
    return f"`{json.dumps(value)}`"


def check(table, defaults):
    """Check that a table has all settings, with the defaults that are plain values."""
    found = {names(row[0])[0]: row[2] for row in rows(table)}
    assert set(found) == set(defaults)
    for name, value in defaults.items():
        if not isinstance(value, Mapping) and name not in ("oracle", "model", "augmenter"):
            assert written(value) in found[name], name


@pytest.mark.parametrize("factory", FACTORIES)
def test_settings_of_factories(factory):
    name = factory.removesuffix("_parser")
    heading = SECTIONS.get(name, "Transition systems")
    defaults = dict(FACTORIES[factory].default_config)
    common = section(SETTINGS, "All parsers")
    if name == "ensemble":
        defaults["members"] = inspect.Parameter.empty
        assert "except that an `ensemble_parser` has neither `model` nor `label_rules`" in common
        defaults |= dict.fromkeys(["model", "label_rules"], "trees")
    check(common + section(SETTINGS, heading).split("```")[0], defaults)
    if heading == "Transition systems":
        assert f"`{factory}`" in section(SETTINGS, heading)


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_settings_of_architectures(name):
    parameters = inspect.signature(ARCHITECTURES[name]).parameters
    check(section(SETTINGS, name), {key: value.default for key, value in parameters.items()})


def test_settings_of_the_tokenizer():
    parameters = inspect.signature(TrainedTokenizer.initialize).parameters
    defaults = {key: parameters[key].default for key in list(parameters)[3:]}
    check(section(SETTINGS, "spacy_npparse.TrainedTokenizer.v1"), defaults)


def test_settings_of_exploration_and_decoder():
    defaults = FACTORIES["arc_hybrid_swap_parser"].default_config
    check(section(SETTINGS, "exploration"), defaults["exploration"])
    table = section(SETTINGS, "decoder").split("What the confidence")[0]
    check(table, defaults["decoder"])


def test_variables_of_the_project():
    project = (ROOT / "project.yml").read_text(encoding="utf-8")
    variables = dict(
        re.findall(r'^  (\w+): "?([^"\n]+)"?$', project.split("directories:")[0], re.M)
    )
    found = {}
    for row in rows(section(PROJECT, "Variables")):
        found.update(zip(names(row[0]), names(row[1]), strict=True))
    assert found == variables


COMMAND_NAMES = sorted(get_command(app).commands)


@pytest.mark.parametrize("name", COMMAND_NAMES)
def test_options_of_commands(name):
    command = get_command(app).commands[name]
    options = {
        option for parameter in command.params for option in parameter.opts if option[0] == "-"
    }
    found = {option for row in rows(section(COMMANDS, name)) for option in names(row[0])}
    common = re.search(r"^Common options: (.+)\.$", section(COMMANDS, name), re.M)
    with_short = [names(row[0]) for row in rows(COMMANDS.split("## init-config")[0])]
    for option in names(common[1]) if common else ():
        found.update(*(one for one in with_short if option in one))
    assert found == options


def test_every_command_has_a_section():
    assert set(re.findall(r"^## (.+)$", COMMANDS, re.M)) == set(COMMAND_NAMES)


def test_dependencies():
    page = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    library = re.compile(r'"([\w.-]+)>=')
    required = re.search(r"\ndependencies = \[(.+?)\n\]", project, re.S)[1]
    expected = dict.fromkeys(library.findall(required), "")
    # The dependencies of developers come last.
    optional = re.search(r"\n\[project.optional-dependencies\]\n(.+?)\ndocs = ", project, re.S)[1]
    for line in optional.splitlines():
        extra, _, libraries = line.partition(" = ")
        expected.update(dict.fromkeys(library.findall(libraries), extra))
    found = {}
    for row in rows(section(page, "Dependencies")):
        libraries, _, extra = row[0].partition(" (`")
        found.update(dict.fromkeys(libraries.split(", "), extra.removesuffix("`)")))
    assert found == expected


def test_lines_of_a_training_step():
    page = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    components = ROOT / "spacy_npparse" / "components"
    files = [components / name for name in ("dependency_parser.py", "loss.py")]
    code = "".join(path.read_text(encoding="utf-8") for path in files)
    lines = [names(row[0])[0] for row in rows(section(page, "The main idea"))]
    assert len(lines) == 6 and all(line.partition("…")[0] in code for line in lines)


@pytest.mark.parametrize(
    "page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda page: str(page.relative_to(ROOT))
)
def test_paths_exist(page):
    text = page.read_text(encoding="utf-8")
    named = re.findall(r"`((?:tests|spacy_npparse|configs|examples|benchmarks)/[^`*\s]*)`", text)
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_readme():
    assert README.count("\n") <= 130
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert [link for link in links if not (ROOT / link).exists()] == []
