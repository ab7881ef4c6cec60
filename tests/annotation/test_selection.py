"""Tests of the selection of sentences and words for annotation, and of training on them."""

import math

import numpy as np
import pytest
from parser_helpers import SAMPLE

from spacy_npparse.annotation.posteriors import encode_sentences
from spacy_npparse.annotation.selection import (
    Criterion,
    JudgedSentence,
    judge_sentences,
    partial_sentence,
    select_doubtful_words,
    select_sentences,
    select_words,
)
from spacy_npparse.treebank import ConlluCorpus, parse_sentence, read_conllu

SENTENCES = list(read_conllu(SAMPLE))[:20]


def judged(entropies, errors=None, vector=(1.0, 0.0), sentence=None):
    n = len(entropies)
    return JudgedSentence(
        sentence,
        list(range(n)),
        ["dep"] * n,
        np.array(entropies, dtype=float),
        np.array(entropies if errors is None else errors, dtype=float),
        np.array(vector, dtype=np.float32),
    )


def test_entropies_and_errors_are_those_of_the_probabilities(make_parser):
    nlp = make_parser("mst", confidence=True)
    parser = nlp.get_pipe("parser")
    for one in judge_sentences(nlp, SENTENCES[:5], batch_size=2):
        encoded = encode_sentences(nlp, [one.sentence])
        (heads,), ((tree, chosen),) = encoded.heads(), encoded.trees()
        (labels,) = encoded.labels([tree])
        assert one.heads == tree.tolist()
        for i, head in enumerate(one.heads):
            entropy = -sum(p * math.log(p) for p in heads[i].tolist() if p)
            sure = float(heads[i, head])
            if head:
                entropy -= sum(p * math.log(p) for p in labels[i].tolist() if p)
                assert one.labels[i] == parser.label_data[chosen[i]]
                sure *= float(labels[i, chosen[i]])
            else:
                assert one.labels[i] == "root"
            assert one.entropies[i] == pytest.approx(entropy, abs=1e-3)
            assert one.errors[i] == pytest.approx(1 - sure, abs=1e-4)


def test_sentences_that_bring_most_for_each_word_come_first():
    pool = [judged([1.0, 1.0]), judged([3.0, 0.2]), judged([2.0]), judged([0.1] * 3)]
    assert select_sentences(pool, Criterion.ENTROPY, 8) == [2, 1, 0, 3]
    # A sentence that exceeds the remaining number of words is skipped.
    assert select_sentences(pool, Criterion.ENTROPY, 4) == [2, 1]
    assert select_sentences([judged([5.0] * 3), judged([1.0])], Criterion.ENTROPY, 2) == [1]
    assert select_sentences(pool, Criterion.ENTROPY, 0) == []
    errors = [judged([1.0], [0.1]), judged([0.5], [0.9])]
    assert select_sentences(errors, Criterion.ERROR, 1) == [1]


def test_diversity_avoids_what_has_been_chosen():
    pool = [
        judged([1.0], vector=(1.0, 0.0)),
        judged([0.9], vector=(2.0, 0.1)),
        judged([0.5], vector=(0.0, 1.0)),
    ]
    assert select_sentences(pool, Criterion.ENTROPY, 3) == [0, 1, 2]
    assert select_sentences(pool, Criterion.DIVERSITY, 3) == [0, 2, 1]


def test_single_words():
    pool = [judged([0.1, 0.9]), judged([0.8, 0.2, 0.7])]
    assert select_words(pool, Criterion.ENTROPY, 3) == {0: [2], 1: [1, 3]}
    assert select_words(pool, Criterion.ENTROPY, 99) == {0: [2, 1], 1: [1, 3, 2]}
    with pytest.raises(ValueError, match="diversity is a criterion for sentences"):
        select_words(pool, Criterion.DIVERSITY, 1)


def test_doubtful_words_of_sentence_after_sentence():
    seen = []

    def pool():
        for errors in ([0.7, 0.2, 0.65], [0.1], [0.9], [0.8] * 3, [0.9]):
            seen.append(errors)
            yield judged([1.0] * len(errors), errors)

    chosen = select_doubtful_words(pool(), 0.65, 5)
    assert [words for _, words in chosen] == [[1, 3], [], [1]]
    # The fourth sentence has too many doubtful words, so the fifth is not read.
    assert len(seen) == 4
    assert select_doubtful_words([], 0.5, 5) == []


LINES = [
    "# sent_id = s",
    "1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_",
    "1\ta\t_\tX\t_\t_\t_\t_\t_\tSpaceAfter=No",
    "2\tb\t_\t_\t_\t_\t_\t_\t_\t_",
]


def test_partial_sentences():
    one = JudgedSentence(
        parse_sentence(LINES),
        [2, 0],
        ["det", "root"],
        np.array([1.0, 0.0]),
        np.array([0.25, 0.1]),
        np.zeros(1, dtype=np.float32),
    )
    found = str(partial_sentence(one, [1], "entropy 0.5")).splitlines()
    assert found == [
        "# selected = entropy 0.5",
        *LINES[:2],
        "1\ta\t_\tX\t_\t_\t_\t_\t_\tSpaceAfter=No|PredictedArc=2:det|Probability=0.7500",
        LINES[3],
    ]


def with_gold(gold, partial):
    """Give the words that an annotator is asked for their gold arcs."""
    rows = [
        row._replace(head=right.head, deprel=right.deprel) if "PredictedArc" in row.misc else row
        for row, right in zip(partial.rows, gold.rows, strict=True)
    ]
    return parse_sentence(["\t".join(row) for row in rows])


def test_what_is_not_annotated_is_not_learnt(make_parser, tmp_path, monkeypatch):
    """In training on a partially annotated file, only words with heads have a gradient."""
    nlp = make_parser("mst, local")
    parser = nlp.get_pipe("parser")
    sentences = list(judge_sentences(nlp, SENTENCES[:6], 128))
    chosen = select_words(sentences, Criterion.ENTROPY, 20)
    path = tmp_path / "partial.conllu"
    written = [partial_sentence(sentences[n], words, "entropy") for n, words in chosen.items()]
    annotated = [with_gold(SENTENCES[n], one) for n, one in zip(chosen, written, strict=True)]
    path.write_text("".join(f"{sentence}\n\n" for sentence in annotated))
    examples = list(ConlluCorpus(path)(nlp))
    known = [[token.has_head() for token in eg.reference] for eg in examples]
    n_words = sum(len(sentences[n].heads) for n in chosen)
    assert sum(map(sum, known)) == 20 < sum(map(len, known)) == n_words
    net = parser.network.shim.net
    score_arcs, scores = net.score_arcs, []

    def keep(*arguments):
        scores.append(score_arcs(*arguments))
        scores[-1].retain_grad()
        return scores[-1]

    monkeypatch.setattr(net, "score_arcs", keep)
    losses = nlp.update(examples)
    assert math.isfinite(losses["parser"]) and losses["parser"] > 0
    assert scores
    for arcs in scores:
        touched = arcs.grad.abs().sum(dim=2) > 0
        for of_sentence, of_words in zip(touched, known, strict=True):
            assert of_sentence[1 : len(of_words) + 1].tolist() == of_words
