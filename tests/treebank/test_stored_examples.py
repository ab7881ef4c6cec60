"""Examples of a corpus, which need little memory and behave like spaCy's examples."""

import gc
import pickle
from copy import deepcopy

import pytest
import spacy
from parser_helpers import SAMPLE
from spacy.tokens import Doc
from spacy.training import Example

from spacy_npparse.treebank import (
    ConlluCorpus,
    augmenting_batcher,
    doc_from_sentences,
    doc_to_conllu,
    read_conllu,
    unannotated_doc,
)
from spacy_npparse.treebank.docs import CONLLU_KEY

ATTRIBUTES = ["ORTH", "NORM", "SPACY", "POS", "MORPH", "LEMMA", "HEAD", "DEP", "SENT_START"]


@pytest.fixture(scope="module")
def nlp():
    return spacy.blank("xx")


def content(doc):
    spans = [(span.start, span.end, span.label_) for span in doc._.multiword_tokens]
    return doc.text, doc.to_array(ATTRIBUTES).tolist(), spans, doc_to_conllu(doc)


def n_docs():
    gc.collect()
    return sum(type(one) is Doc for one in gc.get_objects())


@pytest.mark.parametrize("per_doc", [1, 3])
def test_docs_are_those_of_the_sentences(awkward, nlp, per_doc):
    for path in (awkward, SAMPLE):
        examples = list(ConlluCorpus(path, sentences_per_doc=per_doc)(nlp))
        again = list(ConlluCorpus(path, sentences_per_doc=per_doc)(nlp))
        left = list(read_conllu(path))
        for example, other in zip(examples, again, strict=True):
            n = len(list(example.reference.sents))
            sentences, left = left[:n], left[n:]
            expected = unannotated_doc(sentences, nlp.vocab)
            assert content(example.predicted) == content(expected) == content(other.predicted)
            bare = expected.user_data[CONLLU_KEY]
            expected = doc_from_sentences(sentences, nlp.vocab)
            # Columns that no Doc can represent and no component learns, such as DEPS, are dropped.
            expected.user_data[CONLLU_KEY] = bare
            assert content(example.reference) == content(expected) == content(other.reference)
            assert len(example) == len(expected)
        assert left == []


@pytest.mark.parametrize("copied", [deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_have_the_same_docs(nlp, copied):
    examples = list(ConlluCorpus(SAMPLE, limit=3)(nlp))
    for example, copy in zip(examples, copied(examples), strict=True):
        for doc, other in ((example.predicted, copy.predicted), (example.x, copy.x)):
            assert content(doc) == content(other)
        assert content(example.reference) == content(copy.reference)


def test_docs_are_there_only_if_somebody_has_asked_for_them(nlp):
    before = n_docs()
    corpus = ConlluCorpus(SAMPLE, limit=20)
    examples = list(corpus(nlp))
    assert n_docs() <= before + 2
    assert [len(example) for example in examples] == [len(eg.reference) for eg in corpus(nlp)]
    batcher = augmenting_batcher(lambda found: [list(found)], lambda nlp, example: [example])
    (batch,) = batcher(examples)
    assert all(type(example) is Example for example in batch)
    del batch
    assert n_docs() <= before + 2
    example = examples[3]
    example.predicted.user_data["mine"] = 1
    example.reference[0].tag_ = "MINE"
    assert (
        example.x.user_data["mine"] == 1 and example.get_aligned("TAG", as_string=True)[0] == "MINE"
    )
    # The batcher passes on changed examples, instead of making new ones from the stored form.
    assert list(batcher([example])) == [[example]]
    examples[5].reference[0].tag_ = "MINE"
    assert list(batcher([examples[5]])) == [[examples[5]]]
    other = nlp.make_doc(examples[4].text)
    examples[4].predicted = other
    assert examples[4].predicted is other and len(examples[4]) == len(other)
    assert examples[4].reference.text == other.text


def test_what_is_asked_for_while_the_corpus_is_read_is_kept(nlp):
    found = []
    for number, example in enumerate(ConlluCorpus(SAMPLE, limit=4)(nlp)):
        if number < 2:
            example.reference[0].tag_ = "MINE"
        found.append(example)
    assert [example.reference[0].tag_ == "MINE" for example in found] == [True] * 2 + [False] * 2
    assert all(example.predicted.text == example.reference.text for example in found)


def test_compiled_code_finds_the_annotation():
    """spaCy's compiled parser does not read the annotation through the attributes of `Example`."""
    nlp = spacy.blank("xx")
    parser = nlp.add_pipe("parser", config={"min_action_freq": 1})
    nlp.initialize(lambda: ConlluCorpus(SAMPLE, limit=20)(nlp))
    assert "nsubj" in parser.labels
    losses = nlp.update(list(ConlluCorpus(SAMPLE, limit=5)(nlp)))
    assert losses["parser"] > 0
