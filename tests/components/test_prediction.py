"""Tests of prediction: valid trees under any weights, boundaries, white space and failures."""

import copy

import numpy as np
import pytest
import spacy
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from parser_helpers import PARSERS, SYSTEMS, TINY_MODEL, check_trees, one_sentence
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_npparse.components.docs import Parse, read_tokens, tree_parses, write_parse

token = st.sampled_from(["wort", "ein", "haus", ".", " ", "\n", "\n\n"])
docs_of_tokens = st.lists(
    st.lists(st.tuples(token, st.sampled_from([None, None, True, False])), max_size=12), max_size=4
)


def make_doc(vocab, tokens):
    words = [word for word, _ in tokens]
    doc = Doc(vocab, words=words, spaces=[False] * len(words))
    for i, (_, start) in enumerate(tokens):
        if start is not None and i > 0:
            doc[i].is_sent_start = start
    return doc


def heads(doc):
    return [token.head.i for token in doc]


@pytest.mark.parametrize("system", PARSERS)
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(tokens=docs_of_tokens)
def test_every_batch_gets_valid_trees_inside_its_sentences(shared, system, tokens):
    nlp = shared(system)
    docs = [make_doc(nlp.vocab, t) for t in tokens]
    presets = [[t.is_sent_start for t in doc] for doc in docs]
    parser = nlp.get_pipe("parser")
    parser.set_annotations(docs, parser.predict(iter(docs)))
    for doc, preset in zip(docs, presets, strict=True):
        check_trees(doc)
        # Only boundaries of sentences without words are removed, and no forbidden one is added.
        for token, value in list(zip(doc, preset, strict=True))[1:]:
            if value is not None and not token.is_space:
                leading = all(t.is_space for t in doc[: token.i])
                assert token.is_sent_start or not value or leading
                assert value or not token.is_sent_start
            elif token.is_space:
                assert value or not token.is_sent_start


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(tokens=docs_of_tokens)
def test_whitespace_changes_nothing_for_the_words(tokens):
    vocab = Vocab(strings=["ROOT", "dep"])
    batch = read_tokens([make_doc(vocab, t) for t in tokens])
    sentences = batch.sentences()
    assert sentences.lengths.sum() == len(sentences.words) == batch.is_word.sum()
    assert (sentences.tokens[sentences.rows] == sentences.words).all()
    first = np.concatenate([np.arange(n) for n in sentences.lengths] or [np.zeros(0, int)])
    parses = tree_parses(
        batch,
        sentences,
        first.astype(np.int32),  # a chain from left to right
        np.full(len(first), vocab.strings["ROOT"], dtype=np.uint64),
        vocab.strings,
    )
    for t, parse in zip(tokens, parses, strict=True):
        doc = make_doc(vocab, t)
        write_parse(doc, parse)
        for space in (token for token in doc if token.is_space):
            assert not [child for child in space.children if not child.is_space]
            low, high = sorted([space.i, space.head.i])
            assert all(doc[i].is_space for i in range(low + 1, high))


def nan_weights(net):
    for parameter in net.parameters():
        torch.nn.init.constant_(parameter, float("nan"))


def huge_weights(net):
    for parameter in net.parameters():
        torch.nn.init.normal_(parameter, std=1e30)


@pytest.mark.parametrize("spoil", [nan_weights, huge_weights])
@pytest.mark.parametrize("system", PARSERS)
def test_trees_are_valid_whatever_the_weights(shared, sample, system, spoil):
    nlp = shared(system)
    net = nlp.get_pipe("parser").model.shims[0].net
    weights = copy.deepcopy(net.state_dict())
    try:
        spoil(net)
        for given in (True, False):
            examples = sample(nlp, limit=6, sentences_per_doc=3, gold_sentences=given)
            for doc in nlp.pipe(eg.predicted for eg in examples):
                check_trees(doc)
    finally:
        net.load_state_dict(weights)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_beam_finds_trees_too(shared, sample, system):
    nlp = shared(system, beam_width=4)
    for doc in nlp.pipe(eg.predicted for eg in sample(nlp, limit=6, sentences_per_doc=3)):
        check_trees(doc)


