"""Tests of ensembles of parsers."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import spacy
import torch
from parser_helpers import SAMPLE, TINY_ENCODER, TINY_MODEL, check_trees, one_sentence, scored_batch
from spacy.tokens import Doc
from spacy.util import get_sourced_components, load_config, load_model_from_config

from spacy_npparse.components import add_other_components
from spacy_npparse.decoding import decode_spanning_trees
from spacy_npparse.errors import UserError
from spacy_npparse.parsing import EncodedTokens, Found
from spacy_npparse.parsing.settings import DecoderSettings
from spacy_npparse.treebank import ConlluCorpus

CONFIG = Path(__file__).parents[2] / "configs" / "ensemble.cfg"
MEMBERS = ["first", "second", "third"]


@pytest.fixture
def member(tmp_path, make_nlp, sample):
    """Return a function that saves a pipeline like the configs' pipelines, with random weights."""

    def make(name, factory="arc_hybrid_swap", limit=10, lemmatizer=False, **settings):
        listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": TINY_ENCODER["width"]}
        nlp = spacy.blank("xx")
        nlp.add_pipe("tok2vec", config={"model": TINY_ENCODER})
        nlp.add_pipe("morphologizer", config={"model": {"tok2vec": listener}})
        if lemmatizer:
            nlp.add_pipe("character_lemmatizer")
        config = {"model": {**TINY_MODEL, "tok2vec": listener}, **settings}
        nlp.add_pipe(f"{factory}_parser", name="parser", config=config)
        nlp.initialize(lambda: sample(nlp, limit=limit))
        nlp.to_disk(tmp_path / name)
        return tmp_path / name

    return make


def assemble(*paths, **parser):
    """Assemble an ensemble as `spacy assemble` does."""
    names = dict(zip(MEMBERS, map(str, paths), strict=True))
    overrides = {f"paths.{name}": path for name, path in names.items()}
    overrides |= {f"components.parser.{name}": value for name, value in parser.items()}
    overrides["nlp.tokenizer.@tokenizers"] = "spacy.Tokenizer.v1"
    config = load_config(CONFIG, overrides=overrides)
    del config["initialize"]["tokenizer"]
    nlp = load_model_from_config(config, auto_fill=True)
    with nlp.select_pipes(disable=get_sourced_components(config)):
        nlp.initialize()
    return nlp


def docs_for(nlp):
    return [eg.predicted for eg in ConlluCorpus(SAMPLE, limit=6, sentences_per_doc=2)(nlp)]


def heads_of(doc):
    return [token.head.i for token in doc]


@pytest.mark.parametrize("combine", ["votes", "scores"])
def test_every_combination_is_a_tree_in_another_process_too(member, tmp_path, combine):
    parsers = [member("a"), member("b", "mh4"), member("c", "mst")]
    nlp = assemble(*parsers, combine=combine, decoder={"confidence": True})
    assert nlp.pipe_names == ["tok2vec", "morphologizer", "parser"]
    nlp.to_disk(tmp_path / "ensemble")
    expected = [heads_of(doc) for doc in nlp.pipe(docs_for(nlp))]
    for path in parsers:
        shutil.rmtree(path)
    loaded = spacy.load(tmp_path / "ensemble")
    for doc, heads in zip(
        loaded.pipe(docs_for(loaded), n_process=2, batch_size=2), expected, strict=True
    ):
        check_trees(doc)
        assert heads_of(doc) == heads
        assert all(0.0 <= token._.head_probability <= 1.0 for token in doc)


def test_all_that_does_not_parse_is_taken_from_the_first_pipeline(member, tmp_path):
    paths = [member("a", lemmatizer=True), member("b"), member("c")]
    first = spacy.load(paths[0])
    first.add_pipe("merge_subtokens", last=True)
    first.to_disk(tmp_path / "more")
    nlp = assemble(tmp_path / "more", *paths[1:])
    names = ["tok2vec", "morphologizer", "character_lemmatizer"]
    assert nlp.pipe_names == [*names, "parser", "merge_subtokens"]
    assert nlp.component_names == [*names, *MEMBERS, "parser", "merge_subtokens"]
    nlp.to_disk(tmp_path / "ensemble")
    shutil.rmtree(tmp_path / "more")
    loaded = spacy.load(tmp_path / "ensemble")
    for doc, expected in zip(
        loaded.pipe(docs_for(loaded)), first.pipe(docs_for(first)), strict=True
    ):
        annotation = [[(t.pos_, str(t.morph), t.lemma_) for t in one] for one in (doc, expected)]
        assert annotation[0] == annotation[1] and all(lemma for *_, lemma in annotation[0])


def test_components_are_added_to_a_pipeline_without_parser(member):
    nlp = spacy.blank("xx")
    add_other_components(member("a"))(nlp)
    assert nlp.pipe_names == ["tok2vec", "morphologizer"]
    assert all(token.pos_ for token in nlp("Was glaubt der Arzt?"))


