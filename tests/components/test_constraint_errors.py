"""Constraints that no tree meets, or that are malformed, raise an error that names them."""

import numpy as np
import pytest
from parser_helpers import GLOBAL, one_sentence
from random_constraints import count_searches
from spacy.tokens import Doc

from spacy_npparse.components import CONSTRAINTS_KEY, ConstraintError, DependencyConstraints
from spacy_npparse.components.docs import read_tokens

WORDS = "Der Arzt glaubt das Pferd".split()


@pytest.mark.parametrize(
    ("known", "conflict"),
    [
        (
            {"heads": {0: [1], 1: [0]}},
            "the head of 'Der' (token 0) is 'Arzt' (token 1); "
            "the head of 'Arzt' (token 1) is 'Der' (token 0)",
        ),
        (
            {"heads": {0: [0], 3: [3], 1: [2]}},
            "the head of 'Der' (token 0) is the root; the head of 'das' (token 3) is the root",
        ),
        (
            {"heads": {0: [1, 2]}, "forbidden_heads": {0: [1], 3: [4]}, "labels": {0: ["ROOT"]}},
            "the head of 'Der' (token 0) is 'Arzt' (token 1) or 'glaubt' (token 2); "
            "the label of 'Der' (token 0) is 'ROOT'",
        ),
        (
            {"labels": {2: ["det"]}, "heads": {2: [2]}, "subtrees": [[0, 2]]},
            "the head of 'glaubt' (token 2) is the root; the label of 'glaubt' (token 2) is 'det'",
        ),
        (
            {"subtrees": [[0, 2], [1, 3]], "heads": {4: [4]}},
            "'Der Arzt' (tokens 0 to 1) is a subtree; 'Arzt glaubt' (tokens 1 to 2) is a subtree",
        ),
        (
            {"subtrees": [[0, 2]], "heads": {0: [2], 1: [3]}},
            "the head of 'Der' (token 0) is 'glaubt' (token 2); the head of 'Arzt' (token 1) is "
            "'das' (token 3); 'Der Arzt' (tokens 0 to 1) is a subtree",
        ),
        ({"heads": {4: []}}, "the head of 'Pferd' (token 4) is none"),
        (
            {"forbidden_labels": {i: ["ROOT"] for i in range(5)}},
            "the label of 'Der' (token 0) is not 'ROOT'; the label of 'Arzt' (token 1) is not "
            "'ROOT'; the label of 'glaubt' (token 2) is not 'ROOT'; the label of 'das' (token 3) "
            "is not 'ROOT'; the label of 'Pferd' (token 4) is not 'ROOT'",
        ),
    ],
)
@pytest.mark.parametrize("system", ["mst", "arc_hybrid_swap", "arc_hybrid"])
def test_a_conflict_is_named(shared, system, known, conflict):
    nlp = shared(system)
    doc = one_sentence(nlp, WORDS)
    doc.user_data[CONSTRAINTS_KEY] = known
    with pytest.raises(ConstraintError) as error:
        nlp(doc)
    assert str(error.value) == (
        "parser: no tree of 'Der Arzt glaubt das Pferd' (tokens 0 to 4) meets these constraints: "
        f"{conflict}. Remove or change one of them."
    )


@pytest.mark.parametrize("system", ["arc_hybrid", "mh3, exact"])
def test_what_only_other_parsers_can_build_is_parsed_by_arcs(shared, caplog, system):
    """Brute force finds the same best tree among all that meet the constraints."""
    nlp = shared(system)
    parser = nlp.get_pipe("parser")
    doc = one_sentence(nlp, WORDS)
    DependencyConstraints(heads={0: [2], 1: [3], 4: [3]}).attach(doc)
    encoded = parser.network.encode([doc])
    scores = encoded.score(read_tokens([doc]).sentences()).arcs[0].cpu().detach().numpy()
    possible = [(3, 4, *heads, 4) for heads in [(4, 0), (2, 0), (5, 0), (0, 3), (0, 1)]]
    best = max(possible, key=lambda heads: sum(scores[i, h] for i, h in enumerate(heads, 1)))
    doc = nlp(doc)
    assert [0 if t.head.i == t.i else t.head.i + 1 for t in doc] == list(best)
    name = system.split(",")[0]
    assert (
        "parser: 1 sentences were parsed by the scores of arcs alone, because no tree that meets "
        f"their constraints is one that {name}_parser can build." in caplog.messages
    )
    caplog.clear()
    nlp(one_sentence(nlp, WORDS))
    assert caplog.messages == []


@pytest.mark.parametrize("n_subtrees", [10, 13, 20])
@pytest.mark.parametrize("system", [*GLOBAL, "arc_hybrid", "arc_hybrid_swap", "attardi"])
def test_subtrees_that_cannot_be_met_are_refused_at_once(shared, system, n_subtrees, monkeypatch):
    nlp = shared(system)
    n = 3 * n_subtrees + 1
    last = n - 4
    known = DependencyConstraints(
        heads={last: [n - 1], last + 2: [n - 1]},
        subtrees=[[start, start + 3] for start in range(0, n - 1, 3)],
    )
    doc = known.attach(one_sentence(nlp, [f"w{i}" for i in range(n)]))
    searches = count_searches(monkeypatch)
    search = nlp.get_pipe("parser").search
    parts = getattr(getattr(search, "exact", search), "parts", None)
    if parts is not None:
        best = parts.best
        monkeypatch.setattr(parts, "best", lambda *args: searches.append(best) or best(*args))
    with pytest.raises(ConstraintError) as error:
        nlp(doc)
    named = str(error.value).split("meets these constraints: ")[1]
    assert named.count("the head of") == 2 and named.count("is a subtree") == 1
    # Two searches use the parser, two use all trees, and one tests each of some constraint sets.
    assert 4 < len(searches) <= 4 + 30


