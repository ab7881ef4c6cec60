"""Tests of a parser for two treebanks that differ in the name of one relation only."""

import random

import pytest
import spacy
from spacy.tokens import Doc
from spacy.util import fix_random_seed, minibatch
from thinc.api import Adam
from tiny import write_part

from spacy_npparse.models.treebank_embedding import use_treebank
from spacy_npparse.treebank import ConlluCorpus
from spacy_npparse.treebank_names import TREEBANK_KEY

ENCODER = {
    "@architectures": "spacy_npparse.CharBiLSTM.v1",
    "width": 48,
    "depth": 1,
    "word_width": 32,
    "char_width": 8,
    "treebank_embedding": True,
}
PARSER = {"hidden_size": 24, "arc_size": 16, "label_size": 32}
# The name of the same relation in each of the treebanks.
SUBJECT = {"ours": "nsubj", "theirs": "subject"}


def train(files, n_updates):
    fix_random_seed(0)
    nlp = spacy.blank("xx")
    model = {"@architectures": "spacy_npparse.Parser.v1", "tok2vec": ENCODER, **PARSER}
    nlp.add_pipe("arc_hybrid_swap_parser", config={"model": model})
    examples = list(ConlluCorpus(files)(nlp))
    nlp.initialize(lambda: examples)
    optimizer = Adam(0.01)
    done = 0
    while done < n_updates:
        random.shuffle(examples)
        for batch in minibatch(examples, 10):
            nlp.update(batch, sgd=optimizer)
            done += 1
    return nlp


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("treebanks")
    ours = write_part("train", folder / "ours-ud-train.conllu", 30)
    theirs = folder / "theirs-ud-train.conllu"
    text = ours.read_text(encoding="utf-8")
    theirs.write_text(text.replace("\tnsubj\t", "\tsubject\t"), encoding="utf-8")
    return [str(ours), str(theirs)]


@pytest.fixture(scope="module")
def nlp(files):
    return train(files, 90)


def subjects(docs):
    """Count how often each name of the relation occurs."""
    found = [token.dep_ for doc in docs for token in doc]
    return {name: found.count(relation) for name, relation in SUBJECT.items()}


def test_each_treebank_gets_its_own_relation(files, nlp):
    examples = list(ConlluCorpus(files)(nlp))
    gold = subjects(example.reference for example in examples)
    assert gold["ours"] == gold["theirs"] > 20
    for name, other in (("ours", "theirs"), ("theirs", "ours")):
        docs = [eg.predicted for eg in examples if eg.predicted.user_data[TREEBANK_KEY] == name]
        found = subjects(nlp.pipe([doc.copy() for doc in docs]))
        assert found[name] > 0.9 * gold[name] and found[other] < 0.1 * gold[name]


def test_the_setting_chooses_and_is_kept_when_the_pipeline_is_saved(files, nlp, tmp_path):
    words = [[token.text for token in example.reference] for example in ConlluCorpus(files[0])(nlp)]
    nlp.to_disk(tmp_path / "model")
    setting = "components.arc_hybrid_swap_parser.model.tok2vec.treebank"
    for name, other in (("ours", "theirs"), ("theirs", "ours")):
        loaded = spacy.load(tmp_path / "model", config={setting: name})
        loaded.to_disk(tmp_path / name)
        for pipeline in (loaded, spacy.load(tmp_path / name)):
            docs = [Doc(pipeline.vocab, words=some) for some in words]
            found = subjects(pipeline.pipe(docs))
            assert found[name] > 5 * found[other]
        use_treebank(loaded, other)
        docs = [Doc(loaded.vocab, words=some) for some in words]
        found = subjects(loaded.pipe(docs))
        assert found[other] > 5 * found[name]


def test_processes_get_the_treebank_of_each_doc(files, nlp):
    docs = [example.predicted for example in ConlluCorpus(files)(nlp)]
    docs = docs[:6] + docs[-6:]
    expected = [[token.dep_ for token in doc] for doc in nlp.pipe([doc.copy() for doc in docs])]
    parsed = list(nlp.pipe([doc.copy() for doc in docs], n_process=2, batch_size=3))
    assert [[token.dep_ for token in doc] for doc in parsed] == expected
    assert [doc.user_data[TREEBANK_KEY] for doc in parsed] == ["ours"] * 6 + ["theirs"] * 6
