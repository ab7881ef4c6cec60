"""Tests of factories: entry points, configs, settings and initialization."""

from pathlib import Path

import pytest
import spacy
from parser_helpers import FACTORIES, TINY_MODEL, check_trees
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import load_config, load_model_from_config

from spacy_npparse.components import factories

CONFIGS = Path(__file__).parents[2] / "configs"


@pytest.mark.parametrize("system", sorted({factory for factory, _ in FACTORIES.values()}))
def test_every_factory_is_found_and_survives_its_config(system):
    nlp = spacy.blank("xx")
    nlp.add_pipe(f"{system}_parser", name="parser")
    again = load_model_from_config(nlp.config.from_str(nlp.config.to_str()))
    assert again.config["components"] == nlp.config["components"]
    assert again.get_pipe("parser").system_name == system
    assert again.get_pipe_meta("parser").assigns == nlp.get_pipe_meta("parser").assigns


def test_config_of_one_line_is_filled():
    config = {
        "nlp": {"lang": "xx", "pipeline": ["parser"]},
        "components": {"parser": {"factory": "arc_hybrid_swap_parser"}},
    }
    nlp = load_model_from_config(config, auto_fill=True)
    filled = nlp.config["components"]["parser"]
    assert filled["oracle"] == "static-dynamic"
    assert filled["model"]["tok2vec"]["@architectures"] == "spacy_npparse.CharBiLSTM.v1"
    assert nlp.config["training"]["score_weights"]["dep_las"] == 1.0


@pytest.mark.parametrize("name", ["accuracy", "fast", "transformer"])
def test_trees_alone_decide_which_evaluation_was_the_best(name):
    nlp = load_model_from_config(load_config(CONFIGS / f"{name}.cfg"), auto_fill=True)
    weights = nlp.config["training"]["score_weights"]
    assert {score: weight for score, weight in weights.items() if weight} == {"dep_las": 1.0}
    # These scores have no weight, but are listed in meta.json.
    assert weights["dep_las_per_type"] is weights["sents_p"] is weights["sents_r"] is None


@pytest.mark.parametrize(
    "setting, words",
    [
        ({"oracle": "eager"}, ["parser", "oracle", "'eager'", "static-dynamic"]),
        ({"loss": "hinge"}, ["parser", "loss", "'hinge'", "margin"]),
        ({"exploration": {"probability": 1.5}}, ["parser", "probability", "1.5", "1.0 or less"]),
        ({"exploration": {"probability": "high"}}, ["exploration.probability", "'high'", "float"]),
        ({"decoder": {"beam_width": 0}}, ["parser", "beam_width is 0", "1 or more"]),
        ({"decoder": {"beam_width": 2.5}}, ["decoder.beam_width", "2.5", "int"]),
        ({"loss": "max-violation"}, ["parser", "max-violation", "beam_width is 1", "2 or more"]),
        ({"decoder": {"k_best": 2}}, ["parser", "k_best is 2", "beam_width", "1"]),
        ({"decoder": {"confidence": "yes"}}, ["decoder.confidence", "'yes'", "bool"]),
        ({"decoder": {"beam_width": 10**10}}, ["parser", "beam_width is 10000000000", "or less"]),
        ({"exploration": {"warm_up": 10**10}}, ["parser", "warm_up is 10000000000", "or less"]),
        ({"decoder": {"width": 2}}, ["decoder.width", "beam_width"]),
        ({"exploration": {"margin": -1}}, ["parser", "margin", "-1"]),
        ({"exploration": {"warm_up": -1}}, ["parser", "exploration.warm_up", "-1"]),
        ({"exploration": {"warm_up": 0.5}}, ["exploration.warm_up", "0.5", "int"]),
        ({"exploration": {"rate": 0.5}}, ["exploration.rate", "probability", "warm_up"]),
        ({"exploration": {"follow_preferred_errors": 1}}, ["follow_preferred_errors", "bool"]),
        ({"positions": ["s0"]}, ["parser", "positions", "['s0']", "str"]),
        ({"positions": "s0+b"}, ["parser", "positions", "'b'", "top of the stack", "head of s0"]),
        ({"positions": ""}, ["parser", "positions", "''", "top of the stack"]),
        ({"positions": "s0+s0"}, ["parser", "positions", "['s0', 's0']", "different"]),
        ({"pseudo_projective": "tail"}, ["parser", "'tail'", "head", "path", "head+path"]),
        ({"pseudo_projective": "head"}, ["parser", "projective", "arc_hybrid_swap", "Remove"]),
        ({"model": {**TINY_MODEL, "hidden_size": 0}}, ["hidden_size is 0", "1 or more"]),
        ({"model": {**TINY_MODEL, "label_size": -3}}, ["label_size is -3", "1 or more"]),
        ({"model": {**TINY_MODEL, "dropout": 1.0}}, ["dropout", "1.0"]),
    ],
)
def test_wrong_settings_are_named(setting, words):
    nlp = spacy.blank("xx")
    with pytest.raises(ValueError) as error:
        nlp.add_pipe(
            "arc_hybrid_swap_parser", name="parser", config={"model": TINY_MODEL, **setting}
        )
    assert all(word in str(error.value) for word in words), str(error.value)