@pytest.mark.parametrize(
    "words, starts, expected_heads, expected_starts",
    [
        ([], [], [], []),
        (["a"], [0], [0], [0]),
        ([" "], [0], [0], [0]),
        (["\n", "\n", " "], [0, 1], [0, 0, 0], [0]),
        (["\n", "a"], [0], [1, 1], [0]),
        # A given boundary stays, even if only white space precedes it.
        (["\n", "a"], [0, 1], [0, 1], [0, 1]),
        (["\n", " ", "a", "b"], [0, 1, 2, 3], [0, 0, 2, 3], [0, 2, 3]),
        (["a", "\n"], [0], [0, 0], [0]),
        (["a", "\n", "b"], [0, 1, 2], [0, 0, 2], [0, 2]),
        (["a", "\n", "b"], [0, 1], [0, 2, 2], [0, 1]),
        (["a", "\n", " ", "b"], [0, 2], [0, 0, 3, 3], [0, 2]),
    ],
)
def test_edges_of_texts(shared, words, starts, expected_heads, expected_starts):
    nlp = shared()
    doc = Doc(nlp.vocab, words=words, spaces=[False] * len(words))
    for i in range(len(words)):
        doc[i].is_sent_start = i in starts
    doc = nlp(doc)
    check_trees(doc)
    assert heads(doc) == expected_heads
    assert [t.i for t in doc if t.is_sent_start] == expected_starts


def test_batches_of_long_docs_are_small(shared, monkeypatch):
    """The vectors of a batch are in memory at the same time."""
    nlp = shared()
    parser = nlp.get_pipe("parser")
    sizes = []
    monkeypatch.setattr(parser, "predict", lambda docs: sizes.append([*map(len, docs)]))
    monkeypatch.setattr(parser, "set_annotations", lambda docs, parses: None)
    lengths = [9000, 9000, 9000, 50_000, 1, *[0] * 5, 20_000, 2]
    docs = [Doc(nlp.vocab, words=["a"] * n) for n in lengths]
    assert [*parser.pipe(docs, batch_size=4)] == docs
    assert sizes == [[9000, 9000], [9000], [50_000], [1, 0, 0, 0], [0, 0, 20_000], [2]]


def test_two_thousand_words_without_boundary(shared):
    nlp = shared()
    doc = nlp(one_sentence(nlp, ["Wort", "und", "Haus", "wir"] * 500))
    assert len(list(doc.sents)) == 1
    check_trees(doc)


def test_starts_hold_where_spacy_derives_wrong_ones():
    # In a long path that jumps to and fro, spaCy stops before the edges of subtrees are right.
    vocab = Vocab()
    label = np.uint64(vocab.strings.add("x"))
    n, n_wrong = 100, 0
    generator = np.random.default_rng(0)
    starts = np.full((2 * n, 1), -1)
    starts[[0, n]] = 1
    for _ in range(20):
        path = generator.permutation(n)
        tree = np.zeros(n, dtype=int)
        tree[path] = path[np.maximum(np.arange(n) - 1, 0)]
        tree = np.concatenate([tree, tree + n])
        offsets = (tree - np.arange(2 * n)).astype("u8")
        arcs = np.stack([offsets, np.full(2 * n, label)], axis=1)
        derived = Doc(vocab, words=["w"] * 2 * n).from_array(["HEAD", "DEP"], arcs)
        n_wrong += [sentence.start for sentence in derived.sents] != [0, n]
        doc = Doc(vocab, words=["w"] * 2 * n)
        write_parse(doc, Parse(arcs, starts.astype("u8")))
        assert [sentence.start for sentence in doc.sents] == [0, n]
        assert heads(doc) == tree.tolist()
    assert n_wrong > 0


def test_batches_give_the_same_as_single_docs(shared, sample):
    nlp = shared()
    texts = [eg.reference.text for eg in sample(nlp, sentences_per_doc=2)] + ["", " ", "Ja"]
    one_by_one = [heads(nlp(text)) for text in texts]
    assert [heads(doc) for doc in nlp.pipe(texts)] == one_by_one
    assert [heads(doc) for doc in nlp.pipe(texts, batch_size=2)] == one_by_one


def test_predict_changes_nothing(shared):
    nlp = shared()
    doc = nlp.make_doc("Das ist ein Satz")
    before = doc.to_bytes()
    nlp.get_pipe("parser").predict([doc])
    assert doc.to_bytes() == before


def test_no_docs(shared):
    nlp = shared()
    assert nlp.get_pipe("parser").predict([]) == []
    assert list(nlp.pipe([])) == []


def test_one_failing_doc_does_not_lose_its_batch(trained, monkeypatch):
    from spacy_npparse.components import prediction

    def fail_on_b(doc, parse):
        if doc.text == "b":
            raise RuntimeError("cannot write")
        write_parse(doc, parse)

    monkeypatch.setattr(prediction, "write_parse", fail_on_b)
    failed = []
    trained.set_error_handler(lambda name, proc, docs, error: failed.append((name, docs[0].text)))
    assert [doc.text for doc in trained.pipe(["a", "b", "c"])] == ["a", "c"]
    assert failed == [("parser", "b")]