def test_members_that_are_not_disabled_are_warned_of(member, caplog):
    nlp = assemble(*(member(name) for name in "abc"))
    list(nlp.pipe(docs_for(nlp)))
    assert "by themselves" not in caplog.text
    nlp.enable_pipe("second")
    for _ in range(2):
        list(nlp.pipe(docs_for(nlp)))
    assert caplog.text.count("parser: the members second are not disabled") == 1
    assert "nlp.disable_pipes('second')" in caplog.text


def test_two_of_three_win_however_sure_the_third_is(member):
    one, other = member("a"), member("b")
    nlp = assemble(one, other, other, decoder={"confidence": True})
    nlp.get_pipe(MEMBERS[0]).model.shims[0].net.arc_weight.data *= 1000.0
    alone = spacy.load(other)
    for doc, expected in zip(nlp.pipe(docs_for(nlp)), alone.pipe(docs_for(alone)), strict=True):
        assert heads_of(doc) == heads_of(expected)
        assert {round(3 * token._.head_probability) for token in doc} <= {2, 3}


@pytest.mark.parametrize("combine", ["votes", "scores"])
def test_distributions_of_heads_are_the_votes_or_the_mean_probabilities(member, combine):
    nlp = assemble(member("a"), member("b"), member("c", "mst"), combine=combine)
    ensemble = nlp.get_pipe("parser")
    words = ["Wir", "haben", " ", "das", "Haus", "gesehen", "."]
    doc = Doc(nlp.vocab, words=words, sent_starts=[True, *[False] * 6])
    doc = nlp.get_pipe("tok2vec")(doc)
    expected = np.zeros((6, 7))
    for parser in ensemble.parsers():
        scored = scored_batch(parser, [doc])
        if combine == "votes":
            with torch.no_grad():
                heads = parser.search.best(scored).heads[0]
            expected[range(6), heads] += 1 / 3
        else:
            expected += np.exp(scored.arcs.numpy())[0, 1:] / 3
    ensemble.decoder = DecoderSettings(confidence=True)
    doc = ensemble(doc)
    rows = {token.i: row for row, token in enumerate(t for t in doc if not t.is_space)}
    for i, row in rows.items():
        found = doc[i]._.head_distribution
        assert found[doc[i].head.i] == pytest.approx(doc[i]._.head_probability, abs=1e-6)
        of_heads = {0 if head == i else rows[head] + 1: p for head, p in found.items()}
        assert of_heads == {head: pytest.approx(expected[row, head]) for head in of_heads}
        assert min(of_heads.values()) >= np.sort(expected[row])[-len(of_heads)] - 1e-6


def test_scores_are_added_up(member):
    paths = [member("a"), member("b"), member("c", "mst")]
    nlp = assemble(*paths, combine="scores")
    doc = Doc(nlp.vocab, words=["Wir", "haben", "das", "Haus", "gesehen", "."])
    doc = nlp.get_pipe("tok2vec")(doc)
    ensemble = nlp.get_pipe("parser")
    scores = sum(scored_batch(parser, [doc]).arcs.numpy() for parser in ensemble.parsers())
    expected = decode_spanning_trees(np.asarray(scores), np.array([6], dtype=np.int32))
    heads = [0 if token.head.i == token.i else token.head.i + 1 for token in ensemble(doc)]
    assert heads == expected.tolist()


def test_probabilities_of_all_words_together_count_less_than_one_vote(member, monkeypatch):
    rising, falling = [0, 1, 2, 3, 4], [2, 3, 4, 5, 0]
    # The third tree shares only its root, with the first tree. A tree with this root can have 6
    # votes; the second tree has 5.
    third = [0, 4, 1, 1, 2]
    nlp = assemble(member("a"), member("b"), member("c", "mst"))
    ensemble = nlp.get_pipe("parser")
    ensemble.decoder = DecoderSettings(confidence=True)
    doc = nlp.get_pipe("tok2vec")(one_sentence(nlp, ["Wir", "haben", "das", "Haus", "gesehen"]))
    probabilities = torch.full((1, 6, 6), 1e-6)
    probabilities[0, range(1, 6), falling] = 0.99
    score = EncodedTokens.score
    monkeypatch.setattr(
        EncodedTokens,
        "score",
        lambda self, sentences: replace(score(self, sentences), arcs=probabilities.log()),
    )
    for parser, heads in zip(ensemble.parsers(), (rising, third, falling), strict=True):
        found = Found(np.array([heads], dtype=np.int32), np.zeros((1, 1)))
        monkeypatch.setattr(parser.search, "best", lambda scored, found=found: found)
    doc = ensemble(doc)
    assert doc[0].head.i == 0
    assert sum(token._.head_probability for token in doc) == pytest.approx(6 / 3)


