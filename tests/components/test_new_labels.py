"""Tests of labels that are added one by one, or that a trained parser meets in new treebanks."""

import numpy as np
import pytest
import spacy
import srsly
import torch
from parser_helpers import SAMPLE, TINY_ENCODER, TINY_MODEL, example, scored_batch
from spacy.tokens import Doc
from spacy.training import Example
from spacy.training.initialize import init_nlp
from spacy.training.loop import train
from spacy.util import fix_random_seed
from thinc.api import SGD, Adam, RAdam
from tiny import tiny_config, write_part

from spacy_npparse.trees import is_projective

WORDS = ["Das", "Haus", "steht", "hier"]
# Two labels that the sample does not have.
HEADS, DEPS = [1, 2, 2, 2], ["det:new", "nsubj:new", "ROOT", "advmod"]


def label_rows(parser):
    """Return the weights and the bias of each label."""
    layer = parser.network.shim.net.label_output
    rows = torch.cat([layer.weight, layer.bias[:, None]], dim=1).detach().clone()
    return dict(zip(parser.label_set.spell(range(len(rows))), rows, strict=True))


def assert_kept(before, after):
    assert before.keys() < after.keys()
    assert all(torch.equal(row, after[label]) for label, row in before.items())


def crosses(eg):
    heads = [0 if t.head.i == t.i else t.head.i + 1 for t in eg.reference]
    return not is_projective([0, *heads])


def renamed(nlp, eg, old, new):
    """Return the example with one label replaced by another."""
    tokens = list(eg.reference)
    deps = [new if token.dep_ == old else token.dep_ for token in tokens]
    return example(nlp, [t.text for t in tokens], [t.head.i for t in tokens], deps)


def parser_config():
    """Return a config with an encoder and a parser that listens to it."""
    config = tiny_config()
    config["nlp"]["pipeline"] = ["tok2vec", "parser"]
    config["components"] = {name: config["components"][name] for name in ("tok2vec", "parser")}
    return config


def trees(nlp):
    doc = nlp(Doc(nlp.vocab, words=WORDS))
    return [(token.head.i, token.dep_) for token in doc]


def test_labels_are_those_that_were_added_or_learnt(make_nlp, sample):
    nlp = make_nlp()
    parser = nlp.get_pipe("parser")
    assert parser.labels == () and parser.label_data == [] and parser.is_resizable
    assert parser.add_label("zzz") == 1 and parser.add_label("ROOT") == 1
    assert parser.add_label("zzz") == 0 and parser.labels == ("zzz", "ROOT")
    nlp.initialize(lambda: sample(nlp))
    learnt = {token.dep_ for eg in sample(nlp) for token in eg.reference}
    assert parser.labels[0] == "zzz" and parser.labels[-1] == "ROOT"
    assert set(parser.labels) == {"zzz", *learnt}
    # The network has no output for the label of roots.
    assert "ROOT" not in parser.label_data
    assert len(label_rows(parser)) == len(parser.labels) - 1
    assert parser.add_label("ROOT") == 0
    for wrong in ("", None, 3):
        with pytest.raises(ValueError, match="is not a label"):
            parser.add_label(wrong)


@pytest.mark.parametrize("system", ["arc_hybrid_swap", "mst", "mh4, exact"])
def test_a_label_is_added_to_a_trained_parser(make_nlp, sample, system, tmp_path):
    nlp = make_nlp(system)
    nlp.initialize(lambda: sample(nlp))
    parser = nlp.get_pipe("parser")
    doc = Doc(nlp.vocab, words=WORDS)
    heads, dependents = np.array([2, 3, 3]), np.array([1, 2, 4])

    def scores():
        scored = scored_batch(parser, [doc])
        with torch.no_grad():
            return scored.net.score_labels(scored.projected_for_labels, heads, dependents)

    before, scored = label_rows(parser), scores()
    assert [parser.add_label("new"), parser.add_label("new")] == [1, 0]
    assert_kept(before, label_rows(parser))
    assert torch.equal(scores()[:, :-1], scored) and parser.labels[-2:] == ("new", "ROOT")
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert loaded.get_pipe("parser").labels == parser.labels
    assert trees(loaded) == trees(nlp)


@pytest.mark.parametrize("make_optimizer", [Adam, RAdam, SGD])
def test_training_goes_on_with_labels_that_are_new(make_nlp, sample, make_optimizer):
    nlp = make_nlp()
    nlp.initialize(lambda: sample(nlp))
    parser = nlp.get_pipe("parser")
    optimizer = make_optimizer(0.01, use_averages=True)
    nlp.update(sample(nlp), sgd=optimizer)
    before = label_rows(parser)
    new = example(nlp, WORDS, HEADS, DEPS)
    # The gradients of two batches are accumulated, and the second batch has new labels.
    parser.update(sample(nlp))
    gradient = parser.network.shim.net.label_output.weight.grad.clone()
    parser.add_labels_of([new])
    assert_kept(before, label_rows(parser))
    assert set(parser.labels) == {*before, "ROOT", "det:new", "nsubj:new"}
    grown = parser.network.shim.net.label_output.weight.grad
    assert torch.equal(grown[: len(gradient)], gradient) and not grown[len(gradient) :].any()
    with nlp.use_params(optimizer.averages):
        assert len(trees(nlp)) == 4
    for _ in range(3):
        losses = nlp.update([*sample(nlp), new], sgd=optimizer)
    assert np.isfinite(losses["parser"])
    after = label_rows(parser)
    assert all(not torch.equal(row, after[label]) for label, row in before.items())
    with nlp.use_params(optimizer.averages):
        assert all(not torch.equal(row, label_rows(parser)[lab]) for lab, row in after.items())