def test_errors_are_raised_without_handler(trained, monkeypatch):
    from spacy_npparse.components import prediction

    def fail(doc, parse):
        raise RuntimeError("cannot write")

    monkeypatch.setattr(prediction, "write_parse", fail)
    with pytest.raises(RuntimeError, match="cannot write"):
        list(trained.pipe(["a", "b"]))


def test_labels_survive_a_memory_zone(trained):
    with trained.memory_zone():
        assert [t.dep_ for t in trained("völlig unbekannte Wörter hier")]
    doc = trained("völlig unbekannte Wörter hier")
    assert set(t.dep_ for t in doc) <= set(trained.get_pipe("parser").labels)
    check_trees(doc)


def test_parsing_again_gives_the_same(shared, sample):
    nlp = shared()
    docs = [eg.predicted for eg in sample(nlp, sentences_per_doc=3)]
    first = [heads(nlp(doc)) for doc in docs]
    assert [heads(nlp(doc)) for doc in docs] == first


def test_evaluation_leaves_the_reference_alone(shared, sample):
    nlp = shared()
    examples = sample(nlp)
    gold = [heads(eg.reference) for eg in examples]
    nlp.evaluate([Example(eg.predicted, eg.reference) for eg in examples])
    assert [heads(eg.reference) for eg in examples] == gold


def test_pruning(make_nlp, sample):
    """The strictest pruning keeps only the most probable heads and a projective tree."""
    nlp = make_nlp("one_endpoint_crossing")
    nlp.initialize(lambda: sample(nlp))
    parser = nlp.get_pipe("parser")
    parts = parser.search.exact.parts
    assert parts.pruning == 0

    def trees():
        docs = list(nlp.pipe(eg.reference.text for eg in sample(nlp)))
        for doc in docs:
            check_trees(doc)
        return [heads(doc) for doc in docs]

    exact = trees()
    parts.pruning = 1e-30
    assert trees() == exact
    parts.pruning = 1.0
    assert trees() != exact


@pytest.mark.parametrize("system", ["mh4, exact", "one_endpoint_crossing"])
def test_sentences_too_long_for_exact_search_are_counted(make_nlp, sample, caplog, system):
    nlp = make_nlp(system, max_length=5)
    nlp.initialize(lambda: sample(nlp))
    caplog.clear()
    docs = [one_sentence(nlp, ["a"] * n) for n in (3, 6, 2, 400)]
    for doc in nlp.pipe(docs):
        check_trees(doc)
    (record,) = (r for r in caplog.records if "max_length" in r.message)
    assert "parser: 2 sentences have more than 5 words" in record.message
    caplog.clear()
    list(nlp.pipe([one_sentence(nlp, ["a"] * 5)]))
    assert "max_length" not in caplog.text
    # A single Doc, and a stream that is not read to its end, are counted as well.
    nlp(one_sentence(nlp, ["a"] * 6))
    stream = nlp.pipe((one_sentence(nlp, ["a"] * 7) for _ in range(9)), batch_size=3)
    next(stream)
    stream.close()
    messages = [r.message for r in caplog.records if "max_length" in r.message]
    assert [message.split()[1] for message in messages] == ["1", "3"]


def test_nothing_is_encoded_of_empty_docs(sample):
    """Neither `spacy.TorchBiLSTMEncoder.v1` nor transformers can encode empty Docs."""
    nlp = spacy.blank("xx")
    encoder = {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": {
            "@architectures": "spacy.MultiHashEmbed.v2",
            "width": 16,
            "attrs": ["NORM"],
            "rows": [50],
            "include_static_vectors": False,
        },
        "encode": {
            "@architectures": "spacy.TorchBiLSTMEncoder.v1",
            "width": 16,
            "depth": 1,
            "dropout": 0.0,
        },
    }
    nlp.add_pipe("mst_parser", name="parser", config={"model": {**TINY_MODEL, "tok2vec": encoder}})
    optimizer = nlp.initialize(lambda: sample(nlp, limit=2))
    assert len(nlp("")) == 0 and [len(doc) for doc in nlp.pipe(["", ""])] == [0, 0]
    empty = Example(nlp.make_doc(""), nlp.make_doc(""))
    assert nlp.update([empty], sgd=optimizer) == {"parser": 0.0}
