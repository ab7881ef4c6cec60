"""Parsers find the sentence boundaries that a Doc leaves open."""

import logging
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import spacy
import torch
from parser_helpers import SAMPLE, TINY_MODEL
from spacy.tokens import Doc
from spacy.training import Example

from spacy_npparse.components import sentence_finder
from spacy_npparse.components.docs import read_tokens
from spacy_npparse.components.gold import read_gold
from spacy_npparse.components.sentence_finder import MAX_LENGTH, find_sentences
from spacy_npparse.parsing import EncodedTokens, GoldBatch, SentenceBatch
from spacy_npparse.treebank import ConlluCorpus
from spacy_npparse.trees.missing import NO_HEAD

# This Vocab has the lexical attributes that a bare Vocab lacks.
VOCAB = spacy.blank("xx").vocab


class RandomScorer:
    """A stand-in for `EncodedTokens`, whose random scores depend only on the tokens."""

    def __init__(self, n_tokens, seed=0, bias=-1.0):
        rng = np.random.default_rng(seed)
        self.vectors = torch.zeros(n_tokens + 1, 2)
        self.starts = rng.normal(size=n_tokens) * 2 + bias
        self.arcs = rng.normal(size=(n_tokens, n_tokens + 1)).astype(np.float32)
        self.longest = 0

    def score_starts(self, before, after):
        return self.starts[after]

    def score(self, sentences):
        size = int(sentences.lengths.max()) + 1
        self.longest = max(self.longest, size)
        scores = np.full((len(sentences.lengths), size, size), -1e30, dtype=np.float32)
        for row, words in zip(scores, sentences.slices(), strict=True):
            tokens = sentences.words[words]
            row[1 : len(tokens) + 1, 0] = self.arcs[tokens, -1]
            row[1 : len(tokens) + 1, 1 : len(tokens) + 1] = self.arcs[tokens][:, tokens]
        return SimpleNamespace(arcs=torch.from_numpy(scores))


def boundaries_of(example):
    numbers = {example.reference.vocab.strings.add("dep"): 0}
    return read_gold([example], numbers)[1]


def find(docs, scorer=None, **settings):
    tokens = read_tokens(docs)
    n = len(tokens.is_word)
    scorer = scorer or RandomScorer(n, **settings)
    found, n_cut = find_sentences(tokens, [scorer])
    return found.starts, n_cut


def doc_of(n, starts=None):
    doc = Doc(VOCAB, words=[f"w{i}" for i in range(n)])
    for token, value in zip(doc, starts or [], strict=False):
        if value is not None:
            token.is_sent_start = value
    return doc


def test_arcs_of_a_text_that_is_one_sentence_are_scored_once():
    """The scores of the search for sentences are reused to parse the text."""
    scored = []

    def score_arcs(rows, lengths):
        scored.append(lengths.tolist())
        return torch.zeros(len(lengths), 4, 4)

    encoded = EncodedTokens(SimpleNamespace(score_arcs=score_arcs), torch.zeros(4, 2))
    window = SentenceBatch(np.arange(3), np.array([3], dtype=np.int32), 3)
    tagged = replace(window, upos=np.arange(3))
    others = SentenceBatch(np.arange(3), np.array([1, 2], dtype=np.int32), 3)
    for sentences in (window, tagged, others, window):
        assert encoded.score(sentences).sentences is sentences
    assert scored == [[3], [1, 2], [3]]


