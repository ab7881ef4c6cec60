"""Tests of comparisons of parsers: scores, differences, significance and tables."""

import json

import pytest

from spacy_npparse.evaluation import TextMismatchError, compare_parsers, score_sentences
from spacy_npparse.evaluation.comparison_table import comparison_table
from spacy_npparse.evaluation.significance import mcnemar, p_value, stars
from spacy_npparse.treebank import parse_sentence


def tree(heads, labels=None, prefix="w", comments=()):
    labels = labels or ["dep" if head else "root" for head in heads]
    rows = [
        f"{i}\t{prefix}{i}\t_\tX\t_\t_\t{head}\t{label}\t_\t_"
        for i, (head, label) in enumerate(zip(heads, labels, strict=True), 1)
    ]
    return parse_sentence([*comments, *rows])


GOLD = [tree([0, 1, 1, 3]), tree([3, 3, 0, 1, 3], prefix="v"), tree([0, 1])]
# One wrong head in the second sentence, none in the others.
GOOD = [GOLD[0], tree([3, 3, 0, 3, 3], prefix="v"), GOLD[2]]
# Three wrong heads and a wrong label; the crossing arc is found.
BAD = [tree([0, 1, 2, 1]), tree([3, 1, 0, 1, 3], prefix="v"), tree([0, 1], ["root", "x"])]


@pytest.fixture(scope="module")
def two():
    return compare_parsers(GOLD, {"good": {"good.conllu": GOOD}, "bad": {"bad.conllu": BAD}})


@pytest.fixture(scope="module")
def seeds():
    good = {"g0": GOOD, "g1": GOLD}
    bad = {"b0": BAD, "b1": BAD}
    return compare_parsers(GOLD, {"good": good, "bad": bad, "other": {"o": GOOD}})


def test_scores_are_those_of_the_command_score(two):
    for parser, predicted in zip(two.parsers, (GOOD, BAD), strict=True):
        scores = score_sentences(GOLD, predicted)
        assert parser.seeds[0].scores == scores
        for name, score in scores.official.items():
            if name in two.score_names:
                assert parser.score(name) == [score.f1]
        assert parser.score("Non-projective arcs: recall") == [scores.nonprojective.recall]
    assert two.parsers[0].mean("LAS") == 10 / 11 and two.parsers[1].mean("LAS") == 7 / 11


def test_sentences_add_up_to_the_whole(two):
    for parser in two.parsers:
        (seed,) = parser.seeds
        assert seed.fractions.sum(0).tolist() == [list(f) for f in seed.scores.fractions().values()]


def test_difference(two):
    (pair,) = two.pairs
    assert (pair.first, pair.second) == ("good", "bad")
    found = pair.differences["LAS"]
    assert found.difference == pytest.approx(-3 / 11)
    low, high = found.interval
    assert low < -3 / 11 < high <= 2 / 11
    # For LAS, four words are right only in good, and one only in bad; for UAS, three and one.
    assert found.p_words == mcnemar(4, 1)
    assert pair.differences["UAS"].p_words == mcnemar(3, 1)
    assert found.p_seeds is None and pair.differences["CLAS"].p_words is None
    # By sentence, good has 2, 0 and 1 more right words: two of four exchanges differ as much.
    assert found.p_sentences == pytest.approx(0.5, abs=0.02)


def test_scores_of_nothing_have_no_difference(two):
    # The good parser predicts no crossing arc.
    assert two.parsers[0].mean("Non-projective arcs: precision") is None
    found = two.pairs[0].differences["Non-projective arcs: precision"]
    assert found.difference is found.interval is found.p_sentences is found.p_seeds is None


def test_seeds(seeds):
    good, bad, other = seeds.parsers
    assert good.mean("UAS") == pytest.approx((10 / 11 + 1) / 2)
    assert good.deviation("UAS") == pytest.approx((1 / 11) / 2**0.5)
    assert bad.deviation("UAS") == 0 and other.deviation("UAS") is None
    assert good.correct_words(1) == 4.5
    pairs = {(pair.first, pair.second): pair.differences["UAS"] for pair in seeds.pairs}
    assert len(pairs) == 3
    found = pairs["good", "bad"]
    # With one of two seeds, good finds the crossing arc that bad finds with both seeds.
    assert found.p_words == mcnemar(3, 1)
    assert found.p_seeds == 0.5
    assert pairs["good", "other"].p_words is None and pairs["good", "other"].p_seeds is None


