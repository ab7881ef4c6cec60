"""The system is judged by enumeration; the component is trained, saved and loaded."""

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_npparse import get_transition_system
from spacy_npparse.trees import is_tree

COVERED = {1: 1, 2: 3, 3: 15, 4: 101, 5: 811}


@pytest.mark.parametrize("n", COVERED)
def test_every_tree_that_can_be_built_is_derived(n):
    system = get_transition_system("attardi_hybrid", single_root=False)
    trees, seen, agenda = set(), set(), [system.initial(n)]
    while agenda:
        configuration = agenda.pop()
        if configuration in seen:
            continue
        seen.add(configuration)
        if system.is_terminal(configuration):
            trees.add(configuration.heads)
        agenda += [system.apply(configuration, t) for t in system.legal(configuration)]
    assert len(trees) == COVERED[n]
    for tree in trees:
        assert is_tree(tree, single_root=False)
        configuration = system.initial(n)
        for transition in system.oracle("static", tree).derivation():
            configuration = system.apply(configuration, transition)
        assert configuration.heads == tree


def test_the_component_learns_crossing_arcs(tmp_path):
    nlp = spacy.blank("xx")
    nlp.add_pipe("attardi_hybrid_parser", config={"model": {"tok2vec": {"width": 32}}})
    words, heads = "a b c d".split(), [2, 3, 3, 3]
    deps = ["x", "x", "y", "ROOT"]
    gold = Doc(nlp.vocab, words=words, heads=heads, deps=deps)
    examples = [Example(Doc(nlp.vocab, words=words), gold)]
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(60):
        nlp.update(examples, sgd=optimizer)
    nlp.to_disk(tmp_path)
    doc = spacy.load(tmp_path)(Doc(nlp.vocab, words=words))
    assert [token.head.i for token in doc] == heads
    assert [token.dep_ for token in doc] == deps
