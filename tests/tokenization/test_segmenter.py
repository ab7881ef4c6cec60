"""What UDPipe is given to read."""

import re
import sys
from itertools import pairwise

import pytest

from spacy_npparse.tokenization.segmenter import cuts, readable

# From each character of such a run, UDPipe reads up to its end.
RUN = re.compile(r"[\w$.+!*'(),%;/?:@&=-]+", re.ASCII)


def test_white_space_and_unreadable_characters_are_replaced_one_for_one():
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        if code == 0 or 0xD800 <= code < 0xE000:
            expected = "\ufffd"
        else:
            expected = " " if char.isspace() and char not in "\n\r\t" else char
        assert readable(char) == expected


@pytest.mark.parametrize("unit", [".", "(", "a", "7", "-", "a.b.", "a.bc/...", "'a", "%20", "x@"])
def test_long_runs_are_cut(nlp, unit):
    """The time of a run is quadratic in its length."""
    text = f"Wir sahen {(unit * 10_000)[:10_000]} am See."
    places = [0, *cuts(text), len(text)]
    pieces = [text[begin:end] for begin, end in pairwise(places)]
    assert len(pieces) == 20
    assert max(len(run) for piece in pieces for run in RUN.findall(piece)) == 500
    doc = nlp.tokenizer(text)
    assert doc.text == text
    assert max(map(len, doc)) <= 500
    assert [token._.form for token in doc[-4:]] == ["an", "dem", "See", "."]


def test_other_texts_are_not_cut(nlp):
    for unit in (" ", "\n", '"', ". ", "\U0001f600", "Wörter-", "中", f"{500 * '.'} "):
        assert not list(cuts(unit * 1000))
    address = f"https://example.org/{470 * 'a'}"
    doc = nlp.tokenizer(f"Am See {address} sahen wir.")
    assert address in [token.text for token in doc]
