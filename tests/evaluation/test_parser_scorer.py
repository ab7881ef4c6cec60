"""Tests of the scorer that spaCy calls."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_npparse.evaluation import parser_score, score_sentences
from spacy_npparse.evaluation.analysis import analysis_of_docs, analysis_of_sentences
from spacy_npparse.evaluation.scorer import SCORE_NAMES
from spacy_npparse.treebank import doc_from_sentences, parse_sentence, unannotated_doc

VOCAB = Vocab()
WORDS = ["a", "b", "c", "d", "e"]
CROSSING = {"heads": [2, 2, 2, 0, 2], "deps": ["nsubj:x", "punct", "ROOT", "obj", "obl"]}
PROJECTIVE = {"heads": [2, 2, 2, 2, 2], "deps": ["nsubj:y", "punct", "ROOT", "obj", "dep"]}


def doc(words=WORDS, **annotation):
    return Doc(VOCAB, words=words, **annotation)


def test_keys_and_values():
    scores = parser_score([Example(doc(**PROJECTIVE), doc(**CROSSING))], labels=[], beam=1)
    assert set(scores) == set(SCORE_NAMES)
    assert scores["dep_uas"] == 0.8 and scores["dep_las"] == 0.6
    assert scores["dep_clas"] == 0.5
    assert scores["dep_exact_match"] == 0
    assert scores["dep_las_per_type"]["nsubj"] == {"p": 1.0, "r": 1.0, "f": 1.0}
    assert scores["nonproj_uas"] == 0.8 and scores["nonproj_las"] == 0.6
    assert scores["nonproj_r"] == 0 and scores["nonproj_p"] is None
    assert scores["nonproj_share"] == 0
    assert scores["sents_f"] == 1


def test_equal_to_the_scores_of_conllu():
    lines = [
        "1\ta\t_\t_\t_\t_\t3\tnsubj:x\t_\t_",
        "2\tb\t_\t_\t_\t_\t3\tpunct\t_\t_",
        "3\tc\t_\t_\t_\t_\t0\troot\t_\t_",
        "4\td\t_\t_\t_\t_\t1\tobj\t_\t_",
    ]
    gold = [parse_sentence(lines), parse_sentence(["1\te\t_\t_\t_\t_\t0\troot\t_\t_"])]
    reference = doc_from_sentences(gold, VOCAB)
    predicted = unannotated_doc(gold, VOCAB, sentence_starts=False)
    from_spacy = parser_score([Example(predicted, reference)])
    assert from_spacy["dep_las"] == 0 and from_spacy["sents_r"] == 0
    assert parser_score([Example(reference, reference)])["dep_exact_match"] == 1
    assert score_sentences(gold, gold).official["LAS"].gold == 5


def test_sentences_that_spacy_cuts_at_a_missing_head():
    partial = doc(WORDS[:3], heads=[2, 1, None], deps=["det", "ROOT", ""])
    assert [token.is_sent_start for token in partial][1:] != [False, False]
    predicted = doc(WORDS[:3], heads=[2, 2, 2], deps=["det", "obj", "ROOT"])
    scores = parser_score([Example(predicted, partial)])
    assert scores["dep_uas"] == 0.5


def test_missing_annotation():
    assert parser_score([Example(doc(), doc())]) == dict.fromkeys(SCORE_NAMES)
    assert parser_score([]) == dict.fromkeys(SCORE_NAMES)
    bounded = doc(sent_starts=[1, -1, -1, 1, -1])
    scores = parser_score([Example(doc(**CROSSING), bounded)])
    assert scores["dep_las"] is None and scores["sents_r"] == 0
    partial = doc(heads=[2, 2, 2, None, 2], deps=["nsubj", "punct", "ROOT", None, "obl"])
    scores = parser_score([Example(doc(**CROSSING), partial)])
    assert scores["dep_las"] == 1 and scores["nonproj_r"] is None
    assert scores["dep_exact_match"] is None


def test_examples_without_heads_do_not_spoil_the_others():
    examples = [Example(doc(**CROSSING), doc(**CROSSING)), Example(doc(**CROSSING), doc())]
    assert parser_score(examples)["dep_las"] == 1


def test_white_space_tokens_are_no_words():
    words = [" ", "a", "\n", "b"]
    predicted = doc(words, heads=[3, 2, 3, 3], deps=["dep", "obj", "dep", "ROOT"])
    reference = doc(["a", "b"], heads=[1, 1], deps=["obj", "ROOT"])
    scores = parser_score([Example(predicted, reference)])
    assert scores["dep_las"] == 1 and scores["sents_f"] == 1


def test_other_tokens_count_as_wrong():
    predicted = doc(["a", "bc", "d", "e"], heads=[1, 1, 0, 1], deps=["nsubj", "ROOT", "obj", "obl"])
    scores = parser_score([Example(predicted, doc(**CROSSING))])
    # There are 5 gold and 4 predicted words. Words a, d and e are aligned, but only the head of d.
    assert scores["dep_las"] == 2 * 1 / 9


def test_case_is_ignored_as_in_the_alignment_of_spacy():
    upper = doc([word.upper() for word in WORDS], **CROSSING)
    assert parser_score([Example(upper, doc(**CROSSING))])["dep_las"] == 1
    with pytest.raises(ValueError, match="differ at character 1 "):
        parser_score([Example(doc(), doc(["x", *WORDS[1:]], **CROSSING))])


def test_cycles_are_named():
    cyclic = doc(heads=[1, 0, 1, 2, 3], deps=["dep"] * 5)
    with pytest.raises(ValueError, match="'a b c d e': heads form a cycle: 1 <- 2"):
        parser_score([Example(doc(**CROSSING), cyclic)])


def test_registered():
    config = {"s": {"@scorers": "spacy_npparse.parser_scorer.v1"}}
    assert spacy.registry.resolve(config)["s"] is parser_score


def test_multiword_tokens_as_in_conllu():
    """Words of a multiword token share its characters, and are compared by their forms."""
    lines = [
        "1\tva\t_\t_\t_\t_\t0\troot\t_\t_",
        "2-3\tdu\t_\t_\t_\t_\t_\t_\t_\t_",
        "2\tde\t_\t_\t_\t_\t4\tcase\t_\t_",
        "3\tle\t_\t_\t_\t_\t4\tdet\t_\t_",
        "4\tlit\t_\t_\t_\t_\t1\tobl\t_\t_",
    ]
    sentences = [parse_sentence(lines)]
    of_docs = analysis_of_docs([doc_from_sentences(sentences, VOCAB)])
    assert of_docs == analysis_of_sentences(sentences)
    assert of_docs.tokens == [(0, 2), (2, 4), (4, 7)] and of_docs.text == "vadulit"


def test_heads_without_labels_are_scored():
    gold = doc()
    gold.from_array(["HEAD"], np.array([[2], [0], [0], [0], [0]], dtype="uint64"))
    scores = parser_score([Example(doc(**CROSSING), gold)])
    assert scores["dep_uas"] == 1 and scores["dep_las"] is None
