"""Input files of a corpus: search for files, compression, units of text and plans of shards."""

import gzip
import json
import os
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_corpora import COMPRESS, write_corpus

from spacy_npparse.extras import ZSTD, MissingExtraError
from spacy_npparse.scaling.inputs import Input, InputError, find_inputs, unique_name
from spacy_npparse.scaling.plan import ChangedInputError, plan, units_of_shard
from spacy_npparse.scaling.texts import UnreadableError, texts_of_unit
from spacy_npparse.scaling.units import Position, Reading, UnitReader
from spacy_npparse.treebank import paragraphs_of_text

TEXTS = st.text(st.sampled_from("ab. \n\r\f\xa0\u2028üé"), max_size=60)
MAX_LENGTH = 1000


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("corpus"))


def units(inputs, position=None, **options):
    reader = UnitReader(inputs, Reading(**options))
    return [unit for _, unit in reader.read(position or Position())]


def test_folders_patterns_and_files_in_order(corpus, tmp_path):
    found = find_inputs([str(corpus)], tmp_path / "out")
    assert [one.name for one in found] == sorted(one.name for one in found)
    assert {one.name for one in found} >= {"below.text", "text", "recordszst"}
    assert len(found) == 9 and len({one.name for one in found}) == 9
    of_pattern = find_inputs([f"{corpus}/text*", f"{corpus}/**/*.conllu"], tmp_path / "out")
    assert [one.path.name for one in of_pattern] == [
        "text.txt",
        "textgz.txt.gz",
        "textxz.txt.xz",
        "textzst.txt.zst",
        "text.conllu",
    ]
    # Different files get different names.
    assert [one.name for one in of_pattern][::4] == ["text", "text~2"]


@pytest.mark.parametrize(
    ("given_names", "message"),
    [
        (["missing.txt"], "no such file. Give files, folders"),
        (["*.nothing"], "no such file"),
        (["README"], "Give .txt, .conllu or .jsonl files, also as .gz, .xz, .zst"),
        (["text.txt", "."], "is given twice"),
        (["empty"], "no file of text in this folder"),
    ],
)
def test_what_cannot_be_read_is_refused(corpus, tmp_path, given_names, message):
    (corpus / "empty").mkdir(exist_ok=True)
    with pytest.raises(InputError, match=message):
        find_inputs([str(corpus / name) for name in given_names], tmp_path / "out")


def test_output_must_not_be_read(corpus, tmp_path):
    with pytest.raises(InputError, match="Give a folder outside of it"):
        find_inputs([str(corpus)], corpus / "below" / "out")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "link").symlink_to(corpus)
    with pytest.raises(InputError, match="link, which is read. Give a folder outside of it"):
        find_inputs([str(tmp_path / "in")], corpus / "below" / "out")


def test_patterns_may_match_the_output(tmp_path):
    for name in ("a.txt", "below/b.txt", "out/shards/00000000.conllu"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text")
    for pattern in ("*", "**/*"):
        found = find_inputs([str(tmp_path / pattern)], tmp_path / "out")
        assert [one.path.name for one in found] == ["a.txt", "b.txt"]


@pytest.mark.parametrize("name", ["shards/00000000.conllu", "text.txt"])
def test_what_is_read_must_not_be_overwritten(tmp_path, name):
    path = tmp_path / "out" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("One.")
    for source in (path, path.parent, tmp_path / "out" / "**" / path.name):
        with pytest.raises(InputError, match="Give (another folder to write|a folder outside)"):
            find_inputs([str(source)], tmp_path / "out")
    (tmp_path / "out" / "stdin.txt").write_text("Two.")
    assert find_inputs([str(tmp_path / "out" / "stdin.txt")], tmp_path / "out")


def test_folders_with_links_and_files_of_other_kinds(tmp_path, caplog):
    folder, store = tmp_path / "in", tmp_path / "store"
    (folder / "own").mkdir(parents=True)
    (store / "below").mkdir(parents=True)
    for path in (
        *(folder / "A.TXT", folder / "own" / "c.Txt.GZ", folder / "d.pdf", folder / "notes"),
        *(store / "e.jsonl", store / "below" / "f.txt", store / "0123", store / "g.PDF"),
        folder / "._A.TXT",
    ):
        path.write_bytes(COMPRESS[".gz"](b"One.") if path.suffix == ".GZ" else b"One.")
    # The links lead to a parent folder, to a folder elsewhere, and to a folder that is read anyway.
    (store / "below" / "cycle").symlink_to(folder)
    (folder / "link").symlink_to(store)
    (folder / "again").symlink_to(folder / "own")
    (folder / "h.txt").symlink_to(store / "0123")
    (folder / "i.txt").symlink_to(store / "missing")
    found = find_inputs([str(folder)], tmp_path / "out")
    assert [one.name for one in found] == ["A", "h", "link.below.f", "link.e", "own.c"]
    assert [one.kind for one in found] == [".txt", ".txt", ".txt", ".jsonl", ".txt"]
    assert found[-1].is_compressed and [unit.raw for unit in units(found[-1:])] == [b"One."]
    [warning] = caplog.messages
    assert warning.startswith(
        "Files left out of folders: 2 .pdf, 2 without a suffix, 1 hidden, 1 pipes or broken links. "
    )


def test_names_of_links_count(tmp_path):
    (tmp_path / "0123").write_text("{}")
    (tmp_path / "news.jsonl").symlink_to("0123")
    (tmp_path / "old.jsonl").symlink_to("0123")
    [one] = find_inputs([str(tmp_path / "news.jsonl")], tmp_path / "out")
    assert one == Input(tmp_path / "news.jsonl", "news") and one.kind == ".jsonl"
    with pytest.raises(InputError, match=r"old\.jsonl is given twice, also as .*news\.jsonl"):
        find_inputs([str(tmp_path / "*.jsonl")], tmp_path / "out")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
@pytest.mark.parametrize("pattern", ["pipe.txt", "p*.txt", "broken.txt", "b*.txt"])
def test_pipes_and_broken_links_are_refused(tmp_path, pattern):
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "broken.txt").symlink_to("missing")
    with pytest.raises(InputError, match="is a pipe, a device or a broken link. Give a file, or -"):
        find_inputs([str(tmp_path / pattern)], tmp_path / "out")


