"""Tests of annotated arcs that are contradicted by parsers that were trained on other sentences."""

from dataclasses import replace
from itertools import product

import in_process
import numpy as np
import pytest
import spacy
from brute_force import all_trees, single_root
from parser_helpers import SAMPLE, TINY_MODEL
from spacy.util import fix_random_seed
from tiny import tiny_config, write_part

from spacy_npparse.annotation.contradictions import best_other_heads, contradictions_of
from spacy_npparse.laboratory import BareParser, Task, contradictions_by_fold
from spacy_npparse.laboratory import contradictions as module
from spacy_npparse.treebank import ConlluCorpus, parse_sentence, read_conllu
from spacy_npparse.trees.missing import NO_HEAD

SENTENCES = list(read_conllu(SAMPLE))[:30]


def trees(n):
    return [heads[1:] for heads in all_trees(n) if single_root(heads)]


def relabelled(sentence, word, **columns):
    rows = [row._replace(**columns) if row.id == str(word) else row for row in sentence.rows]
    return parse_sentence([*sentence.comments, *("\t".join(row) for row in rows)])


@pytest.fixture(scope="module")
def learnt(tmp_path_factory):
    """Return a pipeline that has memorized the first sentences."""
    fix_random_seed(0)
    nlp = spacy.blank("xx")
    nlp.add_pipe("mst_parser", name="parser", config={"model": TINY_MODEL})
    path = tmp_path_factory.mktemp("treebank") / "train.conllu"
    path.write_text("".join(f"{sentence}\n\n" for sentence in SENTENCES[:6]))
    examples = list(ConlluCorpus(path)(nlp))
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    for _ in range(100):
        nlp.update(examples, sgd=optimizer)
    return nlp


def test_what_differs_from_what_was_learnt_is_contradicted(learnt):
    sentences = list(SENTENCES[:6])
    assert contradictions_of(learnt, sentences, range(6)).contradictions == []
    n_words = sum(len(sentence.words) for sentence in sentences)
    word = next(w for w, head in enumerate(sentences[4].heads) if head > 0)
    head, label = sentences[4].heads[word], sentences[4].words[word - 1].deprel
    other = next(h for h in range(1, len(sentences[4].heads)) if h not in (word, head))
    sentences[4] = relabelled(sentences[4], word, head=str(other))
    wrong_label = "det" if label != "det" else "nsubj"
    place = next(i for i, row in enumerate(sentences[2].words) if row.deprel == "punct") + 1
    sentences[2] = relabelled(sentences[2], place, deprel=wrong_label)
    found = contradictions_of(learnt, sentences, range(6))
    assert (found.n_words, found.n_unknown) == (n_words, 0)
    first, second = sorted(found.contradictions, key=lambda one: one.sentence)
    assert (first.sentence, first.word) == (2, place)
    assert (first.label, first.predicted_label) == (wrong_label, "punct")
    assert first.head == first.predicted_head
    assert (second.sentence, second.word, second.head) == (4, word, other)
    assert (second.predicted_head, second.predicted_label) == (head, label)
    for one in (first, second):
        assert one.predicted_probability > 0.5 > one.probability and one.log_odds > 0


def test_nothing_is_said_of_labels_that_are_missing_or_new(learnt):
    sentences = list(SENTENCES[:6])
    word = next(w for w, head in enumerate(sentences[0].heads) if head > 0)
    sentences[0] = relabelled(sentences[0], word, deprel="dep:new")
    sentences[1] = relabelled(sentences[1], word, head="_", deprel="_")
    found = contradictions_of(learnt, sentences, range(6))
    assert found.contradictions == [] and found.n_unknown == 1
    assert found.n_words == sum(len(sentence.words) for sentence in sentences) - 1


def test_no_parser_sees_what_it_is_asked_about(monkeypatch, learnt, tmp_path):
    """Each sentence is compared once. An existing pipeline stands in for training."""
    asked = []
    parts = []

    def train(self, task, seed, folder):
        parts.append([{str(s) for s in read_conllu(path)} for path in (task.train, task.dev)])
        learnt.to_disk(folder / "model-last")

    def contradictions(nlp, sentences, numbers):
        asked.append({str(sentences[number]) for number in numbers})

    monkeypatch.setattr(BareParser, "train", train)
    monkeypatch.setattr(module, "contradictions_of", contradictions)
    task = Task(SAMPLE, SAMPLE, tmp_path, updates=1)
    list(contradictions_by_fold(SENTENCES, BareParser("mst"), task, 3, 0))
    everything = {str(sentence) for sentence in SENTENCES}
    assert set().union(*asked) == everything and sum(map(len, asked)) == len(SENTENCES)
    for (train_part, dev_part), fold in zip(parts, asked, strict=True):
        assert train_part | dev_part | fold == everything
        assert not train_part & dev_part and not (train_part | dev_part) & fold


@pytest.mark.parametrize("heads", [tree for n in range(1, 5) for tree in trees(n)])
@pytest.mark.parametrize("unknown", [False, True])
def test_another_head_leaves_a_tree(heads, unknown):
    """Enumeration confirms the best of the other heads, whichever head scores best."""
    for word, other in product(range(1, len(heads) + 1), range(len(heads) + 1)):
        annotated = np.array(heads, dtype=np.int32)
        if unknown and word % len(heads) + 1 != word:
            annotated[word % len(heads)] = NO_HEAD
        by_head = np.zeros((len(heads), len(heads) + 1), dtype=np.float32)
        by_head[:, other] = 1.0
        best = best_other_heads(annotated, by_head)[word - 1]
        if other == annotated[word - 1]:
            assert best != other
        else:
            annotated[word - 1] = other
            assert (best == other) == completes_to_a_tree(annotated)


def test_a_superfluous_root_gets_a_head():
    by_head = np.array([[0.9, 0, 0.06, 0.04], [0.01, 0.98, 0, 0.01], [0.3, 0.1, 0.6, 0]])
    best = best_other_heads(np.array([0, 0, 2], dtype=np.int32), by_head.astype(np.float32))
    assert best[:2].tolist() == [2, 1]


def completes_to_a_tree(heads):
    given = heads != NO_HEAD
    return any(np.array_equal(np.array(t)[given], heads[given]) for t in trees(len(heads)))


@pytest.mark.parametrize("n_folds", [2, 4])
def test_too_few_folds_or_sentences(n_folds, tmp_path):
    task = Task(SAMPLE, SAMPLE, tmp_path, updates=1)
    with pytest.raises(ValueError, match=f"{n_folds} folds of 3 sentences"):
        next(contradictions_by_fold(SENTENCES[:3], BareParser("mst"), task, n_folds, 0))


def test_only_encoder_and_parser_are_trained(tmp_path, monkeypatch):
    monkeypatch.setattr("spacy_npparse.laboratory.pipeline.run_module", in_process.run_module)
    path = tmp_path / "config.cfg"
    tiny_config().to_disk(path)
    task = Task(SAMPLE, SAMPLE, path, updates=1)
    config = BareParser("mst").config(task)
    assert config["nlp"]["pipeline"] == ["tok2vec", "parser"] == list(config["components"])
    assert config["components"]["parser"]["factory"] == "mst_parser"
    train = write_part("train", tmp_path / "train.conllu", 9)
    BareParser("mst").train(replace(task, train=train, dev=train), 0, tmp_path)
    nlp = spacy.load(tmp_path / "model-last")
    assert nlp.pipe_names == ["tok2vec", "parser"]
    assert type(nlp.tokenizer).__module__ == "spacy.tokenizer"
    assert contradictions_of(nlp, SENTENCES, range(3)).n_words > 0