def test_heads_are_learnt_among_the_sentences_around():
    """One Doc has sentences of 2, 3 and 2 words, and another Doc has one of 1 word."""
    lengths = np.array([2, 3, 2, 1], dtype=np.int32)
    heads = np.array([2, 0, 0, 3, 1, 0, NO_HEAD, 0], dtype=np.int32)
    sentences = SentenceBatch(np.arange(8), lengths, 8)
    gold = GoldBatch(sentences, heads, np.arange(8), np.array([0, 0, 0, 1]))
    whole = gold.join_sentences(7)
    assert whole.sentences.lengths.tolist() == [7, 1] and whole.docs.tolist() == [0, 1]
    assert whole.heads.tolist() == [2, 0, 0, 5, 3, 0, NO_HEAD, 0]
    parts = gold.join_sentences(5)
    assert parts.sentences.lengths.tolist() == [5, 2, 1]
    assert parts.heads.tolist() == [2, 0, 0, 5, 3, 0, NO_HEAD, 0]
    # Sentences are not cut.
    assert gold.join_sentences(1).sentences.lengths.tolist() == [2, 3, 2, 1]


def test_parsers_select_heads_among_all_words_around(monkeypatch):
    nlp = spacy.blank("xx")
    nlp.add_pipe("mst_parser", name="parser", config={"model": TINY_MODEL})
    examples = list(ConlluCorpus(SAMPLE, sentences_per_doc=4, limit=8)(nlp))
    nlp.initialize(lambda: examples)
    lengths = []
    monkeypatch.setattr(
        GoldBatch,
        "head_selection_loss",
        lambda runs, scored, arcs: lengths.extend(runs.sentences.lengths) or arcs.sum() * 0,
    )
    nlp.update(examples)
    assert sorted(lengths) == sorted(len(eg.reference) for eg in examples)


def test_known_boundaries_are_taught():
    gold = Doc(VOCAB, words=list("abcde"), sent_starts=[True, None, False, True, None])
    boundaries = boundaries_of(Example(Doc(VOCAB, words=list("abcde")), gold))
    assert boundaries.before.tolist() == [1, 2]
    assert boundaries.after.tolist() == [2, 3]
    assert boundaries.is_start.tolist() == [False, True]


def test_sentences_may_begin_with_white_space():
    starts = [True, False, True, False, False, None, None]
    gold = Doc(VOCAB, words=["a", "b", "\n", "c", "d", "\n", "e"], sent_starts=starts)
    boundaries = boundaries_of(Example(Doc(VOCAB, words=[t.text for t in gold]), gold))
    assert boundaries.before.tolist() == [0, 1, 3] and boundaries.after.tolist() == [1, 3, 4]
    assert boundaries.is_start.tolist() == [False, True, False]


def test_no_boundary_is_taught_below_an_arc():
    """spaCy derives a sentence start at `d`, but the arc between `a` and `e` spans it."""
    gold = Doc(VOCAB, words=list("abcde"), heads=[0, 0, 0, 3, 0], deps=["dep"] * 5)
    assert gold[3].is_sent_start
    boundaries = boundaries_of(Example(Doc(VOCAB, words=list("abcde")), gold))
    assert boundaries.is_start.tolist() == [False] * 4


def test_docs_are_searched_alone_and_together():
    sizes = [3, 0, 40, 250, 1, 700]
    docs = [doc_of(n) for n in sizes]
    scorer = RandomScorer(sum(sizes), bias=3.0)
    together, _ = find(docs, scorer)
    assert together.sum() > 100
    start = 0
    for doc in docs:
        alone = RandomScorer(len(doc))
        end = start + len(doc)
        alone.starts = scorer.starts[start:end]
        alone.arcs = scorer.arcs[start:end][:, [*range(start, end), sum(sizes)]]
        if len(doc):
            assert (find([doc], alone)[0] == together[start:end]).all()
        start = end
    # The search scores windows, not whole texts.
    assert scorer.longest < 200


def test_what_is_preset_stays():
    rng = np.random.default_rng(1)
    values = [[True, False, None][i] for i in rng.integers(0, 3, size=300)]
    values[0] = True
    found, _ = find([doc_of(300, values)])
    fixed = [i for i, value in enumerate(values) if value is not None]
    assert [bool(found[i]) for i in fixed] == [values[i] for i in fixed]
    free = [bool(found[i]) for i, value in enumerate(values) if value is None]
    assert any(free) and not all(free)


