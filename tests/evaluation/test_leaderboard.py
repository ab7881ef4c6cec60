"""Tests of the ranking of parsers, and of groups that differ significantly."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_npparse.evaluation import score_sentences
from spacy_npparse.evaluation.leaderboard import Trial, make_leaderboard
from spacy_npparse.evaluation.significance import (
    holm,
    pairwise_randomisation,
    randomisation_of_rates,
    significance_groups,
)
from spacy_npparse.treebank import parse_sentence


def sentence(*heads):
    return parse_sentence(
        [
            "\t".join([str(i), "w", "_", "_", "_", "_", str(head), "root" if not head else "x"])
            + "\t_\t_"
            for i, head in enumerate(heads, 1)
        ]
    )


def tagged(upos, lemma):
    return parse_sentence([f"1\tGo\t{lemma}\t{upos}\t_\t_\t0\troot\t_\t_"])


GOLD = [sentence(0, 1, 2), sentence(2, 0), sentence(0), sentence(0, 1, 1)]
CHAIN = [sentence(0, 1, 2), sentence(2, 0), sentence(0), sentence(0, 1, 2)]
WRONG = [sentence(0, 1, 1), sentence(0, 1), sentence(0), sentence(0, 1, 2)]


def rates(correct):
    """Return fractions with the same number of words in each sentence."""
    numbers = np.array(correct, dtype=float)
    return np.stack([numbers, np.full_like(numbers, 10)], axis=-1)


def trial(predicted, seed=0, speed=100.0, curve=()):
    return Trial(seed, "f", score_sentences(GOLD, predicted), speed, 2.0, curve)


def test_columns_that_a_parser_does_not_predict_have_no_score():
    gold = [tagged("VERB", "go")]
    predicted = {"tagger": tagged("VERB", "went"), "bare": tagged("_", "_")}
    board = make_leaderboard(
        {
            name: [Trial(0, "f", score_sentences(gold, [one]), 100.0, 2.0, ())]
            for name, one in predicted.items()
        }
    )
    bare, tagger = sorted(board.standings, key=lambda standing: standing.name)
    assert (tagger.mean("UPOS"), tagger.mean("Lemmas")) == (1, 0)
    assert (bare.mean("UPOS"), bare.mean("Lemmas"), bare.mean("LAS")) == (None, None, 1)
    assert bare.written("UPOS") == "-" and "0.00" in tagger.written("Lemmas")


def test_the_best_comes_first_and_seeds_are_averaged():
    board = make_leaderboard(
        {
            "wrong": [trial(WRONG, speed=10.0)],
            "both": [
                trial(GOLD, 0, 100.0, [(0, 1.0), (5, 50.0)]),
                trial(CHAIN, 1, 300.0, [(5, 60.0)]),
            ],
            "right": [trial(GOLD)],
        },
        ["wrong"],
    )
    right, both, wrong = board.standings
    assert [s.name for s in board.standings] == ["right", "both", "wrong"]
    assert [s.is_peer for s in board.standings] == [False, False, True]
    assert right.mean("LAS") == 1 and right.deviation("LAS") is None
    assert both.mean("LAS") == pytest.approx((1 + 8 / 9) / 2)
    assert both.deviation("LAS") == pytest.approx(np.std([1, 8 / 9], ddof=1))
    assert both.words_per_second == 200 and both.training_minutes == 2
    # The mean curve only has the updates at which all seeds were evaluated.
    assert both.curve == [(5, 55.0)]
    assert right.interval == (1, 1) and wrong.interval[0] < wrong.mean("LAS") < wrong.interval[1]
    first, *lines = board.table().splitlines()
    assert "both" in lines[2] and "94.44 ± 7.86" in lines[2] and "200" in lines[2]


def test_seeds_in_another_order_make_no_difference():
    results = {"a": [trial(CHAIN)], "b": [trial(WRONG), trial(GOLD, 1)], "c": [trial(GOLD)]}
    turned = {name: results[name][::-1] for name in reversed(results)}
    one, other = make_leaderboard(results), make_leaderboard(turned)
    assert one.table() == other.table() and one.p_values == other.p_values


def test_parsers_that_are_equally_good_are_in_the_order_of_their_names():
    board = make_leaderboard({"b": [trial(CHAIN)], "a": [trial(CHAIN)]})
    assert [s.name for s in board.standings] == ["a", "b"]


def test_differences_are_corrected_for_their_number():
    results = {"a": [trial(GOLD)], "b": [trial(CHAIN)], "c": [trial(WRONG)]}
    board = make_leaderboard(results)
    sentences = [results[s.name][0].scores.las_of_sentences for s in board.standings]
    correct = [[score.correct for score in scores] for scores in sentences]
    alone = pairwise_randomisation(rates(correct), board.samples)
    assert board.p_values == holm(alone).tolist() != alone.tolist()


def test_columns_of_the_table():
    # The arc to the second word crosses. It is found in one sentence, and no other is predicted.
    gold = [sentence(3, 4, 0, 3)] * 2
    scores = score_sentences(gold, [gold[0], sentence(3, 3, 0, 3)])
    board = make_leaderboard({"a": [Trial(0, "f", scores, 1.0, 1.0, [])]})
    header, _, row, *notes = board.table().splitlines()
    cells = dict(zip(header.split("|"), row.split("|"), strict=True))
    shown = {name.strip(): cell.strip() for name, cell in cells.items()}
    assert [shown[name] for name in ("UAS", "LAS", "LAS np", "P np", "R np")] == [
        "87.50",
        "87.50",
        "87.50",
        "100.00",
        "50.00",
    ]
    assert notes == [
        "",
        "Ranked by LAS (F1) from gold tokens and sentences.",
        "The same everywhere: Tokens 100.00, Sentences 100.00, Words 100.00.",
        "The gold annotation lacks the columns of: UPOS, XPOS, UFeats, AllTags, Lemmas, MLAS, "
        "BLEX. These scores are meaningless.",
    ]


def test_tags_have_a_table_of_their_own():
    gold = [tagged("VERB", "go")]
    results = {
        "a": [Trial(0, "f", score_sentences(gold, [tagged("VERB", "x")]), 1.0, 1.0, [])],
        "b": [Trial(0, "f", score_sentences(gold, [tagged("NOUN", "go")]), 1.0, 1.0, [])],
    }
    board = make_leaderboard(results)
    assert list(board.tree_scores)[:5] == ["UAS", "LAS", "CLAS", "MLAS", "BLEX"]
    trees, words, notes = board.table().split("\n\n")
    assert "BLEX" in trees and "UPOS" not in trees
    rows = [[cell.strip() for cell in line.split("|")] for line in words.splitlines()]
    assert rows[0] == ["parser", "UPOS", "AllTags", "Lemmas"]
    assert rows[2:] == [["a", "100.00", "100.00", "0.00"], ["b", "0.00", "0.00", "100.00"]]
    assert notes.endswith("lacks the columns of: XPOS, UFeats. These scores are meaningless.")
    scores = board.as_dict()["parsers"][0]["scores"]
    assert (scores["UPOS"], scores["MLAS"], scores["BLEX"]) == (1, 1, 0) and "XPOS" not in scores


def test_one_parser_alone():
    [standing] = make_leaderboard({"a": [trial(CHAIN)]}).standings
    assert standing.groups == "a"


@given(
    st.integers(1, 30).flatmap(
        lambda n: st.lists(
            st.lists(st.integers(0, 9), min_size=n, max_size=n), min_size=2, max_size=4
        )
    )
)
def test_all_pairs_are_tested_as_one_pair_is(rows):
    found = pairwise_randomisation(rates(rows), samples=500)
    assert np.array_equal(found, found.T) and (np.diag(found) == 1).all()
    for i, j in itertools.combinations(range(len(rows)), 2):
        [alone] = randomisation_of_rates(*rates([rows[i], rows[j]])[:, :, None], samples=500)
        # The random assignments are the same only if the two parsers differ in every sentence.
        assert abs(found[i, j] - alone) < 0.12


def test_what_was_never_seen_is_not_impossible():
    found = pairwise_randomisation(rates([[9] * 50, [4] * 50]), samples=500)
    assert found[0, 1] == pytest.approx(1 / 501)


def test_many_parsers_can_differ_too():
    # With more than 500 pairs, a p-value of 1 in 10,000 is not significant after correction.
    gold, wrong = GOLD * 5, WRONG * 5
    scores = [score_sentences(gold, gold)] + [score_sentences(gold, wrong)] * 33
    results = {f"{i:02}": [Trial(0, "f", s, 1.0, 1.0, [])] for i, s in enumerate(scores)}
    board = make_leaderboard(results)
    assert board.samples > 200_000
    assert [s.groups for s in board.standings] == ["a", *["b"] * 33]


def test_holm():
    # Three pairs have the p-values 0.01, 0.04 and 0.03.
    p = np.ones((3, 3))
    for (i, j), value in {(0, 1): 0.01, (0, 2): 0.04, (1, 2): 0.03}.items():
        p[i, j] = p[j, i] = value
    corrected = holm(p)
    assert corrected[0, 1] == pytest.approx(0.03)
    assert corrected[1, 2] == pytest.approx(0.06)
    # A larger p-value is not corrected to less than a smaller p-value.
    assert corrected[0, 2] == pytest.approx(0.06)
    assert np.array_equal(corrected, corrected.T) and (np.diag(corrected) == 1).all()


def test_corrected_probabilities_stay_probabilities():
    assert (holm(np.full((3, 3), 0.5)) == 1).all()


def matrix(n, *different):
    p = np.ones((n, n))
    for i, j in different:
        p[i, j] = p[j, i] = 0.01
    return p


@pytest.mark.parametrize(
    ("different", "letters"),
    [
        ([], ["a", "a", "a"]),
        ([(0, 2)], ["a", "ab", "b"]),
        ([(0, 1), (0, 2), (1, 2)], ["a", "b", "c"]),
        ([(0, 1), (0, 2)], ["a", "b", "b"]),
        ([(0, 2), (1, 2)], ["a", "a", "b"]),
        # Only the second parser differs from the two others.
        ([(0, 1), (1, 2)], ["a", "b", "a"]),
    ],
)
def test_letters(different, letters):
    assert significance_groups(matrix(3, *different), 0.05) == letters


@given(st.integers(1, 8), st.data())
def test_letters_in_common(n, data):
    pairs = list(itertools.combinations(range(n), 2))
    different = set(data.draw(st.lists(st.sampled_from(pairs)))) if pairs else set()
    letters = significance_groups(matrix(n, *different), 0.05)
    assert all(letters) and letters[0].startswith("a")
    for i, j in pairs:
        assert bool(set(letters[i]) & set(letters[j])) == ((i, j) not in different)


def test_more_parsers_than_letters():
    n = 28
    letters = significance_groups(matrix(n, *itertools.combinations(range(n), 2)), 0.05)
    assert letters[0] == "a" and letters[25:] == ["z", "a'", "b'"]


def test_the_level_itself_is_not_significant():
    assert significance_groups(matrix(2, (0, 1)), 0.01) == ["a", "a"]