@pytest.mark.parametrize(
    "factory, setting, words",
    [
        ("mst", {"loss": "hinge"}, ["parser", "loss", "'hinge'", "margin"]),
        ("mst", {"decoder": {"beam_width": 2}}, ["decoder.beam_width", "confidence"]),
        ("mh4", {"search": "beam"}, ["parser", "search", "'beam'", "exact", "greedy"]),
        ("mh4", {"features": "three"}, ["parser", "features", "'three'", "hybrid", "two"]),
        ("mh4", {"loss": "max-violation"}, ["parser", "loss", "max-violation", "margin"]),
        ("mh4", {"max_length": 0}, ["parser", "max_length", "0", "1 or more"]),
        ("one_endpoint_crossing", {"max_length": 0}, ["parser", "max_length", "0", "1 or more"]),
        ("one_endpoint_crossing", {"pruning": -0.1}, ["parser", "pruning", "-0.1", "0 or more"]),
        ("one_endpoint_crossing", {"pruning": 2.0}, ["parser", "pruning", "2.0", "1 or less"]),
        ("one_endpoint_crossing", {"decoder": {"k_best": 2}}, ["decoder.k_best", "confidence"]),
        ("mh4", {"max_length": 10**10}, ["parser", "max_length is 10000000000", "or less"]),
        ("one_endpoint_crossing", {"max_length": "9"}, ["parser", "max_length is '9'", "int"]),
        ("mh4", {"decoder": {"beam_width": 2}}, ["parser", "beam_width is 2", "greedy"]),
        ("mh4", {"decoder": {"k_best": 2}}, ["parser", "k_best is 2", "greedy", "confidence"]),
        ("mh3", {"search": "greedy", "oracle": "lazy"}, ["parser", "oracle", "'lazy'", "exact"]),
        ("mh3", {"oracle": "lazy"}, ["parser", "oracle", "'lazy'", "exact"]),
        ("mh4", {"exploration": {"rate": 1}}, ["parser", "exploration.rate", "warm_up"]),
        ("mh4", {"search": "greedy", "features": "three"}, ["parser", "features", "'three'"]),
        ("mh4", {"positions": "s0+b0"}, ["parser", "positions", "features", "greedy"]),
        ("two_planar", {"positions": "s0+b0"}, ["parser", "positions", "of its own"]),
    ],
)
def test_wrong_settings_of_global_search_are_named(factory, setting, words):
    nlp = spacy.blank("xx")
    with pytest.raises(ValueError) as error:
        nlp.add_pipe(f"{factory}_parser", name="parser", config={"model": TINY_MODEL, **setting})
    assert all(word in str(error.value) for word in words), str(error.value)


def test_unknown_keys_of_the_config_are_refused():
    with pytest.raises(ValueError, match="beam_width"):
        spacy.blank("xx").add_pipe("arc_hybrid_parser", config={"beam_width": 3})


def test_where_only_the_factory_was_exchanged_it_is_said_what_to_change():
    """The config has the section that `spacy init config` writes for spaCy's own parser."""
    model = {**spacy.blank("xx").get_factory_meta("parser").default_config["model"]}
    theirs = {"moves": None, "update_with_oracle_cut_size": 100}
    theirs |= {"learn_tokens": False, "min_action_freq": 30}
    nlp = spacy.blank("xx")
    with pytest.raises(ValueError) as error:
        nlp.add_pipe("mst_parser", name="parser", config={**theirs, "model": model})
    assert all(f"unexpected argument: '{setting}'" in str(error.value) for setting in theirs)
    with pytest.raises(ValueError) as error:
        nlp.add_pipe("mst_parser", name="parser", config={"model": model})
    words = ("parser: mst_parser", "spacy_npparse.Parser.v1", "tok2vec", *theirs)
    assert all(word in str(error.value) for word in words)


def test_factories_have_names_and_docstrings():
    for name, _ in FACTORIES.values():
        factory = getattr(factories, f"{name}_parser")
        assert factory.__name__ == f"{name}_parser" and f"'{name}_parser'" in factory.__doc__