@pytest.mark.skipif(sys.platform != "linux", reason="any bytes are a name on Linux")
def test_names_that_are_not_utf8_are_refused(tmp_path):
    (tmp_path / os.fsdecode(b"Gr\xfc\xdfe.txt")).touch()
    with pytest.raises(InputError, match=r"Gr\\xfc\\xdfe\.txt: the name of this file.* not UTF-8"):
        find_inputs([str(tmp_path)], tmp_path.parent / "out")


def test_many_files_of_one_name(tmp_path):
    for name in ("a~3.txt", *(f"{number}/a.txt" for number in range(10000))):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    start = time.process_time()
    given = [str(tmp_path / pattern) for pattern in ("*.txt", "*/*.txt")]
    names = [one.name for one in find_inputs(given, tmp_path / "out")]
    assert names[:4] == ["a~3", "a", "a~2", "a~4"] and len(set(names)) == 10001
    # It takes a second or two, but would take much longer with a comparison of all pairs of names.
    assert time.process_time() - start < 10


def test_names_can_be_part_of_a_sent_id():
    taken = {}
    given = ["my file", "a/b", "a.b", "a\\b", "my_file~2", "my\tfile"]
    names = [unique_name(name, taken) for name in given]
    assert names == ["my_file", "a.b", "a.b~2", "a.b~3", "my_file~2", "my_file~3"]


def test_compression_makes_no_difference(corpus, tmp_path):
    for kind in ("text", "records"):
        found = find_inputs([f"{corpus}/{kind}*"], tmp_path / "out")
        raw = [[unit.raw for unit in units([one])] for one in found]
        assert len(raw) == 4 and raw[0] == raw[1] == raw[2] == raw[3] and len(raw[0]) == 30


@pytest.mark.parametrize("suffix", [".gz", ".xz", ".zst"])
def test_damaged_files_are_named(tmp_path, suffix):
    path = tmp_path / f"a.txt{suffix}"
    path.write_bytes(COMPRESS[suffix](b"One two.\n\n" * 10_000)[:-9])
    with pytest.raises(InputError, match=r"a\.txt.*: damaged or incomplete"):
        units([Input(path, "a")])
    path.write_bytes(b"no archive")
    with pytest.raises(InputError, match=r"a\.txt.*: damaged or incomplete"):
        units([Input(path, "a")])