def test_a_boundary_before_whitespace_stays_there():
    doc = Doc(VOCAB, words=["a", "\n", "b", "c"])
    for token, value in zip(doc, [True, True, False, None], strict=True):
        if value is not None:
            token.is_sent_start = value
    assert find([doc], bias=-50.0)[0].tolist() == [True, True, False, False]


@pytest.mark.parametrize("seed", range(5))
def test_scores_are_averaged(seed):
    """Two identical parsers decide like one."""
    tokens = read_tokens([doc_of(100)])
    scorer = RandomScorer(100, seed)
    one, two = (find_sentences(tokens, [scorer] * k)[0] for k in (1, 2))
    assert one.starts.tolist() == two.starts.tolist()


@pytest.mark.parametrize("seed", range(5))
def test_windows_have_all_arcs_around_a_word(seed, monkeypatch):
    scorer = RandomScorer(600, seed)
    # No start is certain.
    scorer.starts = np.clip(scorer.starts, -3.0, 3.0)
    scorer.arcs *= 3
    found, _ = find([doc_of(600)], scorer)
    assert scorer.longest < 250
    monkeypatch.setattr(sentence_finder, "WINDOW", 1000)
    assert find([doc_of(600)], scorer)[0].tolist() == found.tolist()
    assert scorer.longest > 600


def test_docs_that_leave_nothing_open_are_not_scored():
    doc = doc_of(5, [True, False, False, True, False])
    found, _ = find_sentences(read_tokens([doc]), [(None, None)])
    assert found.starts.tolist() == [True, False, False, True, False]


def test_whitespace_starts_no_sentence():
    doc = Doc(VOCAB, words=["a", "\n", "b", " ", "\n\n", "c", "\n"])
    scorer = RandomScorer(7, bias=50.0)
    assert find([doc], scorer)[0].tolist() == [True, False, True, False, False, True, False]


def test_long_runs_are_cut_where_a_start_is_most_likely():
    n = 3 * MAX_LENGTH + 10
    scorer = RandomScorer(n)
    scorer.starts = np.full(n, -20.0)
    scorer.starts[[100, 200, 300]] = -15.0
    found, n_cut = find([doc_of(n)], scorer)
    assert np.flatnonzero(found).tolist() == [0, 100, 200, 300] and n_cut == 3
    # A sentence is not cut if all its boundaries are preset.
    preset = doc_of(n, [True, *[False] * (n - 1)])
    assert np.flatnonzero(find([preset], scorer)[0]).tolist() == [0]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_any_scores_give_sentences(value):
    scorer = RandomScorer(50)
    scorer.starts[::3] = value
    assert find([doc_of(50)], scorer)[0][0]


def train(**config):
    nlp = spacy.blank("xx")
    nlp.add_pipe("mst_parser", name="parser", config={"model": TINY_MODEL, **config})
    corpus = ConlluCorpus(SAMPLE, sentences_per_doc=4, limit=10)
    examples = list(corpus(nlp))
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    for _ in range(40):
        for i in range(0, len(examples), 5):
            nlp.update(examples[i : i + 5], sgd=optimizer)
    return nlp, [eg.reference for eg in examples]


def test_boundaries_are_learnt(tmp_path):
    nlp, gold = train()
    docs = [Doc(nlp.vocab, words=[t.text for t in doc]) for doc in gold]
    starts = [[t.is_sent_start for t in nlp.get_pipe("parser")(doc)] for doc in docs]
    wanted = [[t.is_sent_start for t in doc] for doc in gold]
    pairs = [pair for a, b in zip(starts, wanted, strict=True) for pair in zip(a, b, strict=True)]
    right = sum(a and b for a, b in pairs)
    assert right > 0.8 * sum(b for _, b in pairs) and right > 0.8 * sum(a for a, _ in pairs)
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    doc = Doc(again.vocab, words=[t.text for t in gold[0]])
    assert [t.is_sent_start for t in again.get_pipe("parser")(doc)] == starts[0]
    # Trees have one root in each sentence.
    assert all(sum(t.head == t for t in sent) == 1 for sent in docs[0].sents)


