"""The slices of multiword tokens, compared with all possible slices."""

import os
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_npparse.word_slices import cut


@pytest.mark.parametrize(
    "surface, words, slices",
    [
        ("du", "de le", "d|u"),
        ("Au", "À le", "A|u"),
        ("aux", "à les", "a|ux"),
        ("des", "de les", "de|s"),
        ("evdeki", "evde ki", "evde|ki"),
        ("İşteki", "İşte ki", "İşte|ki"),
        ("bayit", "b ay it", "b|ay|it"),
        ("habayit", "ha bayit", "ha|bayit"),
        ("dámelo", "da me lo", "dá|me|lo"),
        ("della", "di la", "del|la"),
        ("DELLA", "DI LA", "DEL|LA"),
        ("wabaytuhu", "wa baytu hu", "wa|baytu|hu"),
        ("a b", "x y", "a |b"),
    ],
)
def test_best_slices(surface, words, slices):
    assert cut(surface, tuple(words.split())) == tuple(slices.split("|"))


@pytest.mark.parametrize("surface", ["", "à", "à ", "\u3000à\n"])
def test_fewer_characters_than_words(surface):
    assert cut(surface, ("a", "a")) is None


def test_long_tokens():
    long = "x" * 100_000
    assert cut(f"{long}ki", (long, "ki")) == (long, "ki")
    assert cut(f"{long}yz", (f"{long}y", "z")) == (f"{long}y", "z")
    assert cut(long, ("y", "z")) is None


def distance(one, other):
    """Compute the Levenshtein distance by its definition."""
    if not one or not other:
        return len(one) + len(other)
    if one[0] == other[0]:
        return distance(one[1:], other[1:])
    return 1 + min(distance(one[1:], other[1:]), distance(one[1:], other), distance(one, other[1:]))


def shared(one, other):
    return len(os.path.commonprefix([one, other]))


def all_cuts(surface, n_words):
    for inner in combinations(range(1, len(surface)), n_words - 1):
        slices = tuple(surface[a:b] for a, b in pairwise([0, *inner, len(surface)]))
        if all(part.strip() for part in slices):
            yield slices


@given(
    surface=st.text("ab ", min_size=1, max_size=5),
    words=st.lists(st.text("abc", min_size=1, max_size=3), min_size=2, max_size=3),
)
def test_against_all_cuts(surface, words):
    """No cut that keeps the prefix and suffix shared with the first and last word is better."""
    words = tuple(words)
    found = cut(surface, words)
    every = list(all_cuts(surface, len(words)))
    assert (found in every) if found else not every
    if found:
        start = min(shared(surface, words[0]), len(found[0]))
        end = min(shared(surface[::-1], words[-1][::-1]), len(found[-1]))
        assert len(found[0]) >= start and len(found[-1]) >= end

        def cost(slices):
            return sum(map(distance, slices, words))

        kept = [s for s in every if len(s[0]) >= start and len(s[-1]) >= end]
        assert cost(found) == min(map(cost, kept))
