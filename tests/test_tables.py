"""Tables as plain text, as cells of HTML pages and in Markdown."""

from spacy_npparse.tables import Cell, Column, Table, columns, count, markdown, percent, text

HEADS = [Column("parser"), *columns(["UAS", "LAS"], percent), Column("words", count)]


def test_columns_say_how_values_are_written():
    rows = [["a", 0.5, None, 1234.0], ["longer", Cell(1.0, "note", strong=True), "", 5]]
    assert text(Table("scores", HEADS, rows)).splitlines() == [
        "parser |    UAS | LAS | words",
        "-------+--------+-----+------",
        "a      |  50.00 |   - | 1,234",
        "longer | 100.00 |     |     5",
    ]


def test_marks_keep_numbers_in_line():
    rows = [["a", Cell("1.00", mark=" ** ")], ["b", Cell("12.00", mark="    ")]]
    assert text(Table("t", columns(["", "x"]), rows)).splitlines()[2:] == [
        "a |  1.00 **",
        "b | 12.00",
    ]


def test_text_is_at_the_left_where_the_column_says_so():
    heads = [Column("n", left=False), Column("word", left=True), Column("x")]
    rows = [[1, "日本", 1], [10, "a\u0301", 2], [3, "\u200bab\u200ccd", 3]]
    assert text(Table("t", heads, rows)).splitlines() == [
        " n | word | x",
        "---+------+--",
        " 1 | 日本 | 1",
        "10 | a\u0301    | 2",
        " 3 | \u200bab\u200ccd | 3",
    ]


def test_columns_of_pages_and_empty_headings_are_left_out():
    heads = [Column(""), Column(""), Column("", on_page=True)]
    assert text(Table("t", heads, [["a", 1, 2]])) == "a | 1"


def test_blank_lines_between_parts():
    table = Table("t", columns(["x"]), [])
    assert text("one", "", table, "two") == "one\n\nx\n-\n\ntwo"


def test_cells_of_pages():
    [[name, cell, missing, _]] = Table("t", HEADS, [["a", Cell(0.25, "n"), None, 0]]).cells()
    assert (name.value, cell, missing.value) == ("a", Cell("25.00", "n"), "-")


def test_markdown():
    heads = [Column("a|b"), Column("word", left=True), *columns(["LAS"], percent)]
    rows = [[Cell("x", link="cards/x.md"), "y", 0.5], ["z", None, None]]
    assert markdown(Table("t", heads, rows)).splitlines() == [
        "| a\\|b | word | LAS |",
        "| --- | --- | ---: |",
        "| [x](cards/x.md) | y | 50.00 |",
        "| z | - | - |",
    ]