@pytest.mark.parametrize(
    "sentences, per_doc, warned", [("joint", 1, True), ("joint", 2, False), ("preset", 1, False)]
)
def test_training_on_single_sentences_is_warned_of(caplog, sentences, per_doc, warned):
    nlp = spacy.blank("xx")
    nlp.add_pipe("mst_parser", config={"model": TINY_MODEL, "sentences": sentences})
    corpus = ConlluCorpus(SAMPLE, limit=5, sentences_per_doc=per_doc)
    with caplog.at_level(logging.WARNING, logger="spacy_npparse"):
        nlp.initialize(lambda: corpus(nlp))
    assert ("no Doc of the training data has several sentences" in caplog.text) == warned


def test_preset_leaves_sentences_alone_and_warns_once(caplog):
    nlp = spacy.blank("xx")
    nlp.add_pipe("mst_parser", name="parser", config={"model": TINY_MODEL, "sentences": "preset"})
    nlp.initialize(lambda: ConlluCorpus(SAMPLE, limit=5)(nlp))
    parser = nlp.get_pipe("parser")
    assert not parser.finds_sentences
    with caplog.at_level(logging.WARNING):
        for text in ("one line . another sentence .", "two\nlines", "three\nlines"):
            assert len(list(nlp(text).sents)) == 1
    (message,) = caplog.messages
    assert "'two\\nlines'" in message and 'sentences = "joint"' in message


def test_preset_learns_no_head_of_another_sentence():
    """The loss of a Doc is that of its sentences, given the same vectors."""
    nlp = spacy.blank("xx")
    nlp.add_pipe("mst_parser", name="parser", config={"model": TINY_MODEL, "sentences": "preset"})
    (example,) = ConlluCorpus(SAMPLE, limit=1, sentences_per_doc=2)(nlp)
    nlp.initialize(lambda: [example])
    parser = nlp.get_pipe("parser")
    parser.network.shim.net.eval()
    vectors = parser.model.predict([example.predicted])
    whole, _ = parser.get_loss([example], vectors)
    parts = [
        parser.get_loss([Example(a.as_doc(), b.as_doc())], vectors[a.start : a.end])[0]
        for a, b in zip(example.predicted.sents, example.reference.sents, strict=True)
    ]
    assert len(parts) == 2 and whole == pytest.approx(sum(parts), rel=1e-4)


def test_cut_sentences_are_reported(caplog, monkeypatch):
    nlp = spacy.blank("xx")
    nlp.add_pipe("mst_parser", name="parser", config={"model": TINY_MODEL})
    nlp.initialize(lambda: ConlluCorpus(SAMPLE, limit=5)(nlp))
    scores = lambda self, before, after: np.full(len(after), -20.0)  # noqa: E731
    monkeypatch.setattr(EncodedTokens, "score_starts", scores)
    nlp(" ".join(["word"] * (2 * sentence_finder.MAX_LENGTH)))
    assert "1 sentences would have had more than 128 words" in caplog.messages[-1]


def test_an_ensemble_finds_sentences():
    nlp = spacy.blank("xx")
    for name in ("first", "second"):
        nlp.add_pipe("mst_parser", name=name, config={"model": TINY_MODEL})
    nlp.initialize(lambda: ConlluCorpus(SAMPLE, limit=5)(nlp))
    for name in ("first", "second"):
        nlp.disable_pipe(name)
    nlp.add_pipe("ensemble_parser", name="both", config={"members": ["first", "second"]})
    doc = nlp("a b c d e . f g h i j . k l m")
    assert doc.has_annotation("SENT_START")
    assert all(sum(t.head == t for t in sent) == 1 for sent in doc.sents)
