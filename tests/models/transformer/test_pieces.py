"""Pieces and the words that they belong to."""

import json

import numpy as np
import pytest
from tiny_encoder import FAMILIES, make_tokenizer

from spacy_npparse.models.transformer.pieces import Pieces


def cut(family, passage):
    pieces = Pieces(make_tokenizer(family).to_str()).cut(passage)
    return pieces, list(zip(pieces.words.tolist(), pieces.places.tolist(), strict=True))


@pytest.mark.parametrize("family", FAMILIES)
def test_each_word_has_its_pieces(family):
    passage = ("der ", "haus", "en ", "x", "!")
    pieces, pairs = cut(family, passage)
    places = [place for _, place in pairs]
    assert places == sorted(places) and set(places) <= set(range(len(pieces.pieces)))
    assert sorted({word for word, _ in pairs}) == [0, 1, 2, 3, 4]
    # The encoder reads the text as it is, not word by word.
    whole, _ = cut(family, ("".join(passage),))
    assert pieces.pieces.tolist() == whole.pieces.tolist()


@pytest.mark.parametrize("family", FAMILIES)
def test_text_in_capitals_is_read_in_lower_case(family):
    pieces, pairs = cut(family, ("DER ", "HAUS ", "X", "! ", "DER"))
    expected, expected_pairs = cut(family, ("der ", "haus ", "x", "! ", "der"))
    assert pieces.pieces.tolist() == expected.pieces.tolist() and pairs == expected_pairs


@pytest.mark.parametrize("family", FAMILIES)
def test_decomposed_text_is_read_composed(family):
    pieces, pairs = cut(family, ("de\u0301r ", "hau\u0308s", "x"))
    expected, expected_pairs = cut(family, ("dér ", "haüs", "x"))
    assert pieces.pieces.tolist() == expected.pieces.tolist() and pairs == expected_pairs


def test_a_piece_of_two_words_belongs_to_both():
    pieces, pairs = cut("bert", ("ha", "us ", "der"))
    assert pairs == [(0, 0), (1, 0), *((2, place) for place in range(1, len(pieces.pieces)))]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    "word", ["\n", "  ", "\u200b", "\ud800", "ab\x00c", "\N{GOTHIC LETTER AHSA}"]
)
def test_words_without_a_piece_do_not_move_others(family, word):
    _, pairs = cut(family, ("x ", f"{word} ", "y ", "x"))
    words = [word for word, _ in pairs]
    assert {0, 2, 3} <= set(words) <= {0, 1, 2, 3}


@pytest.mark.parametrize("family", FAMILIES)
def test_only_white_space(family):
    pieces, pairs = cut(family, ("\n ", "\t"))
    assert len(pieces.words) == len(pieces.places) == len(pairs)


def test_ends_and_number_of_pieces():
    tokenizer = make_tokenizer("bert")
    tokenizer.enable_truncation(3)
    tokenizer.enable_padding(length=10)
    pieces = Pieces(tokenizer.to_str())
    assert pieces.ends == (2, 3) and pieces.n_pieces == tokenizer.get_vocab_size()
    assert len(pieces.cut(("haus ",) * 20).pieces) == 20
    assert np.array_equal(pieces.cut(()).pieces, [])


@pytest.mark.parametrize("family", ["bert", "camembert", "xlm-roberta"])
def test_pieces_that_a_text_does_not_need_are_left_out(family):
    whole = Pieces(make_tokenizer(family).to_str())
    part, kept = whole.cut_to(["haus\n", "der en\n"])
    assert len(kept) == part.n_pieces < whole.n_pieces
    for passage in [("haus ", "der"), ("haus ", "x ", "y!"), ("der ", "en")]:
        found, expected = part.cut(passage), whole.cut(passage)
        assert kept[found.pieces].tolist() == expected.pieces.tolist()
        assert found.words.tolist() == expected.words.tolist()
    assert [kept[piece] for piece in part.ends] == [*whole.ends]
    # Other words are spelled.
    less, remaining = whole.cut_to(["der"])
    found = less.cut(("haus ", "\U00010330"))
    assert len(found.pieces) > len(whole.cut(("haus ", "\U00010330")).pieces)
    assert {0, 1} >= set(found.words.tolist())


def test_pieces_of_a_word_in_capitals_are_kept():
    """A row of CoNLL-U may have more words in capitals than its sentence."""
    data = json.loads(make_tokenizer("xlm-roberta").to_str())
    data["model"]["vocab"].append(["▁IBM", -1.0])
    whole = Pieces(json.dumps(data))
    part, kept = whole.cut_to(["3\tIBM\tIBM\tPROPN\tNNP\n"])
    assert kept[part.cut(("IBM",)).pieces].tolist() == [whole.n_pieces - 1]


def test_byte_pairs_are_all_kept():
    whole = Pieces(make_tokenizer("roberta").to_str())
    part, kept = whole.cut_to(["x"])
    assert part is whole and kept.tolist() == [*range(whole.n_pieces)]
