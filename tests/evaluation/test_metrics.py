"""Tests of the identifiers of scores: keys in JSON are stable, and labels are displayed."""

import doctest
import json

import pytest

from spacy_npparse import counts
from spacy_npparse.evaluation import ArcProperty, Metric, scores
from spacy_npparse.evaluation.metrics import Identifier


def test_keys_and_labels():
    class Colour(Identifier):
        RED = "red", "bright red"
        BLUE = "blue"

    assert Colour("red") is Colour.RED == "red"
    assert json.loads(json.dumps({Colour.RED: 1})) == {"red": 1} == {Colour.RED: 1}
    assert f"{Colour.RED:>11}, {Colour.BLUE}" == " bright red, blue"


def test_keys_in_json_files_are_stable():
    assert [metric.value for metric in Metric] == [
        *"Tokens Sentences Words UPOS XPOS UFeats AllTags Lemmas".split(),
        *"UAS LAS CLAS MLAS BLEX ELAS".split(),
        "Exact match",
        "Non-projective sentences: UAS",
        "Non-projective sentences: LAS",
        "Non-projective arcs: precision",
        "Non-projective arcs: recall",
        "Non-projective arcs: strict recall",
        "Non-projective arcs predicted",
        "Non-projective sentences predicted",
    ]
    assert [by.value for by in ArcProperty] == [
        "arc length",
        "sentence length",
        "distance to the root",
        "projectivity",
        "relation",
    ]


@pytest.mark.parametrize("module", [counts, scores])
def test_examples_of_docstrings(module):
    found = doctest.testmod(module)
    assert found.attempted and not found.failed