@pytest.mark.parametrize(
    "labels, message",
    [
        ("det", "is 'det', but must be of type list"),
        ([1], "an item is 1, but must be of type str"),
        ([], "is empty"),
        (["det", ""], "an empty label"),
        (["det", "obj", "det"], "'det' more than once"),
        (["det", "ROOT"], "'ROOT', which every parser always has"),
    ],
)
def test_labels_that_are_given_are_checked(make_nlp, labels, message):
    parser = make_nlp().get_pipe("parser")
    with pytest.raises(ValueError, match=rf"initialize\.components\.parser\.labels.* {message}"):
        parser.initialize(lambda: [], labels=labels)


def test_two_parsers_in_one_pipeline(make_nlp, sample):
    nlp = make_nlp("arc_hybrid")
    nlp.add_pipe("arc_standard_swap_parser", name="second", config={"model": TINY_MODEL})
    optimizer = nlp.initialize(lambda: sample(nlp))
    losses = nlp.update(sample(nlp), sgd=optimizer)
    assert losses["parser"] > 0 and losses["second"] > 0
    check_trees(nlp("Das ist ein Satz ."))


def test_labels_come_from_the_examples(trained):
    parser = trained.get_pipe("parser")
    assert {"nsubj", "punct", "expl:pv"} < set(parser.labels)
    assert parser.labels[-1] == "ROOT" and "ROOT" not in parser.label_data
    assert parser.label_data == sorted(parser.label_data)


def test_labels_can_be_given(make_nlp, sample, trained):
    labels = [*trained.get_pipe("parser").label_data, "extra"]
    nlp = make_nlp()
    nlp.config["initialize"]["components"]["parser"] = {"labels": labels}
    nlp.initialize(lambda: sample(nlp))
    assert nlp.get_pipe("parser").label_data == labels


def test_initialize_without_gold_trees(make_nlp):
    nlp = make_nlp()
    doc = Doc(nlp.vocab, words=["a", "b"])
    optimizer = nlp.initialize(lambda: [Example(doc.copy(), doc.copy())])
    assert nlp.get_pipe("parser").labels == ("dep", "ROOT")
    assert nlp.update([Example(doc.copy(), doc.copy())], sgd=optimizer) == {"parser": 0.0}
    check_trees(nlp(doc))


def test_initialize_without_examples_is_refused(make_nlp):
    nlp = make_nlp()
    with pytest.raises((TypeError, ValueError), match="parser|DependencyParser"):
        nlp.get_pipe("parser").initialize(lambda: [], nlp=nlp)


@pytest.mark.parametrize("text", ["Hallo Welt", ""])
def test_untrained_component_says_so(make_nlp, text):
    nlp = make_nlp()
    with pytest.raises(ValueError, match=r"nlp\.initialize\(\)"):
        nlp(text)


def test_scores_are_the_official_ones(trained, sample):
    examples = sample(trained)
    scores = trained.evaluate(examples)
    assert {"dep_uas", "dep_las", "dep_clas", "nonproj_las"} <= set(scores)
    docs = trained.pipe([eg.predicted for eg in examples])
    right = [
        mine.head.i == gold.head.i
        for doc, eg in zip(docs, examples, strict=True)
        for mine, gold in zip(doc, eg.reference, strict=True)
    ]
    assert scores["dep_uas"] == pytest.approx(sum(right) / len(right))


def test_sentences_that_were_given_are_not_scored(trained, sample):
    """Given gold sentence boundaries are right by definition."""

    def scored(gold_sentences, nlp=trained):
        examples = sample(nlp, limit=4, sentences_per_doc=2, gold_sentences=gold_sentences)
        return nlp.evaluate(examples)

    names = {"sents_p", "sents_r", "sents_f"}
    assert not names & set(scored(True))
    found = scored(False)
    assert all(0.0 <= found[name] <= 1.0 for name in names) and found["sents_f"] < 1.0
    # Boundaries that another component sets are scored.
    with trained.select_pipes(enable=["parser"]):
        trained.add_pipe("sentencizer", first=True)
        assert scored(False)["sents_f"] > found["sents_f"]
    # Boundaries that the parser found do not count as given when it parses the Doc again.
    trained.remove_pipe("sentencizer")
    parser = trained.get_pipe("parser")
    (eg,) = sample(trained, limit=1, sentences_per_doc=2, gold_sentences=False)
    for _ in range(2):
        parser(eg.predicted)
        assert "sents_f" in parser.score([eg])


def test_disabled_component_does_nothing(trained):
    with trained.select_pipes(disable="parser"):
        assert not trained("Hallo Welt").has_annotation("DEP")
    assert trained("Hallo Welt").has_annotation("DEP")


def test_factories_need_no_import():
    assert all(Language.has_factory(f"{system}_parser") for system, _ in FACTORIES.values())