@pytest.mark.parametrize("encoding", ["head", "path"])
def test_decorated_labels_are_added_too(make_nlp, sample, encoding, tmp_path):
    model = {**TINY_MODEL, "hidden_size": 64, "label_size": 64, "tok2vec": TINY_ENCODER}
    nlp = make_nlp("arc_standard", pseudo_projective=encoding, model=model)
    examples = sample(nlp, limit=60)
    plain = [eg for eg in examples if not crosses(eg)][:10]
    crossing = [eg for eg in examples if crosses(eg)][:3]
    label = next(t.dep_ for t in crossing[0].reference if t.head.i != t.i)
    crossing[0] = renamed(nlp, crossing[0], label, f"{label}:new")
    # Before, the parser knows the crossing arcs of only one sentence.
    nlp.initialize(lambda: [*plain, crossing[-1]])
    parser = nlp.get_pipe("parser")
    before = label_rows(parser)
    parser.add_labels_of(crossing)
    after = label_rows(parser)
    assert_kept(before, after)
    added = after.keys() - before.keys()
    assert {"↑" in name for name in added} == {False, True}
    optimizer = nlp.resume_training()
    optimizer.learn_rate = 0.01
    for _ in range(80):
        losses = nlp.update(crossing, sgd=optimizer)
        if losses["parser"] < 0.5 and nlp.evaluate(crossing)["dep_las"] == 1.0:
            break
    nlp.to_disk(tmp_path)
    assert spacy.load(tmp_path).evaluate(crossing)["dep_las"] == 1.0


@pytest.fixture
def treebanks(tmp_path):
    """Write two treebanks, the second of which has a label of its own."""
    first, second = (write_part("train", tmp_path / f"{n}.conllu", 12) for n in ("one", "two"))
    text = second.read_text(encoding="utf8")
    assert "\tobj\t" in text
    second.write_text(text.replace("\tobj\t", "\tobj:dir\t"), encoding="utf8")
    return first, second


def test_spacy_train_goes_on_with_another_treebank(treebanks, tmp_path):
    """Sourced components are not initialized, so that new labels come with the batches."""

    def trained(config, corpus, folder):
        config["paths"].update(train=str(corpus), dev=str(corpus))
        config["training"]["eval_frequency"] = 1
        nlp = init_nlp(config)
        before = label_rows(nlp.get_pipe("parser"))
        (tmp_path / folder).mkdir()
        train(nlp, tmp_path / folder)
        return before, spacy.load(tmp_path / folder / "model-last")

    first, second = treebanks
    _, nlp = trained(parser_config(), first, "first")
    config = parser_config()
    for name in nlp.pipe_names:
        config["components"][name] = {"source": str(tmp_path / "first" / "model-last")}
    before, again = trained(config, second, "second")
    assert all(torch.equal(row, before[k]) for k, row in label_rows(nlp.get_pipe("parser")).items())
    assert set(again.get_pipe("parser").labels) == {*nlp.get_pipe("parser").labels, "obj:dir"}
    assert len(trees(again)) == 4
    meta = srsly.read_json(tmp_path / "second" / "model-last" / "meta.json")
    assert "obj:dir" in meta["labels"]["parser"]
    assert {"p", "r", "f"} == set(meta["performance"]["dep_las_per_type"]["punct"])


def test_a_sourced_parser_learns_labels_of_the_new_pipeline(trained):
    nlp = spacy.blank("xx")
    nlp.add_pipe("parser", source=trained)
    eg = example(nlp, WORDS, HEADS, ["det", "nsubj", "ROOT", "never:seen"])
    nlp.update([eg], sgd=nlp.resume_training())
    assert "never:seen" in nlp.get_pipe("parser").labels


def test_initialization_keeps_labels_and_no_weights(trained, sample):
    parser = trained.get_pipe("parser")
    labels, before = parser.labels, label_rows(parser)
    parser.add_label("new")
    trained.initialize(lambda: sample(trained, limit=1))
    assert parser.labels == (*labels[:-1], "new", "ROOT")
    after = label_rows(parser)
    assert not any(torch.equal(row, after[label]) for label, row in before.items())