def test_files_of_several_frames_that_are_cut_off_anywhere(tmp_path):
    """Programs that compress in parallel write several frames."""
    path = tmp_path / "a.txt.zst"
    frames = [COMPRESS[".zst"](f"Text {number}.\n\n".encode() * 3) for number in range(3)]
    ends = {sum(map(len, frames[:n])): 3 * n for n in range(1, 4)}
    whole = b"".join(frames)
    for size in range(1, len(whole) + 1):
        path.write_bytes(whole[:size])
        if size in ends:
            assert len(units([Input(path, "a")])) == ends[size]
        else:
            with pytest.raises(InputError, match=r"a\.txt\.zst: damaged or incomplete"):
                units([Input(path, "a")])


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Zstandard is in the standard library")
def test_missing_library(tmp_path, monkeypatch):
    path = tmp_path / "a.txt.zst"
    path.touch()
    monkeypatch.setitem(sys.modules, ZSTD, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'spacy-npparse\[corpora\]'"):
        units([Input(path, "a")])


@given(TEXTS, st.booleans(), st.booleans())
def test_units_of_a_text_are_its_paragraphs(tmp_path_factory, text, lines, mark):
    path = tmp_path_factory.getbasetemp() / "a.txt"
    path.write_bytes(("\ufeff" if mark else "").encode() + text.encode())
    found = units([Input(path, "a")], lines=lines)
    expected = list(paragraphs_of_text(text, "a", lines=lines))
    assert [unit.content for unit in found] == expected
    check_positions([Input(path, "a")], found, lines=lines)


def check_positions(inputs, found, **options):
    """Check that reading can begin at any unit."""
    for number, unit in enumerate(found, 1):
        assert units(inputs, unit.end, **options) == found[number:]


BLOCKS = st.lists(
    st.sampled_from(["# c\n1\tGo\n\n", "1\tGo\n2\tü\n\n", "\n", "1\ta\r\n\r\n", "1\tb"])
)
RECORDS = st.lists(
    st.sampled_from(['{"text": "a ü"}\n', "\n", '{"text": "b\\n\\nc", "id": 3}\n', "nothing\n"])
)


@given(BLOCKS.map("".join), RECORDS.map("".join))
def test_sentences_and_records(tmp_path_factory, blocks, records):
    folder = tmp_path_factory.getbasetemp()
    for name, text in (("a.conllu", blocks), ("b.jsonl", records)):
        (folder / name).write_bytes(text.encode())
    inputs = find_inputs([str(folder / "a.conllu"), str(folder / "b.jsonl")], folder / "out")
    found = units(inputs)
    check_positions(inputs, found)
    assert [unit.line for unit in found if unit.end.file == 1] == [
        number for number, line in enumerate(records.splitlines(), 1) if line
    ]
    for unit in found:
        if unit.end.file == 0:
            first = blocks.split("\n")[unit.line - 1]
            assert unit.raw.decode().startswith(first.removesuffix("\r")) and first


def test_compressed_files_are_read_once_by_a_worker(corpus, tmp_path, monkeypatch):
    inputs = find_inputs([f"{corpus}/textgz*", f"{corpus}/text.txt"], tmp_path / "out")
    shards = list(plan(inputs, Reading(), 40))
    opened = []
    gz = gzip.open
    monkeypatch.setattr(gzip, "open", lambda path: opened.append(path) or gz(path))
    reader = UnitReader(inputs, Reading())
    for shard in shards[::2]:
        units_of_shard(shard, reader)
    assert len(opened) == 1 < len(shards[::2])
    for shard in shards:
        units_of_shard(shard, reader)
    assert len(opened) == 2
    # To go back, the file must be opened again.
    units_of_shard(shards[0], reader)
    assert len(opened) == 3


@pytest.mark.parametrize("words_per_shard", [1, 40, 200, 10**6])
def test_plan(corpus, tmp_path, words_per_shard):
    inputs = find_inputs([str(corpus)], tmp_path / "out")
    shards = list(plan(inputs, Reading(), words_per_shard))
    every = units(inputs)
    reader = UnitReader(inputs, Reading())
    assert [unit for shard in shards for _, unit in units_of_shard(shard, reader)] == every
    assert sum(shard.n_words for shard in shards) == sum(unit.n_words for unit in every)
    assert [shard.name for shard in shards] == sorted(shard.name for shard in shards)
    for shard in shards[:-1]:
        last = units_of_shard(shard, reader)[-1][1]
        assert shard.n_words - last.n_words < words_per_shard <= shard.n_words


@pytest.mark.parametrize("suffix", ["txt", "jsonl"])
def test_shards_of_texts_without_spaces_are_bounded(tmp_path, suffix):
    paragraph = "我们今天去北京看朋友然后一起吃饭。"
    record = json.dumps({"text": paragraph}) + "\n"
    content = {"txt": f"{paragraph}\n\n", "jsonl": record}[suffix] * 100
    (tmp_path / f"a.{suffix}").write_text(content, encoding="utf-8")
    inputs = find_inputs([str(tmp_path / f"a.{suffix}")], tmp_path / "out")
    assert len(list(plan(inputs, Reading(), words_per_shard=20))) == 10


def test_changed_files_are_noticed(corpus, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("One two.\n\nThree four.\n\nFive six.")
    inputs = [Input(path, "a")]
    shards = list(plan(inputs, Reading(), 2))
    assert len(shards) == 3
    path.write_text("One two.\n\nThree FOUR.\n\nFive six.")
    reader = UnitReader(inputs, Reading())
    assert len(units_of_shard(shards[0], reader)) == 1
    with pytest.raises(ChangedInputError, match=r"a\.txt has changed since the shards"):
        units_of_shard(shards[1], UnitReader(inputs, Reading()))
    path.write_text("One two.")
    with pytest.raises(ChangedInputError, match="has changed since the shards were planned"):
        units_of_shard(shards[2], UnitReader(inputs, Reading()))
    path.unlink()
    with pytest.raises(InputError, match="is missing"):
        units_of_shard(shards[2], UnitReader(inputs, Reading()))


@pytest.mark.parametrize("n_sentences", [1, 2])
def test_treebanks_are_no_texts(tmp_path, n_sentences):
    path = tmp_path / "a.txt"
    path.write_text("# sent_id = 1\n1-2\tdu" + 8 * "\t_" + "\n\nText.\n\n" * n_sentences)
    with pytest.raises(InputError, match="a.txt: this is CoNLL-U. Give a file whose name ends in"):
        list(plan([Input(path, "a")], Reading(), 10))
    path.write_text("Table:\n1" + 9 * "\t_")
    assert len(list(plan([Input(path, "a")], Reading(), 10))) == 1


def test_corpora_without_text_are_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"content": "One."}) + "\n")
    with pytest.raises(InputError, match="under the key 'text'. Give --text-key"):
        list(plan([Input(path, "a")], Reading(), 10))
    assert len(list(plan([Input(path, "a")], Reading(text_key="content"), 10))) == 1
    # A file without records is valid with any key.
    (tmp_path / "c.jsonl").write_text("\n")
    both = [Input(path, "a"), Input(tmp_path / "c.jsonl", "c")]
    assert len(list(plan(both, Reading(text_key="content"), 10))) == 1
    empty = tmp_path / "b.txt"
    empty.write_text(" \n\n")
    with pytest.raises(InputError, match="There is no text"):
        list(plan([Input(empty, "b")], Reading(), 10))


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.txt", b"Gr\xfc\xdfe.", "not valid UTF-8"),
        ("a.txt", b"w " * 501, "a paragraph of 1,001 characters, more than the 1,000"),
        ("a.conllu", b"# a\n1\tGo\n\n", r"2 columns instead of 10 \(line 2\)"),
        ("a.conllu", b"1\tGo\r\r\n\n", "Mac line end"),
        ("a.jsonl", b"{", "not JSON"),
        ("a.jsonl", b"[1]", "not a JSON object"),
        ("a.jsonl", b'{"a": ' + b"[" * 10**5 + b"]" * 10**5 + b"}", "nested too deeply"),
        ("a.jsonl", b'{"content": "a"}', r"under the key 'text' \(others: content\)"),
        ("a.jsonl", b'{"text": 7}', "value of 'text' is not a string"),
        ("a.jsonl", b'{"text": " \\n "}', "the text is empty"),
        ("a.jsonl", b'{"text": "\\ud800"}', "half of a surrogate pair"),
        ("a.jsonl", b'{"text": "a", "id": "\\ud800"}', "half of a surrogate pair"),
    ],
)
def test_units_that_cannot_be_read(tmp_path, name, content, reason):
    path = tmp_path / name
    path.write_bytes(content)
    one = Input(path, "a")
    [unit] = units([one])
    with pytest.raises(UnreadableError, match=reason):
        texts_of_unit(unit, one, Reading(), MAX_LENGTH)


def test_records_of_any_depth_are_texts_or_unreadable(tmp_path):
    """Every record that can be read can also be written, as a name or as metadata."""
    one = Input(tmp_path / "a.jsonl", "a")
    depths = [*range(10, 1000), 10**5]
    for key in ("id", "other"):
        one.path.write_text(
            "".join(f'{{"text": "a", "{key}": {"[" * n}{"]" * n}}}\n' for n in depths)
        )
        n_unreadable = 0
        for unit in units([one]):
            try:
                assert len(texts_of_unit(unit, one, Reading(), 10**6)) == 1
            except UnreadableError as error:
                assert "nested too deeply" in str(error)
                n_unreadable += 1
        assert 0 < n_unreadable < len(depths)
