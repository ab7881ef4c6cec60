"""Tests of lists of contradicted arcs."""

import math

import pytest

from spacy_npparse.annotation.contradictions import (
    Contradiction,
    contradiction_table,
    ranked,
    with_contradictions,
)
from spacy_npparse.treebank import parse_sentence
from spacy_npparse.treebank.rows import make_sentence, with_misc

LINES = [
    "# sent_id = s-1",
    "1-2\tab\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No",
    "1\ta\t_\t_\t_\t_\t2\tdet\t_\t_",
    "2\tb\t_\t_\t_\t_\t0\troot\t_\tGloss=x",
    "2.1\tc\t_\t_\t_\t_\t_\t_\t_\t_",
]
SENTENCES = [parse_sentence(["1\tx\t_\t_\t_\t_\t0\troot\t_\t_"]), parse_sentence(LINES)]
LESS = Contradiction(1, 1, 2, "det", 0.19, 2, "amod", 0.39)
MORE = Contradiction(1, 2, 0, "root", 0.01, 1, "obj", 0.5)


def test_the_surest_come_first():
    assert LESS.log_odds == pytest.approx(math.log(2))
    assert ranked([LESS, MORE]) == [MORE, LESS]


def test_table():
    _, first, second = contradiction_table([MORE, LESS], SENTENCES).splitlines()
    numbers = ["0.010000", "1", "obj", "0.500000", "3.239"]
    assert first.split("\t") == ["2", "s-1", "2", "b", "0", "root", *numbers]
    assert second.split("\t")[:6] == ["2", "s-1", "1", "a", "2", "det"]


def test_notes_of_an_earlier_time_are_dropped():
    noted = with_contradictions([MORE, LESS], SENTENCES)
    assert with_contradictions([MORE, LESS], noted) == noted
    assert with_contradictions([], noted) == SENTENCES
    selected = with_misc(SENTENCES[1].rows[1], {"PredictedArc": "1:obj", "Probability": "0.0123"})
    rows = [SENTENCES[1].rows[0], selected, *SENTENCES[1].rows[2:]]
    annotated = [SENTENCES[0], make_sentence(rows, SENTENCES[1].metadata, SENTENCES[1].comments)]
    assert with_contradictions([MORE, LESS], annotated) == noted


def test_misc_tells_of_them_and_nothing_else_changes():
    one, other = with_contradictions([MORE, LESS], SENTENCES)
    assert one is SENTENCES[0]
    expected = list(LINES)
    expected[2] = LINES[2].removesuffix("_") + "PredictedArc=2:amod|LogOdds=0.69"
    expected[3] = LINES[3] + "|PredictedArc=1:obj|LogOdds=3.24"
    assert str(other).splitlines() == expected
