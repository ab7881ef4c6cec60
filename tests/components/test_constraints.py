"""Parsers obey the constraints of a Doc."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from parser_helpers import GLOBAL, PARSERS, SYSTEMS, check_trees, one_sentence, scored_batch
from random_constraints import check_constraints_met, random_constraints, random_tree
from spacy.tokens import Doc, DocBin

from spacy_npparse.components import CONSTRAINTS_KEY, ConstraintError, DependencyConstraints
from spacy_npparse.components.constraints.batch import read_constraints
from spacy_npparse.components.docs import read_tokens
from spacy_npparse.decoding import AllowedTrees
from spacy_npparse.trees import is_tree

WORDS = "Der Arzt glaubt , dass das Pferd verschwunden war , das Maria gesehen hatte .".split()


# For these systems, the search covers all trees only in sentences of up to five words.
PARTLY_SEARCHED = ("attardi", "attardi_3", "mh4", "two_planar")


def repeated(n_times):
    return settings(
        deadline=None,
        max_examples=n_times,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )


def constrained_doc(nlp, system, lengths, seed, *, preset=True):
    """Return a Doc of sentences with random constraints that the parser can meet."""
    rng = np.random.default_rng(seed)
    words = rng.choice(WORDS, size=sum(lengths)).tolist()
    labels = nlp.get_pipe("parser").label_data
    starts = np.cumsum([0, *lengths[:-1]]).tolist()
    doc = Doc(
        nlp.vocab,
        words=words,
        sent_starts=[i in starts for i in range(len(words))] if preset else None,
    )
    known = {}
    for first, n in zip(starts, lengths, strict=True):
        heads = random_tree(system, n, rng).tolist()
        for kind, values in random_constraints(heads, labels, rng, first).items():
            if isinstance(values, dict):
                known.setdefault(kind, {}).update(values)
            else:
                known.setdefault(kind, []).extend(values)
    doc.user_data[CONSTRAINTS_KEY] = known
    return doc


def heads_of(doc):
    return [token.head.i for token in doc]


def annotation_of(doc):
    return [(token.head.i, token.dep_, token.is_sent_start) for token in doc]


@pytest.mark.parametrize("system", PARSERS)
@repeated(10)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=3), st.integers(0, 2**32 - 1))
def test_every_parser_obeys(shared, system, lengths, seed):
    nlp = shared(system)
    if system in PARTLY_SEARCHED:
        lengths = [min(n, 5) for n in lengths]
    doc = nlp(constrained_doc(nlp, system, lengths, seed))
    check_trees(doc)
    check_constraints_met(doc)
    assert len(list(doc.sents)) == len(lengths)


@pytest.mark.parametrize("system", SYSTEMS)
@repeated(5)
@given(st.integers(0, 2**32 - 1))
def test_all_trees_of_a_beam_obey(shared, system, seed):
    nlp = shared(system, beam_width=4, k_best=4, confidence=True)
    doc = nlp(constrained_doc(nlp, system, [5], seed))
    check_constraints_met(doc)
    ranked = doc._.k_best_trees[0]
    assert ranked[0]["heads"] == heads_of(doc)
    scores = [tree["score"] for tree in ranked]
    assert scores == sorted(scores, reverse=True)
    for tree in ranked:
        other = Doc(nlp.vocab, words=[t.text for t in doc], heads=tree["heads"], deps=tree["deps"])
        other.user_data = doc.user_data
        check_constraints_met(other)


@pytest.mark.parametrize("system", ["arc_hybrid", "arc_hybrid_swap"])
def test_several_allowed_trees_are_ranked(shared, system):
    nlp = shared(system, beam_width=4, k_best=4)
    free = nlp(one_sentence(nlp, WORDS[:6]))._.k_best_trees[0]
    root = next(i for i, head in enumerate(free[0]["heads"]) if head == i)
    forbidden = DependencyConstraints(forbidden_heads={root: [root]})
    doc = nlp(forbidden.attach(one_sentence(nlp, WORDS[:6])))
    check_constraints_met(doc)
    assert len({tuple(tree["heads"]) for tree in doc._.k_best_trees[0]}) == 4


@pytest.mark.parametrize("system", ["arc_hybrid", "covington"])
def test_allowed_trees_have_the_scores_of_a_beam(shared, system):
    """The scores are log-probabilities of derivations, not sums of the scores of arcs."""
    nlp = shared(system, beam_width=64, k_best=64)
    free = nlp(one_sentence(nlp, WORDS[:3]))._.k_best_trees[0]
    # The beam holds all trees with all of their derivations.
    joint = {tuple(tree["heads"]): tree["score"] for tree in free}
    root = next(i for i, head in enumerate(free[0]["heads"]) if head == i)
    forbidden = DependencyConstraints(forbidden_heads={root: [root]})
    allowed = nlp(forbidden.attach(one_sentence(nlp, WORDS[:3])))._.k_best_trees[0]
    assert {tuple(tree["heads"]) for tree in allowed} == {
        heads for heads in joint if heads[root] != root
    }
    scores = [tree["score"] for tree in allowed]
    assert scores == sorted(scores, reverse=True)
    # Only one derivation of each tree counts, and some trees have only one.
    differences = [joint[tuple(tree["heads"])] - tree["score"] for tree in allowed]
    assert min(differences) == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize("system", ["mst", "arc_hybrid_swap"])
@repeated(20)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=4), st.integers(0, 2**32 - 1))
def test_sentences_are_found_in_which_constraints_can_be_met(shared, system, lengths, seed):
    nlp = shared(system)
    doc = constrained_doc(nlp, system, lengths, seed, preset=False)
    doc = nlp(doc)
    check_trees(doc)
    check_constraints_met(doc)


def test_two_roots_are_in_two_sentences(shared):
    nlp = shared("mst")
    for first, second in [(0, 1), (2, 9), (5, 6)]:
        doc = Doc(nlp.vocab, words=WORDS)
        doc = nlp(DependencyConstraints(heads={first: [first], second: [second]}).attach(doc))
        check_trees(doc)
        assert [doc[i].head.i for i in (first, second)] == [first, second]
        assert len(list(doc.sents)) >= 2


@pytest.mark.parametrize("system", GLOBAL)
@repeated(3)
@given(st.integers(1, 4), st.integers(0, 2**32 - 1))
# In this example, a search in which no allowed tree is left finds the best tree again.
@example(4, 38679)
def test_exact_search_finds_the_best_allowed_tree(shared, system, n, seed):
    nlp = shared(system)
    parser = nlp.get_pipe("parser")
    doc = constrained_doc(nlp, system, [n], seed)
    constrained = read_constraints([doc], "none", parser.label_data)
    tokens = read_tokens([doc])
    sentence = tokens.sentences()
    scored = scored_batch(parser, [doc])
    with torch.no_grad():

        def best(allowed):
            return parser.search.best_allowed(scored, allowed)

        scores = {}
        for heads in itertools.product(range(n + 1), repeat=n):
            if heads.count(0) == 1 and is_tree([0, *heads]):
                only = np.zeros((n + 1, n + 1), dtype=bool)
                only[range(1, n + 1), heads] = True
                found = best(AllowedTrees(only))
                if found is not None:
                    scores[heads] = found.scores[0, 0]
        allowed = AllowedTrees(np.ones_like(only))
        if constrained is not None:
            allowed = constrained.in_sentences(tokens, sentence).allowed_trees.get(0, allowed)
        found = best(allowed)
    assert len(set(scores.values())) > len(scores) / 2
    expected = max(score for heads, score in scores.items() if allowed.admits(heads))
    assert found.scores[0, 0] == pytest.approx(expected, abs=1e-3)
    assert allowed.admits(found.heads[0])


@pytest.mark.parametrize("system", ["arc_hybrid_swap", "mh4, exact"])
def test_constraints_that_are_met_anyway_change_nothing(shared, system):
    nlp = shared(system)
    free = nlp(Doc(nlp.vocab, words=WORDS * 3))
    constraints = DependencyConstraints(
        heads={token.i: [token.head.i, 3] for token in free},
        labels={token.i: [token.dep_] for token in free},
        subtrees=[[sentence.start, sentence.end] for sentence in free.sents],
    )
    doc = nlp(constraints.attach(Doc(nlp.vocab, words=WORDS * 3)))
    assert annotation_of(doc) == annotation_of(free)


def test_docs_with_and_without_constraints_in_a_batch(shared):
    nlp = shared()
    docs = [Doc(nlp.vocab, words=WORDS[:n]) for n in (5, 0, 8, 3, 12)]
    free = [annotation_of(nlp(doc.copy())) for doc in docs]
    docs[2] = DependencyConstraints(heads={0: [7], 7: [7]}).attach(docs[2])
    parsed = list(nlp.pipe(docs))
    check_constraints_met(parsed[2])
    assert parsed[2][0].head.i == 7 == parsed[2][7].head.i
    for number in (0, 1, 3, 4):
        assert annotation_of(parsed[number]) == free[number]


def test_only_docs_that_fail_reach_the_error_handler(make_nlp, sample):
    nlp = make_nlp()
    nlp.initialize(lambda: sample(nlp))
    failed = []
    nlp.get_pipe("parser").set_error_handler(
        lambda name, pipe, docs, error: failed.extend((doc, error) for doc in docs)
    )
    good, bad = (one_sentence(nlp, WORDS[:4]) for _ in range(2))
    DependencyConstraints(heads={0: [1], 1: [0]}).attach(bad)
    assert list(nlp.pipe([good, bad])) == [good]
    assert failed[0][0] is bad and isinstance(failed[0][1], ConstraintError)


def test_constraints_are_saved_with_the_doc(shared):
    nlp = shared()
    constraints = DependencyConstraints(
        heads={0: [3, 4]},
        forbidden_heads={3: [1]},
        labels={0: ["nsubj"]},
        forbidden_labels={2: ["ROOT"]},
        subtrees=[[1, 3]],
    )
    doc = constraints.attach(one_sentence(nlp, WORDS[:5]))
    data = DocBin(store_user_data=True, docs=[doc]).to_bytes()
    (loaded,) = DocBin().from_bytes(data).get_docs(nlp.vocab)
    assert set(DependencyConstraints.of(loaded)) == set(constraints)
    check_constraints_met(nlp(loaded))
    assert annotation_of(loaded) == annotation_of(nlp(doc))


def test_white_space_between_words(shared):
    nlp = shared()
    words = ["Der", "\n", "Arzt", " ", "glaubt", "das", "\n\n", "."]
    doc = Doc(nlp.vocab, words=words, sent_starts=[i == 0 for i in range(8)])
    known = DependencyConstraints(heads={0: [4], 5: [5]}, subtrees=[[1, 5]])
    with pytest.raises(ConstraintError, match="conflict|subtree"):
        nlp(known.attach(doc.copy()))
    known = DependencyConstraints(heads={0: [4], 5: [5]}, subtrees=[[0, 5], [6, 8]])
    doc = nlp(known.attach(doc))
    check_trees(doc)
    assert doc[0].head.i == 4 and doc[5].head.i == 5
    assert {t.i for t in doc[4].subtree} - {1, 3} <= {0, 2, 4}


@pytest.mark.parametrize("system", ["mh4, exact", "one_endpoint_crossing"])
def test_longer_sentences_than_exact_search_takes(make_nlp, sample, system):
    nlp = make_nlp(system, max_length=5)
    nlp.initialize(lambda: sample(nlp))
    for seed in range(5):
        check_constraints_met(nlp(constrained_doc(nlp, system, [9], seed)))


@pytest.mark.parametrize("system", ["mst", "arc_hybrid_swap", "covington", "one_endpoint_crossing"])
def test_heads_and_labels_that_a_doc_has_are_kept(make_nlp, sample, system):
    nlp = make_nlp(system, keep="heads")
    nlp.initialize(lambda: sample(nlp))
    heads = [1, 2, None, 5, 5, None, 2]
    deps = ["det", "nsubj", "", "det", "", "", "punct"]
    doc = Doc(nlp.vocab, words=WORDS[:7], heads=heads, deps=deps)
    doc = nlp(doc)
    check_trees(doc)
    for token, head, dep in zip(doc, heads, deps, strict=True):
        assert head is None or token.head.i == head
        assert not dep or token.dep_ == dep
        assert token.dep_
    # This parser and others keep the tree when they parse the Doc again.
    assert annotation_of(nlp(doc.copy())) == annotation_of(doc)
    other = make_nlp("mst", keep="heads")
    other.initialize(lambda: sample(other))
    assert annotation_of(other(doc.copy())) == annotation_of(doc)


@pytest.mark.parametrize("sentences", ["joint", "preset"])
def test_boundaries_within_an_arc_are_not_kept(make_nlp, sample, sentences):
    """spaCy derives that the third word starts a sentence."""
    nlp = make_nlp("mst", keep="heads", sentences=sentences)
    nlp.initialize(lambda: sample(nlp))
    doc = Doc(nlp.vocab, words=WORDS[:4], heads=[None, None, 2, 0], deps=["", "", "ROOT", "det"])
    assert doc[2].is_sent_start
    doc = nlp(doc)
    check_trees(doc)
    assert doc[2].dep_ == "ROOT" and doc[3].head.i == 0 and len(list(doc.sents)) == 1


def test_labels_without_heads_are_kept(make_nlp, sample):
    nlp = make_nlp("mst", keep="heads")
    nlp.initialize(lambda: sample(nlp))
    doc = one_sentence(nlp, WORDS[:4])
    doc[3].dep_ = "nsubj"
    doc = nlp(doc)
    assert doc[3].dep_ == "nsubj" and doc[3].head.i != 3
    # If a Doc is made with heads, spaCy sets a sentence boundary before each token without a head.
    doc = Doc(nlp.vocab, words=WORDS[:2], heads=[0, None], deps=["ROOT", "nsubj"])
    with pytest.raises(ConstraintError, match=r"the label of 'Arzt' \(token 1\) is 'nsubj'"):
        nlp(doc)


def test_heads_are_not_kept_unless_that_is_asked_for(shared):
    nlp = shared()
    free = annotation_of(nlp(one_sentence(nlp, WORDS[:5])))
    other = [(i + 1) % 5 if i < 4 else 4 for i in range(5)]
    doc = Doc(nlp.vocab, words=WORDS[:5], heads=other, deps=["dep"] * 4 + ["ROOT"])
    assert annotation_of(nlp(doc)) == free


def test_members_of_an_ensemble_and_the_ensemble_obey(make_nlp, sample):
    nlp = make_nlp("mh4, exact")
    nlp.initialize(lambda: sample(nlp))
    # An arc-hybrid parser cannot build all trees that the constraints require.
    for name, system in (("second", "mst"), ("third", "arc_hybrid")):
        other = make_nlp(system)
        other.initialize(lambda: sample(other))  # noqa: B023
        nlp.add_pipe("parser", source=other, name=name)
    members = ["parser", "second", "third"]
    for combine in ("votes", "scores"):
        name = f"ensemble_{combine}"
        nlp.add_pipe("ensemble_parser", name, config={"members": members, "combine": combine})
        ensemble = nlp.get_pipe(name)
        for seed in range(20):
            doc = ensemble(constrained_doc(nlp, "mst", [5, 8], seed))
            check_trees(doc)
            check_constraints_met(doc)
    ensemble.keep = "heads"
    assert annotation_of(ensemble(doc.copy())) == annotation_of(doc)
