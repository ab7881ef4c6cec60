"""Readers of the code open few files: objects have few classes, and calls cross few files."""

import inspect

import pytest
from spacy.training import Example
from structure import all_classes, calls_between_files, own_classes

from spacy_npparse.components import DependencyParser

# The number of calls into another file, to predict and to learn one sentence, when the parser had
# ten levels of inheritance.
BEFORE = {
    "arc_hybrid_swap": (55, 82),
    "mst": (53, 90),
    "one_endpoint_crossing": (55, 103),
    "mh4, exact": (55, 103),
}


@pytest.mark.parametrize("system", BEFORE)
def test_few_calls_change_the_file(make_parser, sample, system):
    # In mode "trees", label rules would search for other trees in a loop.
    nlp = make_parser(system, {"label_rules": "labels"})
    parser = nlp.get_pipe("parser")
    (stored,) = sample(nlp, limit=1)
    # `nlp.update` makes examples in the same way.
    example = Example(stored.predicted, stored.reference)
    found = [
        calls_between_files(lambda: parser.predict([example.predicted])),
        calls_between_files(lambda: parser.update([example])),
    ]
    for calls, before in zip(found, BEFORE[system], strict=True):
        assert 10 < len(calls) <= before / 2, calls


def test_objects_are_made_of_few_classes():
    """The kernel is exempt: its systems and oracles inherit from each other as in the papers."""
    for one in all_classes():
        if not one.__module__.startswith(("spacy_npparse.systems", "spacy_npparse.transitions")):
            assert len(own_classes(one)) <= 3, inspect.getmro(one)


def test_nobody_inherits_from_the_parser():
    assert [one for one in all_classes() if DependencyParser in one.__bases__] == []
