"""Malformed CoNLL-U is refused with file, line and remedy, or skipped and counted."""

import pickle

import pytest

from spacy_npparse.treebank import ConlluError, parse_sentence, read_conllu
from spacy_npparse.trees.missing import NO_HEAD

BLANK_LINES = "missing or superfluous blank lines"
WINDOWS = "Windows line ends"
BYTE_ORDER_MARK = "byte order mark"
GOOD = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_"


def word(id, head="0", form="a"):
    return f"{id}\t{form}\t_\t_\t_\t_\t{head}\tdep\t_\t_"


MALFORMED = {
    "nine columns": (["# c", "1\ta\t_\t_\t_\t_\t0\troot\t_"], 2, "9 columns instead of 10"),
    "eleven columns": ([GOOD + "\t_"], 1, "11 columns instead of 10"),
    "spaces for tabs": ([GOOD.replace("\t", "  ")], 1, "single tabs"),
    "line of spaces": ([GOOD, "  "], 2, "line of spaces"),
    "comment inside": ([GOOD, "# c", word(2, 1)], 2, "comment inside a sentence"),
    "comment only": (["# c"], 1, "comments without a sentence"),
    "empty form": ([GOOD, word(2, 1, "")], 2, "FORM is empty"),
    "blank form": ([GOOD, word(2, 1, "\u3000")], 2, r"FORM is white space \(U\+3000\)"),
    "duplicate id": ([GOOD, word(1)], 2, "id '1' stands where 2 is expected"),
    "gap in ids": ([GOOD, word(3, 1)], 2, "id '3' stands where 2"),
    "id zero": ([word(0)], 1, "id '0'"),
    "padded id": ([word("01")], 1, "id '01'"),
    "other digits": ([word("¹-²"), GOOD], 1, "is not understood"),
    "head out of range": ([GOOD, word(2, 3)], 2, "head 3 is none of the 2 words"),
    "negative head": ([GOOD, word(2, -1)], 2, "head '-1' is not a number"),
    "head no number": ([GOOD, word(2, "x")], 2, "head 'x' is not a number"),
    "own head": ([GOOD, word(2, 2)], 2, "head 2 is the word itself"),
    "cycle": ([GOOD, word(2, 4), word(3, 2), word(4, 3)], 2, "cycle: 2 → 4 → 3 → 2"),
    "range backwards": ([GOOD, word("3-2", "_"), word(2, 1), word(3, 1)], 2, "3-2 does not fit"),
    "range not in place": ([word("2-3", "_"), GOOD, word(2, 1), word(3, 1)], 1, "before word 1"),
    "range too long": ([GOOD, word("2-4", "_"), word(2, 1), word(3, 1)], 2, "ends at word 4"),
    "ranges overlap": (
        [word("1-2", "_"), GOOD, word("2-3", "_"), word(2, 1), word(3, 1)],
        3,
        "does not fit",
    ),
    "empty node misplaced": ([GOOD, word("2.1", "_")], 2, "empty node 2.1"),
    "empty nodes misnumbered": ([GOOD, word("1.2", "_")], 2, "1.1 is expected"),
    "no words": ([word("0.1", "_")], 1, "without words"),
    "only an id": (["1" + "\t" * 9], 1, "FORM is empty"),
    "only white space": (["\t" * 9], 1, "line of spaces"),
    "id after a space": ([" " + GOOD], 1, "id ' 1' is not understood"),
    "comment after a space": ([GOOD, " #" + GOOD], 2, "id ' #1' is not understood"),
    "feature without value": (["1\ta\t_\t_\t_\tA=1|B\t0\troot\t_\t_"], 1, r"FEATS 'A=1\|B' is not"),
    "feature with two values": (["1\ta\t_\t_\t_\tA=1=2\t0\troot\t_\t_"], 1, "Name=Value"),
    "huge id": ([GOOD, word("9" * 5000)], 2, r"id '9{59}…' stands where 2"),
    "huge range": ([word("1-" + "9" * 5000), GOOD], 1, r"id '1-9{57}…' is not understood"),
    "huge empty node": ([GOOD, word("1." + "9" * 5000)], 2, r"id '1\.9{57}…' is not understood"),
    "huge head": ([GOOD, word(2, "9" * 5000)], 2, r"head 9{59}… is none of the 2 words"),
    "mac line end": ([GOOD + "\r" + GOOD + "\r\r"], 1, r"Mac line end \(CR\)"),
}


@pytest.mark.parametrize("lines, line, problem", MALFORMED.values(), ids=MALFORMED.keys())
@pytest.mark.parametrize("ended", [True, False])
def test_malformed_sentence(tmp_path, caplog, lines, line, problem, ended):
    path = tmp_path / "bad.conllu"
    before = f"# fine\n{GOOD}\n\n"
    after = f"\n\n{GOOD}\n\n" if ended else ""
    path.write_bytes((before + "\n".join(lines) + after).encode())
    line += before.count("\n")
    with pytest.raises(ConlluError, match=problem) as caught:
        list(read_conllu(path))
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    # Errors are pickled to pass from one process to another.
    copied = pickle.loads(pickle.dumps(caught.value))
    assert (str(copied), copied.line, copied.path) == (str(caught.value), line, path)

    reader = read_conllu(path, on_error="skip")
    assert len(list(reader)) == 1 + ended
    assert [error.line for error in reader.skipped] == [line]
    assert "1 malformed sentences skipped" in caplog.text


