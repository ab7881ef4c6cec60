"""Tests of head distributions as training targets: alignment, sentences and learning."""

import numpy as np
import pytest
from parser_helpers import TINY_MODEL, scored_batch
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_npparse.components.gold import read_gold
from spacy_npparse.parsing import HeadTargets
from spacy_npparse.treebank.head_distributions import DISTRIBUTIONS_KEY
from spacy_npparse.trees.head_distributions import HeadDistributions
from spacy_npparse.trees.missing import NO_HEAD

VOCAB = Vocab()


def example(words, heads, distributions, predicted=None, starts=None):
    """Return an Example. distributions: {word: {head: probability}}; a root is its own head."""
    deps = ["ROOT" if head == i else "dep" for i, head in enumerate(heads)]
    gold = Doc(VOCAB, words, heads=heads, deps=deps, sent_starts=starts)
    found = HeadDistributions.unknown(len(words))
    for i, of_word in distributions.items():
        for rank, (head, probability) in enumerate(of_word.items()):
            found.heads[i, rank], found.probabilities[i, rank] = head - i, probability
    gold.user_data[DISTRIBUTIONS_KEY] = found
    return Example(Doc(VOCAB, predicted or words), gold)


def targets_of(*examples):
    labels = {VOCAB.strings.add("dep"): 0}
    return read_gold(examples, labels)[0]


def by_word(targets):
    return [
        {head: pytest.approx(p) for head, p in zip(heads, weights, strict=True) if p}
        for heads, weights in zip(targets.heads.tolist(), targets.weights.tolist(), strict=True)
    ]


def test_words_without_a_distribution_learn_the_gold_head():
    gold = targets_of(
        example(["a", "b", "c"], [1, 1, 1], {0: {1: 0.6, 0: 0.2}}),
        Example(Doc(VOCAB, ["d", "e"]), Doc(VOCAB, ["d", "e"], heads=[1, 1], deps=["dep", "ROOT"])),
    )
    assert by_word(gold.targets) == [{2: 0.75, 0: 0.25}, {0: 1.0}, {2: 1.0}, {2: 1.0}, {0: 1.0}]
    only_trees = targets_of(
        Example(Doc(VOCAB, ["d", "e"]), Doc(VOCAB, ["d", "e"], heads=[1, 1], deps=["dep", "ROOT"]))
    )
    assert only_trees.targets is None


def test_heads_in_other_sentences_and_unaligned_ones_do_not_count():
    two = example(
        ["a", "b", "c", "d"],
        [1, 1, 3, 3],
        {0: {1: 0.5, 2: 0.5}, 2: {1: 1.0}},
        starts=[True, False, True, False],
    )
    assert by_word(targets_of(two).targets) == [{2: 1.0}, {0: 1.0}, {2: 1.0}, {0: 1.0}]
    split = example(
        ["a", "bc", "d"], [2, 2, 2], {0: {1: 0.5, 2: 0.5}}, predicted=["a", "b", "c", "d"]
    )
    gold = targets_of(split)
    assert gold.heads.tolist() == [4, NO_HEAD, NO_HEAD, 0]
    assert by_word(gold.targets) == [{4: 1.0}, {}, {}, {0: 1.0}]


def test_targets_are_selected_and_joined_as_heads_are():
    gold = targets_of(
        example(
            ["a", "b", "c", "d"],
            [1, 1, 3, 3],
            {0: {1: 0.5, 0: 0.5}, 2: {3: 0.75, 2: 0.25}},
            starts=[True, False, True, False],
        )
    )
    joined = gold.join_sentences(10)
    assert by_word(joined.targets) == [{2: 0.5, 0: 0.5}, {0: 1.0}, {4: 0.75, 0: 0.25}, {0: 1.0}]
    second = gold.select(np.array([False, True]))
    assert by_word(second.targets) == [{2: 0.75, 0: 0.25}, {0: 1.0}]


def test_targets_of_a_tree_are_its_heads():
    targets = HeadTargets.of_tree(np.array([2, 0, NO_HEAD], dtype=np.int32))
    assert by_word(targets) == [{2: 1.0}, {0: 1.0}, {}]


def test_pseudo_projective_parsers_learn_the_lifted_heads(make_nlp):
    nlp = make_nlp("arc_hybrid", pseudo_projective="head")
    heads, words = [2, 3, 2, 3], ["a", "b", "c", "d"]
    crossing = example(words, heads, {0: {2: 0.5, 1: 0.5}})
    nlp.initialize(lambda: [crossing])
    assert nlp.get_pipe("parser").label_set.gold([crossing])[0].targets is None


@pytest.mark.parametrize("system", ["arc_hybrid_swap", "mst, local", "mh4, exact"])
def test_parsers_learn_the_probabilities_of_heads(make_parser, system):
    """The parser memorizes one sentence. Trees alone would teach probabilities near 1."""
    nlp = make_parser(system, {"model": TINY_MODEL})
    parser = nlp.get_pipe("parser")
    words = ["viel", "kostet", "das", "Haus"]
    learnt = example(words, [1, 1, 3, 1], {2: {3: 0.7, 1: 0.3}, 3: {1: 0.55, 0: 0.45}})
    learnt = Example(Doc(nlp.vocab, words), learnt.reference)
    parser.add_label("dep")
    optimizer = nlp.resume_training()
    optimizer.learn_rate = 0.01
    for _ in range(150):
        nlp.update([learnt], sgd=optimizer)
    doc = Doc(nlp.vocab, words, sent_starts=[True, False, False, False])
    found = scored_batch(parser, [doc]).arcs.exp().numpy()[0]
    assert found[1, 2] > 0.9
    assert found[3, [4, 2]] == pytest.approx([0.7, 0.3], abs=0.15)
    assert found[4, [2, 1]] == pytest.approx([0.55, 0.45], abs=0.15)
