"""Units that are too large: the reader skips them in little memory, and they are quarantined."""

import gzip
import json
import tracemalloc
from itertools import chain, repeat

import pytest
from small_corpora import annotate_missing, content, corpus_of, small_pipeline

from spacy_npparse.scaling import bounds
from spacy_npparse.scaling.bounds import Oversized
from spacy_npparse.scaling.inputs import Input
from spacy_npparse.scaling.plan import plan
from spacy_npparse.scaling.units import Position, Reading, UnitReader

ROW = "1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
RECORD = json.dumps({"text": "Go."}) + "\n"
# For each file: a unit, a unit that is too large, and their separator.
UNITS = {
    "a.txt": ("Geh\nü.\n", "x" * 200 + "\n", "\n"),
    "lines.txt": ("Gehü.\n", "x" * 200 + "\n", ""),
    "many-lines.txt": ("Geh.\r\n", "xü\r\n" * 50, "\r\n"),
    "other-space.txt": ("Geh.\n", "x\n" * 80, "\xa0\u3000\n"),
    "a.conllu": (f"# x\n{ROW}", ROW * 10, "\n"),
    "a.jsonl": (RECORD, json.dumps({"text": "x" * 200}) + "\n", ""),
}


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(bounds, "MOST_BYTES", 100)
    monkeypatch.setattr(bounds, "READ_AT_ONCE", 7)


def units(path, begin=None, **options):
    inputs = [Input(path, path.stem)]
    return [unit for _, unit in UnitReader(inputs, Reading(**options)).read(begin or Position())]


@pytest.mark.parametrize("order", ["s", "l", "sl", "ls", "sls", "lsl", "slls", "sslssl"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("name", UNITS)
def test_other_units_are_as_without_those_that_are_too_large(small, tmp_path, name, mark, order):
    if mark and not name.endswith(".txt"):
        pytest.skip("only texts may begin with a byte order mark")
    one, large, between = UNITS[name]
    path = tmp_path / name
    text = between.join({"s": one, "l": large}[kind] for kind in order)
    path.write_bytes((mark + text).encode())
    options = {"lines": name == "lines.txt"}
    found = units(path, **options)
    assert [isinstance(unit.content, Oversized) for unit in found] == [k == "l" for k in order]
    parts = [{"s": one, "l": large}[kind] + between for kind in order]
    for number, unit in enumerate(found):
        before = "".join(parts[:number])
        assert unit.line == 1 + before.count("\n")
        if name.endswith(".txt") and order[number] == "s":
            assert unit.content.offset == len(before)
            assert unit.content.original == parts[number][: len(text) - len(before)]
        # Reading can begin at any unit.
        assert units(path, unit.end, **options) == found[number + 1 :]
    assert found[-1].end.byte == path.stat().st_size


def test_white_space_is_too_large_with_what_follows(small, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("One.\n" + "\n" * 300 + "Two.\n\nThree.")
    first, space, last = units(path)
    assert first.content.text == "One." and last.content.text == "Three."
    assert space.content.n_bytes == 299 + len("Two.\n\n") and last.line == 304


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize("space", ["\ufeff\n", "\ufeff\n\n", "\ufeff\n" + "\u3000" * 40 + "\n\n"])
def test_white_space_before_a_unit_that_is_too_large(monkeypatch, tmp_path, space, lines):
    monkeypatch.setattr(bounds, "MOST_BYTES", 150)
    path = tmp_path / "a.txt"
    path.write_bytes((space + "x" * 200 + "\n\nTwo.\n\nThree.\n").encode())
    large, two, three = units(path, lines=lines)
    assert isinstance(large.content, Oversized) and two.line == space.count("\n") + 3
    assert two.content.offset == len(space) - 1 + 202 - lines
    assert three.end.byte == path.stat().st_size
    assert units(path, large.end, lines=lines) == [two, three]


@pytest.mark.parametrize(
    ("piece", "n_pieces"), [(b"x" * 2**16, 32), (b"ab cd\n", 2**17), (b"\n", 2**18)]
)
def test_memory_does_not_depend_on_the_size_of_a_unit(tmp_path, monkeypatch, piece, n_pieces):
    monkeypatch.setattr(bounds, "MOST_BYTES", 2**15)
    path = tmp_path / "a.txt.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"One.\n\n")
        file.writelines(chain(repeat(piece, n_pieces), [b"\n\nThree."]))
    tracemalloc.start()
    try:
        [shard] = plan([Input(path, "a")], Reading(), 10**6)
        # Lines, as bytes and decoded, take up to ten times as much memory as their size.
        assert shard.n_units in (2, 3) and tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_quarantine_names_the_place_and_does_not_copy_the_text(small, tmp_path):
    pipeline = small_pipeline(tmp_path / "model")
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.txt.gz").write_bytes(gzip.compress(b"One.\n\n" + b"x" * 3000 + b"\n\nThree."))
    (source / "b.txt").write_bytes(b"Four.\n\nGr\xfc\xdfe.\n\n" + b"x" * 3000)
    (source / "c.jsonl").write_text(json.dumps({"text": "x" * 3000}) + "\n" + RECORD)
    corpus = corpus_of(pipeline, [source], tmp_path / "out")
    assert len(annotate_missing(corpus)) == 1
    assert content(tmp_path / "out").count("# text = ") == 4
    path = tmp_path / "out" / "quarantine" / "00000000.jsonl"
    lost = [json.loads(line) for line in path.read_text().splitlines()]
    places = [f"{source / name}, line {line}" for name, line in
              (("a.txt.gz", 3), ("b.txt", 3), ("b.txt", 5), ("c.jsonl", 1))]  # fmt: skip
    assert [one["place"] for one in lost] == places
    assert [one["text"] for one in lost] == ["", "Gr\\xfc\\xdfe.\n\n", "", ""]
    assert lost[0]["reason"].startswith("a paragraph of 3,002 bytes, more than the ")
    assert "Separate its parts by blank lines" in lost[0]["reason"]
    assert "Divide its text into several records" in lost[3]["reason"]


def test_long_texts_that_fail_are_not_copied(tmp_path):
    pipeline = small_pipeline(tmp_path / "model")
    (tmp_path / "a.txt").write_text(f"One.\n\nBoom {'x' * 3000}\n\nThree.")
    annotate_missing(corpus_of(pipeline, [tmp_path / "a.txt"], tmp_path / "out"))
    [path] = (tmp_path / "out" / "quarantine").iterdir()
    assert json.loads(path.read_text())["text"] == f"Boom {'x' * 195}"