def test_a_shared_encoder_runs_once(member, monkeypatch):
    nlp = assemble(member("a"), member("b"), member("c"))
    shared, own = (nlp.get_pipe(name).model.get_ref("tok2vec") for name in MEMBERS[:2])
    assert shared.name.endswith("listener") and not own.name.endswith("listener")
    calls = []
    tok2vec = nlp.get_pipe("tok2vec")
    predict = tok2vec.model._func

    def count(*args, **settings):
        calls.append(1)
        return predict(*args, **settings)

    monkeypatch.setattr(tok2vec.model, "_func", count)
    list(nlp.pipe(docs_for(nlp), batch_size=100))
    assert len(calls) == 1


def test_members_report_what_they_could_not_do(member, caplog):
    nlp = assemble(member("a"), member("b", "mh4", max_length=3), member("c"))
    caplog.clear()
    nlp(Doc(nlp.vocab, words=["a"] * 4))
    assert "second: 1 sentences have more than 3 words" in caplog.text


def test_errors_reach_the_handler(make_nlp, caplog):
    nlp = spacy.blank("xx")
    nlp.add_pipe("ensemble_parser", config={"members": ["missing"]})
    failed = []
    nlp.set_error_handler(lambda name, pipe, docs, error: failed.append(str(error)))
    assert list(nlp.pipe(["a b", "c"])) == []
    assert len(failed) == 2 and all("no component 'missing'" in error for error in failed)


def test_members_cannot_listen_to_two_encoders(sample):
    nlp = spacy.blank("xx")
    for encoder, parser in (("tok2vec", "first"), ("other", "second")):
        nlp.add_pipe("tok2vec", name=encoder, config={"model": TINY_ENCODER})
        listener = {
            "@architectures": "spacy.Tok2VecListener.v1",
            "width": TINY_ENCODER["width"],
            "upstream": encoder,
        }
        model = {**TINY_MODEL, "tok2vec": listener}
        nlp.add_pipe("mst_parser", name=parser, config={"model": model})
    nlp.initialize(lambda: sample(nlp))
    ensemble = nlp.add_pipe("ensemble_parser", config={"members": ["first", "second"]})
    with pytest.raises(
        ValueError, match=r"'first' listens to 'tok2vec' and 'second' listens to 'other'.*replace_"
    ):
        ensemble.parsers()
    nlp.replace_listeners("other", "second", ["model.tok2vec"])
    assert len(ensemble.parsers()) == 2


@pytest.mark.parametrize("words", [[], [" "], ["a"], ["a"] * 300])
def test_docs_of_any_length(member, words):
    path = member("a")
    nlp = assemble(path, path, path)
    doc = nlp(Doc(nlp.vocab, words=words))
    check_trees(doc)


def test_members_that_cannot_be_combined_are_named(member, make_nlp, sample):
    nlp = make_nlp()
    config = {"members": ["parser", "tagger"]}
    ensemble = nlp.add_pipe("ensemble_parser", config=config)
    with pytest.raises(ValueError, match="no component 'tagger'; it has: parser, ensemble_parser"):
        ensemble.parsers()
    nlp.add_pipe("sentencizer", name="tagger")
    with pytest.raises(ValueError, match="'tagger' is not a trained parser of spacy_npparse"):
        ensemble.parsers()
    nlp.remove_pipe("tagger")
    encoded = {"model": TINY_MODEL, "pseudo_projective": "head"}
    nlp.add_pipe("arc_standard_parser", name="tagger", config=encoded)
    with pytest.raises(ValueError, match="'tagger' is pseudo-projective"):
        ensemble.parsers()
    nlp.remove_pipe("tagger")
    nlp.add_pipe("mst_parser", name="tagger", config={"model": TINY_MODEL})
    labels = sorted({token.dep_ for eg in sample(nlp) for token in eg.reference} - {"ROOT"})
    for name, known in (("parser", labels), ("tagger", labels[::-1])):
        nlp.get_pipe(name).initialize(lambda: sample(nlp), labels=known)
    with pytest.raises(ValueError, match="the same ones in another order"):
        ensemble.parsers()
    for name, own in (("parser", "nsubj:x"), ("tagger", "obj:x")):
        nlp.get_pipe(name).initialize(lambda: sample(nlp), labels=[*labels, own])
    with pytest.raises(UserError, match=r"different labels \(nsubj:x, obj:x\); train them"):
        ensemble.parsers()
    # `spacy assemble` checks the members, too.
    with (
        pytest.raises(UserError, match="different labels"),
        nlp.select_pipes(enable=[ensemble.name]),
    ):
        nlp.initialize()


@pytest.mark.parametrize(
    "setting, words",
    [
        ({"members": []}, ["no members", "Name"]),
        ({"members": ["a", "b", "a"]}, ["'a' more than once", "Name each parser once"]),
        ({"members": ["a"], "combine": "mean"}, ["combine", "'mean'", "votes", "scores"]),
        ({"members": ["a"], "decoder": {"k_best": 2}}, ["decoder.k_best", "confidence"]),
    ],
)
def test_wrong_settings_are_named(setting, words):
    with pytest.raises(ValueError) as error:
        spacy.blank("xx").add_pipe("ensemble_parser", config=setting)
    assert all(word in str(error.value) for word in words), str(error.value)