@pytest.mark.parametrize(
    "text, found",
    [
        (f"{GOOD}\n\n# c\n{GOOD}\n\n", {}),
        (f"\n\n{GOOD}\n\n\n{GOOD}\n\n", {BLANK_LINES: 1}),
        (f"{GOOD}\n\n\n", {BLANK_LINES: 3}),
        (f"{GOOD}\n\n{GOOD}\n", {BLANK_LINES: 4}),
        (f"{GOOD}\n\n{GOOD}", {BLANK_LINES: 4}),
        (f"{GOOD}\n\r\n{GOOD}\n\n", {WINDOWS: 2}),
        (f"# c\r\n{GOOD}\r\n\r\n{GOOD}\r\n\r\n", {WINDOWS: 1}),
        (f"{GOOD}\r\n\r\n\r\n{GOOD}\r\n", {WINDOWS: 1, BLANK_LINES: 3}),
        (f"\ufeff# c\n{GOOD}\n\n\ufeff{GOOD}\n\n", {BYTE_ORDER_MARK: 1}),
        (f"\ufeff\n{GOOD}\n\n", {BYTE_ORDER_MARK: 1, BLANK_LINES: 1}),
        ("\n", {BLANK_LINES: 1}),
        ("", {}),
    ],
)
def test_line_ends_blank_lines_and_byte_order_marks_are_normalised(tmp_path, caplog, text, found):
    path = tmp_path / "other.conllu"
    path.write_bytes(text.encode())
    reader = read_conllu(path)
    sentences = [str(sentence).removeprefix("# c\n") for sentence in reader]
    assert sentences == [GOOD] * text.count(GOOD)
    assert reader.deviations == found
    for kind, line in found.items():
        assert f"{kind} (first at line {line})" in caplog.text
    assert len(caplog.messages) == bool(found)


def test_bad_encoding(tmp_path):
    path = tmp_path / "latin1.conllu"
    path.write_bytes(f"{GOOD}\n\n# é\n{GOOD}\n\n".encode("latin-1"))
    with pytest.raises(ConlluError, match="line 3: not valid UTF-8 at byte 3"):
        list(read_conllu(path))
    assert len(list(read_conllu(path, on_error="skip"))) == 1
    for name, remedy in (
        ("docs.spacy", "Convert a .spacy file to .conllu with 'npparse convert'"),
        ("train.conllu.gz", "Decompress the file"),
    ):
        path = path.rename(tmp_path / name)
        with pytest.raises(ConlluError, match=remedy):
            list(read_conllu(path))


def test_line_separators_inside_fields_end_no_line(tmp_path):
    path = tmp_path / "separators.conllu"
    path.write_bytes(f"# a\u2028b\x0bc\x85d\n{GOOD}\n\n".encode())
    assert [s.comments for s in read_conllu(path)] == [("# a\u2028b\x0bc\x85d",)]


def test_white_space_that_conllu_would_strip_or_split_at_is_kept(tmp_path):
    line = "1\ta  b\t_\t_\t_\t_\t0\troot\t_\tc\u00a0"
    path = tmp_path / "spaces.conllu"
    path.write_bytes(f"# global.columns = ID FORM \n#\n#  x  =y=\n# x = z\n{line}\n\n".encode())
    [sentence] = read_conllu(path)
    assert "\t".join(sentence.words[0]) == line
    assert f"{sentence}\n\n".encode() == path.read_bytes()
    assert sentence.metadata["x"] == "z"


def test_lines_are_given_without_line_ends():
    with pytest.raises(ConlluError, match="line 2: line end inside a line"):
        parse_sentence(["# a", GOOD + "\n"])


def test_number_of_roots_is_only_reported(awkward, caplog):
    reader = read_conllu(awkward)
    assert len(list(reader)) == 4
    assert reader.n_odd_roots == 1
    assert "1 sentences have no root or several roots, the first at line 29" in caplog.text


def test_sentence_content(awkward):
    first, second, third, _ = read_conllu(awkward)
    assert first.heads == (NO_HEAD, 2, 0, 2, 6, 6, 2, 2)
    assert [(t.first, t.last, t.row.form) for t in first.multiword_tokens] == [
        (2, 3, "Vámonos"),
        (4, 5, "al"),
    ]
    assert [w.form for w in second.words] == ["10 000", "_"]
    assert third.heads == (NO_HEAD, NO_HEAD, 3, NO_HEAD)
    assert first.begins_document and first.begins_paragraph
    assert not second.begins_document


def test_bad_arguments(tmp_path, awkward):
    with pytest.raises(FileNotFoundError, match="no such file"):
        read_conllu(tmp_path / "missing.conllu")
    with pytest.raises(ValueError, match="use 'raise' or 'skip'"):
        read_conllu(awkward, on_error="ignore")
