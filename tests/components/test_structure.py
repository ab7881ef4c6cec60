"""What a reader has to open: few classes of an object, few files of a call."""

import inspect

import pytest
from spacy.training import Example
from structure import all_classes, calls_between_files, own_classes

from spacy_npparse.components import DependencyParser

# Calls that changed the file when the parser was ten classes deep: of one sentence, predicted and
# learnt.
BEFORE = {
    "arc_hybrid_swap": (55, 82),
    "mst": (53, 90),
    "one_endpoint_crossing": (55, 103),
    "mh4, exact": (55, 103),
}


@pytest.mark.parametrize("system", BEFORE)
def test_few_calls_change_the_file(make_parser, sample, system):
    # The search for other trees, for label rules, is a loop.
    nlp = make_parser(system, {"label_rules": "labels"})
    parser = nlp.get_pipe("parser")
    (stored,) = sample(nlp, limit=1)
    # As `nlp.update` makes it.
    example = Example(stored.predicted, stored.reference)
    found = [
        calls_between_files(lambda: parser.predict([example.predicted])),
        calls_between_files(lambda: parser.update([example])),
    ]
    for calls, before in zip(found, BEFORE[system], strict=True):
        assert 10 < len(calls) <= before / 2, calls


def test_objects_are_made_of_few_classes():
    """But for the kernel, whose systems and oracles are derived from each other as in the
    papers."""
    for one in all_classes():
        if not one.__module__.startswith(("spacy_npparse.systems", "spacy_npparse.transitions")):
            assert len(own_classes(one)) <= 3, inspect.getmro(one)


def test_nobody_inherits_from_the_parser():
    assert [one for one in all_classes() if DependencyParser in one.__bases__] == []
