"""Tests of scores by gold sentence, where predicted tokens and sentences differ."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_npparse.evaluation import (
    TextMismatchError,
    compare_parsers,
    score_analyses,
    score_sentences,
    scores,
)
from spacy_npparse.evaluation.alignment import align_words
from spacy_npparse.evaluation.analysis import analysis_of_sentences
from spacy_npparse.evaluation.attachment import Comparison
from spacy_npparse.evaluation.gold_sentences import comparisons_of_sentences
from spacy_npparse.evaluation.leaderboard import Trial, make_leaderboard
from spacy_npparse.evaluation.scores import fractions_of_sentences
from spacy_npparse.treebank import parse_sentence
from spacy_npparse.visualisation.reports.differing_sentences import differing_sentences


def sentence(forms, heads, labels=None, multiword=()):
    """Return a sentence with multiword tokens (first, last, form)."""
    labels = labels or ["dep" if head else "root" for head in heads]
    lines = []
    for i, (form, head, label) in enumerate(zip(forms, heads, labels, strict=True), 1):
        lines += [f"{a}-{b}\t{token}" + "\t_" * 8 for a, b, token in multiword if a == i]
        lines.append(f"{i}\t{form}\t{form}\tX\t_\t_\t{head}\t{label}\t{head}:{label}\t_")
    return parse_sentence(lines)


def comparison(gold, system):
    analyses = [analysis_of_sentences(sentences) for sentences in (gold, system)]
    return Comparison(*analyses, align_words(*analyses))


def random_treebank(text, random_):
    """Return a random analysis of a text: tokens, multiword tokens, sentences and trees."""
    sentences = []
    while text:
        forms, multiword = [], []
        for _ in range(random_.randint(1, 6)):
            if not text:
                break
            length = random_.randint(1, 3)
            token, text = text[:length], text[length:]
            if random_.random() < 0.2:
                multiword.append((len(forms) + 1, len(forms) + 2, token))
                forms += [token[:1], random_.choice("abc")]
            else:
                forms.append(token)
        n = len(forms)
        order = random_.sample(range(1, n + 1), n)
        heads = [0] * n
        for place, word in enumerate(order[1:], 1):
            heads[word - 1] = random_.choice(order[:place])
        labels = [random_.choice(["nsubj", "det", "dep"]) if head else "root" for head in heads]
        sentences.append(sentence(forms, heads, labels, multiword))
    return sentences


@given(st.text("abc", min_size=1, max_size=60), st.integers(0, 10**6))
def test_sentences_add_up_to_the_whole(text, seed):
    random_ = random.Random(seed)
    gold, system = (random_treebank(text, random_) for _ in range(2))
    whole = score_sentences(gold, system)
    parts = fractions_of_sentences(comparison(gold, system))
    assert len(parts) == len(gold)
    for metric, fraction in whole.fractions().items():
        sums = np.sum([part[metric] for part in parts], axis=0)
        assert tuple(sums) == tuple(fraction), metric
    assert sum(las.system for las in whole.las_of_sentences) == whole.official["LAS"].system


def test_parts_of_a_long_text_add_up_to_the_whole(monkeypatch):
    """Parts are compared one after the other, without keeping gold and predicted sentences."""
    monkeypatch.setattr(scores, "PART", 1)
    random_ = random.Random(0)
    text = "".join(random_.choices("abc", k=15_000))
    gold, system = (random_treebank(text, random_) for _ in range(2))
    whole = score_analyses(*map(analysis_of_sentences, (gold, system)))
    assert score_sentences(iter(gold), iter(system)) == whole
    # The texts differ only in the last character.
    other = random_treebank(text[:-1] + "d", random_)
    with pytest.raises(TextMismatchError, match=f"differ at character {len(text)} "):
        score_sentences(gold, other)


def test_words_count_where_the_gold_words_are_that_they_are_aligned_with():
    """A predicted multiword token begins in the first and ends in the second gold sentence."""
    gold = [sentence(["a"], [0]), sentence(["b"], [0])]
    system = [sentence(["a", "b"], [0, 1], multiword=[(1, 2, "ab")])]
    found = comparisons_of_sentences(comparison(gold, system))
    assert [list(part.system_words) for part in found] == [[0], [1]]


def test_tokens_count_where_they_begin():
    """The words of the predicted multiword token are aligned to those of the last sentence."""
    gold = [sentence(["x"], [0]), sentence(["a"], [0]), sentence(["b", "c"], [0, 1])]
    system = [sentence(["x", "b", "c"], [0, 1, 2], multiword=[(2, 3, "abc")])]
    found = fractions_of_sentences(comparison(gold, system))
    assert [one["Tokens"] for one in found] == [(2, 2), (0, 2), (0, 2)]


@given(st.text("abc", min_size=1, max_size=30), st.integers(0, 10**6))
def test_with_gold_sentences_each_is_scored_alone(text, seed):
    random_ = random.Random(seed)
    gold = random_treebank(text, random_)
    system = [
        sentence([word.form for word in one.words], [0] + [1] * (len(one.words) - 1))
        for one in gold
    ]
    gold = [sentence([w.form for w in s.words], [int(w.head) for w in s.words]) for s in gold]
    assert fractions_of_sentences(comparison(gold, system)) == [
        score_sentences([one], [other]).fractions() for one, other in zip(gold, system, strict=True)
    ]


def test_a_long_predicted_sentence_is_taken_apart_once():
    """A parser that finds no boundary predicts one sentence for a whole file."""
    gold = [sentence(["a"], [0])] * 50
    found = comparisons_of_sentences(comparison(gold, [sentence(["a"] * 50, [0] + [1] * 49)]))
    assert len({id(part.system) for part in found}) == 1


# JOINED has both sentences as one, with an extra token. The second root depends on the first word.
GOLD = [sentence(["ab", "c"], [0, 1]), sentence(["de", "f"], [0, 1])]
JOINED = [sentence(["a", "b", "c", "de", "f"], [0, 1, 1, 1, 4])]
SPLIT = [sentence(["ab", "c"], [0, 1]), sentence(["de"], [0]), sentence(["f"], [0])]


def test_words_count_where_they_begin_or_are_aligned():
    first, second = fractions_of_sentences(comparison(GOLD, JOINED))
    # Word c is aligned, but its head is not; words a and b are not aligned.
    assert first["Words"] == (2 * 1, 2 + 3) and first["UAS"] == (0, 2 + 3)
    assert second["Words"] == (2 * 2, 2 + 2) and second["UAS"] == (2 * 1, 2 + 2)
    # The predicted sentence begins in the first gold sentence.
    assert (first["Sentences"], second["Sentences"]) == ((0, 2), (0, 1))


def test_parsers_with_other_tokens_are_compared():
    found = compare_parsers(GOLD, {"joined": {"j": JOINED}, "split": {"s": SPLIT}})
    joined, split = found.parsers
    assert joined.mean("LAS") == pytest.approx(2 * 1 / (4 + 5)) and split.mean("LAS") == 3 / 4
    assert joined.mean("Sentences") == 0 and split.mean("Sentences") == 0.4
    assert [parser.correct_words(0) for parser in found.parsers] == [0, 2]
    assert found.pairs[0].differences["LAS"].difference == pytest.approx(3 / 4 - 2 / 9)
    relations = found.breakdown("relation")
    assert [group.predicted for group in relations["dep"]] == [4, 1]
    assert [group.recall for group in relations["dep"]] == [0.5, 0.5]


def test_trees_are_drawn_on_the_gold_words():
    found = compare_parsers(GOLD, {"joined": {"j": JOINED}, "split": {"s": SPLIT}})
    [first] = differing_sentences(found, 2)
    assert [[key.name for key, _ in tree.owners] for tree in first.trees] == [["joined"], ["split"]]
    assert [[right for _, right in tree.owners] for tree in first.trees] == [["0"], ["2"]]
    # The head of c is a, which is no gold word. Only the two gold arcs are drawn, below the words.
    joined, split = (tree.drawing for tree in first.trees)
    assert 'data-arcs=""' in joined and joined.count('"npparse-gold"') == 2
    assert 'data-arcs="0-1 1-2"' in split and "npparse-gold" not in split


def test_ranking_from_plain_text():
    def trial(system):
        return [Trial(0, "f", score_sentences(GOLD * 30, system * 30), 1.0, 1.0, [])]

    board = make_leaderboard({"joined": trial(JOINED), "split": trial(SPLIT)}, raw=True)
    assert [standing.name for standing in board.standings] == ["split", "joined"]
    assert [standing.groups for standing in board.standings] == ["a", "b"]
    split = board.standings[0]
    assert split.interval == pytest.approx((0.65, 0.85), abs=0.1)
    assert "Ranked by LAS (F1) from plain text." in board.table()
    names = ["Tokens", "Sentences", "Words", "UPOS", "AllTags", "Lemmas"]
    assert [column.heading for column in board.words().columns] == ["parser", *names]


def test_a_token_too_many_counts():
    """If parsers have equally many correct words, the parser that predicts more words is worse."""
    gold = [sentence(["ab", "c"], [2, 0])] * 40
    good = [sentence(["ab", "c"], [0, 1])] * 20 + gold[20:]
    many = [sentence(["a", "b", "c"], [3, 3, 0])] * 40

    def trial(system):
        return [Trial(0, "f", score_sentences(gold, system), 1.0, 1.0, [])]

    results = {"good": trial(good), "many": trial(many)}
    correct = [found[0].scores.official["LAS"].correct for found in results.values()]
    assert correct == [40, 40]
    board = make_leaderboard(results, raw=True)
    assert [standing.mean("LAS") for standing in board.standings] == [0.5, 0.4]
    assert board.p_values[0][1] < 1