def test_a_boundary_that_is_set_cuts_an_arc_or_a_subtree(shared):
    nlp = shared()
    for known, named in [
        ({"heads": {1: [3]}}, "(token 1) is 'das' (token 3), which is in another sentence"),
        ({"subtrees": [[1, 4]]}, "'Arzt glaubt das' (tokens 1 to 3) is a subtree"),
    ]:
        doc = Doc(nlp.vocab, words=WORDS, sent_starts=[True, False, False, True, False])
        doc.user_data[CONSTRAINTS_KEY] = known
        with pytest.raises(ConstraintError, match=r"of 'Der Arzt glaubt' \(tokens 0 to 2\)") as e:
            nlp(doc)
        assert named in str(e.value)


@pytest.mark.parametrize(
    ("known", "problem"),
    [
        ([], r"is \[\]\. Make it a dict with some of the keys heads, forbidden_heads, labels"),
        ({"head": {}}, "with some of the keys"),
        ({"heads": [1]}, r"\['heads'\] is \[1\]. Make it a dict by tokens"),
        ({"heads": {1: 2}}, r"\['heads'\]\[1\] is 2. Make it a list of indices of tokens"),
        ({"labels": {1: [2]}}, r"\['labels'\]\[1\] is \[2\]. Make it a list of labels"),
        ({"labels": {1: "det"}}, "Make it a list of labels"),
        ({"heads": {9: [2]}}, r"names the token 9. Give indices of its 5 tokens, from 0"),
        ({"heads": {"1": [2]}}, r"names the token '1'"),
        ({"heads": {True: [2]}}, "names the token True"),
        ({"forbidden_heads": {1: [-1]}}, r"\['forbidden_heads'\]\[1\] names the token -1"),
        ({"subtrees": [1]}, "Make it a list of pairs"),
        ({"subtrees": [[2, 2]]}, r"has \[2, 2\]. Give spans .* 0 <= start < end <= 5"),
        ({"subtrees": [[2, 6]]}, r"has \[2, 6\]"),
        (
            {"labels": {1: ["nsubjx"]}},
            r"the label 'nsubjx' of 'Arzt' \(token 1\) is not known. Give one of: .*nsubj.*ROOT",
        ),
    ],
)
def test_malformed_constraints_are_refused(shared, known, problem):
    nlp = shared()
    doc = one_sentence(nlp, WORDS)
    doc.user_data[CONSTRAINTS_KEY] = known
    with pytest.raises(ConstraintError, match=problem):
        nlp(doc)


def test_white_space_has_no_constraints(shared):
    nlp = shared()
    doc = Doc(nlp.vocab, words=["Der", "\n", "Arzt"])
    for constraints in (
        DependencyConstraints(heads={1: [2]}),
        DependencyConstraints(forbidden_heads={2: [1]}),
        DependencyConstraints(subtrees=[[1, 2]]),
    ):
        with pytest.raises(ConstraintError, match="which is white space"):
            constraints.attach(doc)


def test_indices_are_integers_of_any_type(shared):
    nlp = shared()
    doc = one_sentence(nlp, WORDS)
    known = {np.int64(1): [np.int64(0)]}
    doc = nlp(DependencyConstraints(heads=known, subtrees=[[np.int64(2), 4]]).attach(doc))
    assert doc[1].head.i == 0


def test_an_empty_doc_has_no_tokens_to_constrain(shared):
    nlp = shared()
    assert not len(nlp(DependencyConstraints().attach(Doc(nlp.vocab))))
    with pytest.raises(ConstraintError, match="0 tokens"):
        DependencyConstraints(heads={0: [0]}).attach(Doc(nlp.vocab))


def test_pseudo_projective_parsers_refuse_constraints(make_nlp, sample):
    nlp = make_nlp("arc_hybrid", pseudo_projective="head")
    nlp.initialize(lambda: sample(nlp))
    nlp(one_sentence(nlp, WORDS))
    with pytest.raises(ConstraintError, match="parser: a pseudo-projective parser cannot meet"):
        nlp(DependencyConstraints(heads={0: [1]}).attach(one_sentence(nlp, WORDS)))


def test_an_unknown_value_of_keep_is_refused(make_nlp):
    with pytest.raises(ValueError, match="parser: keep is 'labels', but must be one of: none, hea"):
        make_nlp(keep="labels")


def test_constraints_hold_for_the_tokens_that_they_were_attached_to(shared):
    nlp = shared()
    message = "was attached to other tokens. Attach constraints to the Doc that is parsed"
    known = DependencyConstraints(heads={3: [2], 2: [2]})
    merged = known.attach(one_sentence(nlp, WORDS))
    with merged.retokenize() as retokenizer:
        retokenizer.merge(merged[0:2])
    part = known.attach(Doc(nlp.vocab, words=WORDS * 2))[5:10].as_doc(copy_user_data=True)
    for doc in (merged, part):
        with pytest.raises(ConstraintError, match=message):
            nlp(doc)
    # Constraints that another program has written may lack the checksum.
    del merged.user_data[CONSTRAINTS_KEY]["tokens"]
    assert nlp(merged)[3].head.i == 2
    copied = Doc(nlp.vocab).from_bytes(known.attach(one_sentence(nlp, WORDS)).to_bytes())
    assert nlp(copied)[3].head.i == 2
    assert DependencyConstraints.of(copied) == known