def test_white_space_has_no_label_to_learn(make_nlp):
    nlp = make_nlp()
    words = {"words": ["a", "\n", "b"], "spaces": [False, False, False]}
    reference = Doc(nlp.vocab, **words, heads=[0, 0, 0], deps=["ROOT", "dep", "obj"])
    examples = [Example(Doc(nlp.vocab, **words), reference)]
    optimizer = nlp.initialize(lambda: examples)
    nlp.update(examples, sgd=optimizer)
    assert nlp.get_pipe("parser").labels == ("obj", "ROOT")


def test_rehearsal_keeps_what_was_predicted(make_nlp, sample):
    nlp = make_nlp()
    examples = sample(nlp, limit=4)
    optimizer = nlp.initialize(lambda: examples)
    parser = nlp.get_pipe("parser")
    assert nlp.rehearse(examples, sgd=optimizer) == {"parser": 0.0}
    with pytest.raises(TypeError, match="E978"):
        nlp.get_pipe("parser").rehearse([eg.predicted for eg in examples])
    optimizer.learn_rate = 0.01
    docs = [eg.predicted for eg in examples]
    assert not any(doc.has_annotation("DEP") for doc in docs)
    wanted = [parse.arcs.tolist() for parse in parser.predict(docs)]
    nlp.resume_training(sgd=optimizer)
    # The copy of the parser, which rehearsal imitates, does not know the new label.
    parser.add_label("new")
    with torch.no_grad():
        parser.network.shim.net.label_output.bias[-1] = 100.0
    assert [parse.arcs.tolist() for parse in parser.predict(docs)] != wanted
    parser.network.shim.net.label_output.bias.data[-1] = 0.0
    losses = [nlp.rehearse(examples, sgd=optimizer)["parser"] for _ in range(40)]
    assert losses[-1] < losses[0] / 4
    assert [parse.arcs.tolist() for parse in parser.predict(docs)] == wanted


def test_rehearsal_needs_an_encoder_of_its_own(sample):
    config = parser_config()
    config["paths"].update(train=str(SAMPLE), dev=str(SAMPLE))
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    examples = sample(nlp, limit=3)
    nlp.initialize(lambda: examples)
    nlp.resume_training()
    with pytest.raises(NotImplementedError, match="parser: rehearse.*replace_listeners"):
        nlp.rehearse(examples)
    nlp.replace_listeners("tok2vec", "parser", ["model.tok2vec"])
    nlp.resume_training()
    assert nlp.rehearse(examples)["parser"] > 0


def test_labels_are_added_after_other_weights_were_loaded(make_nlp, sample):
    """The copy of the parser for rehearsal has other labels."""
    nlp = make_nlp()
    nlp.initialize(lambda: sample(nlp))
    nlp.resume_training()
    other = make_nlp()
    other.initialize(lambda: [example(other, WORDS, HEADS, DEPS)])
    parser = nlp.get_pipe("parser").from_bytes(other.get_pipe("parser").to_bytes())
    assert parser.add_label("new") == 1
    assert parser.rehearse(sample(nlp)) == {"parser": 0.0}


def test_trees_are_rehearsed_whether_confidence_is_kept_or_not(make_nlp, sample):
    found = []
    for confidence in (False, True):
        fix_random_seed(0)
        nlp = make_nlp("mst", decoder={"confidence": confidence})
        nlp.initialize(lambda nlp=nlp: sample(nlp))
        nlp.resume_training()
        found.append(nlp.get_pipe("parser").rehearse(sample(nlp)))
    assert found[0] == found[1]


def test_the_label_of_roots_is_no_label_of_other_words(make_parser, sample, caplog):
    nlp = make_parser("arc_hybrid_swap")
    examples = sample(nlp, limit=4)
    wrong = example(nlp, WORDS, [1, 2, 2, 2], ["det", "ROOT", "ROOT", "advmod"])
    nlp.initialize(lambda: [*examples, wrong])
    parser = nlp.get_pipe("parser")
    assert parser.labels.count("ROOT") == 1 and "ROOT" not in parser.label_data
    assert "parser: 1 words of the training data have a head, but the label of roots" in caplog.text
    # An update does not add the label either.
    assert nlp.update([wrong], sgd=nlp.create_optimizer())["parser"] > 0
    assert parser.labels.count("ROOT") == 1
    gold, _ = parser.label_set.gold([wrong])
    assert (gold.labels >= 0).tolist() == [True, False, False, True]
    caplog.clear()
    nlp.initialize(lambda: examples)
    assert "label of roots" not in caplog.text


def test_roots_of_other_labels_are_reported(make_parser, sample, caplog):
    nlp = make_parser("arc_hybrid_swap")
    gold = [*sample(nlp, limit=4), example(nlp, WORDS, [1, 1, 1, 1], ["det", "Pred", "a", "b"])]
    nlp.initialize(lambda: gold)
    assert "have other labels than ROOT (root in CoNLL-U): Pred. These labels" in caplog.text
    assert "Pred" not in nlp.get_pipe("parser").labels