def test_breakdowns_are_pooled_over_seeds(seeds):
    kinds = seeds.breakdown("projectivity")
    assert [group.gold for group in kinds["non-projective"]] == [2, 2, 1]
    assert [group.recall for group in kinds["non-projective"]] == [0.5, 1.0, 0.0]
    assert seeds.gold_arcs(kinds["projective"]) == 10
    assert set(seeds.breakdown_names) == {
        "arc length",
        "sentence length",
        "distance to the root",
        "projectivity",
        "relation",
    }


def test_kinds_that_only_some_parsers_predict(two):
    kinds = two.breakdown("relation")
    assert [group.predicted for group in kinds["x"]] == [0, 1]
    assert list(kinds) == ["dep", "root", "x"]


def test_most_different_sentences(two, seeds):
    assert two.most_different(10) == [0, 2]
    assert two.most_different(1) == [0]
    assert seeds.most_different(10) == [0, 2, 1]
    same = compare_parsers(GOLD, {"a": {"a": GOOD}, "b": {"b": GOOD}})
    assert same.most_different(10) == []


def test_json(seeds):
    found = json.loads(json.dumps(seeds.as_dict(2)))
    assert (found["sentences"], found["words"]) == (3, 11)
    good = found["parsers"]["good"]
    assert good["files"] == ["g0", "g1"]
    assert good["scores"]["UAS"]["seeds"] == [10 / 11, 1.0]
    assert good["details"][0]["official"]["UAS"]["correct"] == 10
    assert good["breakdowns"]["projectivity"]["non-projective"]["recall"] == 0.5
    assert found["pairs"][0]["differences"]["UAS"]["p_seeds"] == 0.5
    assert found["most_different"][0]["text"] == "w1 w2 w3 w4"
    assert found["most_different"][0]["correct"] == {"good": [4, 4], "bad": [2, 2], "other": [4]}


def test_table(seeds):
    table = comparison_table(seeds, 2)
    lines = {line.split("|")[0].strip(): line for line in table.splitlines()}
    assert lines["UAS"].split("|")[1].strip() == "95.45 ± 6.43"
    assert lines["UAS: bad - good"].split("|")[1].strip() == "-22.73"
    assert lines["Non-projective arcs: precision"].split("|")[1].strip() == "-"
    assert "The same everywhere: Tokens 100.00, Sentences 100.00, Words 100.00, UPOS" in table
    assert "With 2 seeds, Wilcoxon's p is never below 0.500." in table
    assert "50.00 | 100.00" in lines["non-projective"]
    assert lines["1"].endswith("w1 w2 w3 w4")


def test_p_values_are_written_honestly():
    assert [p_value(p) for p in (None, 0.0004, 0.0123)] == ["-", "< 0.001", "0.012"]
    assert [stars(p) for p in (None, 0.05, 0.04, 0.004, 0.0004)] == ["", "", "*", "**", "***"]


def test_another_text_is_told():
    other = [*GOOD[:2], tree([0, 1], prefix="x")]
    with pytest.raises(
        TextMismatchError, match="^p.conllu: The gold and the predicted text differ"
    ):
        compare_parsers(GOLD, {"a": {"a.conllu": GOOD}, "p": {"p.conllu": other}})


def test_incomplete_gold_trees():
    partial = parse_sentence(str(GOLD[0]).replace("\t3\tdep", "\t_\t_").split("\n"))
    gold = [partial, *GOLD[1:]]
    found = compare_parsers(gold, {"good": {"g": GOOD}, "bad": {"b": BAD}})
    for parser, predicted in zip(found.parsers, (GOOD, BAD), strict=True):
        (seed,) = parser.seeds
        assert seed.scores == score_sentences(gold, predicted)
        assert seed.fractions.sum(0).tolist() == [list(f) for f in seed.scores.fractions().values()]
