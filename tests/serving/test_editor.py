"""The editor: changes, new parses, the written file and the journal."""

import random

import pytest
import spacy

from spacy_npparse.components import ConstraintError
from spacy_npparse.errors import UserError
from spacy_npparse.serving import treebank_file
from spacy_npparse.serving.editor import Editor, TreeChange
from spacy_npparse.serving.pipelines import RequestError, ServedPipeline
from spacy_npparse.serving.treebank_file import TreebankFileError
from spacy_npparse.treebank import read_conllu

WIDTH = 800


@pytest.fixture(scope="module")
def parser(folder):
    return ServedPipeline("sample", spacy.load(folder))


@pytest.fixture
def path(tmp_path, dev):
    """Write seven sentences with multiword tokens, additional blank lines and comments."""
    blocks = dev.split("\n\n")[:6]
    found = tmp_path / "file.conllu"
    found.write_text("\n" + "\n\n".join(blocks) + "\n\n\n# not = the last\n" + blocks[0] + "\n")
    return found


@pytest.fixture
def start(path, parser):
    opened = []

    def begin(given=path):
        opened.append(Editor(given, parser))
        return opened[-1]

    yield begin
    for one in opened:
        one.file.close()


def act(editor, number, do, **data):
    return editor.show(editor.change(number, TreeChange(do=do, **data)), WIDTH)


def confirm(editor, number):
    return act(editor, number, "confirm", word=editor.show(number, WIDTH)["length"])


def arcs(shown):
    return [(word["head"], word["label"]) for word in shown["words"]]


def other_head(shown, word):
    """Return a new head of a word that is not a descendant of the word."""
    heads = [0, *(one["head"] for one in shown["words"])]

    def above(node):
        while node:
            yield node
            node = heads[node]

    options = [h for h in range(1, len(heads)) if word not in above(h) and h != heads[word]]
    return options[0]


def test_it_shows_the_trees_of_the_file(start, path):
    editor = start()
    for number, sentence in enumerate(read_conllu(path)):
        shown = editor.show(number, WIDTH)
        assert [head for head, _ in arcs(shown)] == list(sentence.heads[1:])
        assert [label for _, label in arcs(shown)] == [row.deprel for row in sentence.words]
        assert shown["svg"].startswith("<svg") and not shown["done"]
        assert not any(word["confirmed"] for word in shown["words"])
    assert [one["number"] for one in editor.overview()] == list(range(7))
    assert all(0 < one["doubt"] < 1 for one in editor.overview())
    for number in (7, -1):
        with pytest.raises(RequestError, match="no such sentence"):
            editor.show(number, WIDTH)


def test_the_rest_is_parsed_again_under_what_is_confirmed(start):
    editor, rng = start(), random.Random(0)
    n_changed = 0
    for number in range(6):
        known = {}
        for _ in range(4):
            shown = editor.show(number, WIDTH)
            word = rng.choice([i for i in range(1, shown["length"] + 1) if i not in known])
            try:
                answer = act(editor, number, "head", word=word, head=other_head(shown, word))
            except (IndexError, ConstraintError):
                continue
            known[word] = arcs(answer)[word - 1]
            assert {i: arcs(answer)[i - 1] for i in known} == known
            marked = [i for i, one in enumerate(answer["words"], 1) if one["confirmed"]]
            assert marked == sorted(known) and answer["confirmed"] == len(known)
            changed = [old != new for old, new in zip(arcs(shown), arcs(answer), strict=True)]
            assert any(changed)
            assert sum(head == 0 for head, _ in arcs(answer)) == 1
            n_changed += sum(changed)
            answer = act(editor, number, "label", word=word, label="xcomp")
            known[word] = arcs(answer)[word - 1]
            assert known[word][1] == "xcomp"
    assert n_changed > 30


def test_labels_that_the_parser_does_not_know(start):
    editor = start()
    word = next(i for i, (head, _) in enumerate(arcs(editor.show(0, WIDTH)), 1) if head)
    answer = act(editor, 0, "label", word=word, label="new:label")
    assert arcs(answer)[word - 1][1] == "new:label"
    other = 1 if word != 1 else 2
    answer = act(editor, 0, "confirm", word=other)
    assert arcs(answer)[word - 1][1] == "new:label"


def test_what_is_confirmed_stays(start):
    editor = start()
    before = arcs(confirm(editor, 1))
    word = next(i for i, (head, _) in enumerate(before, 1) if head)
    answer = act(editor, 1, "label", word=word, label="dep")
    changed = [old != new for old, new in zip(before, arcs(answer), strict=True)]
    assert sum(changed) == 1 and answer["done"]
    assert answer["doubt"] == 0
    root = next(i for i, (head, _) in enumerate(before, 1) if not head)
    with pytest.raises(RequestError, match="Roots have one of the labels: root"):
        act(editor, 1, "label", word=root, label="dep")
    with pytest.raises(RequestError, match="Roots have one of the labels: root"):
        act(editor, 1, "head", word=word, head=0, label="dep")
    with pytest.raises(RequestError, match="Only roots have the label 'root'"):
        act(editor, 1, "label", word=word, label="root")
    with pytest.raises(UserError):
        # A confirmed tree has one root already.
        act(editor, 1, "head", word=word, head=0)
    assert arcs(editor.show(1, WIDTH)) == arcs(answer)


def test_only_what_is_confirmed_is_written_and_no_other_byte(start, path):
    before = path.read_bytes()
    editor = start()
    answer = act(editor, 2, "head", word=1, head=other_head(editor.show(2, WIDTH), 1))
    assert path.read_bytes() == before
    answer = confirm(editor, 2)
    assert answer["problem"] == ""
    after = path.read_bytes()
    lines = list(zip(before.split(b"\n"), after.split(b"\n"), strict=True))
    n_lines = sum(old != new for old, new in lines)
    assert (
        n_lines
        == len(
            [
                1
                for row, arc in zip(editor.file.sentences[2].words, arcs(answer), strict=True)
                if (row.head, row.deprel) != (str(arc[0]), arc[1])
            ]
        )
        > 0
    )
    for old, new in lines:
        columns = zip(old.split(b"\t"), new.split(b"\t"), strict=True)
        assert all(a == b for i, (a, b) in enumerate(columns) if i not in (6, 7))
    assert [s.heads for s in read_conllu(path)][2][1:] == tuple(head for head, _ in arcs(answer))
    # Undoing a confirmation restores the file.
    act(editor, 0, "undo")
    assert path.read_bytes() == before
    act(editor, 0, "redo")
    assert path.read_bytes() == after


def test_undo_and_redo(start):
    editor = start()
    states = [[arcs(editor.show(n, WIDTH)) for n in range(3)]]
    for number in (0, 1, 0, 2):
        shown = editor.show(number, WIDTH)
        free = [i for i, one in enumerate(shown["words"], 1) if not one["confirmed"]]
        act(editor, number, "head", word=free[0], head=other_head(shown, free[0]))
        states.append([arcs(editor.show(n, WIDTH)) for n in range(3)])
    for do, order in (("undo", [2, 0, 1, 0]), ("redo", [0, 1, 0, 2])):
        for number in order:
            assert act(editor, 0, do)["number"] == number
        with pytest.raises(RequestError, match=f"nothing to {do}"):
            act(editor, 0, do)
        expected = states[0] if do == "undo" else states[-1]
        assert [arcs(editor.show(n, WIDTH)) for n in range(3)] == expected
    act(editor, 0, "undo")
    confirm(editor, 1)
    with pytest.raises(RequestError, match="nothing to redo"):
        act(editor, 0, "redo")


def test_partial_trees(start, path):
    """Given arcs are confirmed, and the parser predicts the others."""
    lines = path.read_text().split("\n")
    rows = [
        i for i, line in enumerate(lines) if line[:1].isdigit() and "-" not in line.split("\t")[0]
    ]
    for i in rows[2:8]:
        lines[i] = "\t".join([*lines[i].split("\t")[:6], "_", "_", *lines[i].split("\t")[8:]])
    path.write_text("\n".join(lines))
    editor = start()
    first = editor.file.sentences[0]
    n_given = sum(row.head != "_" for row in first.words)
    assert editor.overview()[0]["confirmed"] == n_given < len(first.words)
    shown = editor.show(0, WIDTH)
    for row, word in zip(first.words, shown["words"], strict=True):
        assert word["confirmed"] == (row.head != "_")
        assert row.head in ("_", str(word["head"])) and word["label"] != "_"
    before = path.read_bytes()
    act(editor, 0, "confirm", word=3)
    assert path.read_bytes() == before
    confirm(editor, 0)
    assert "\t_\t_\t" not in "".join("\t".join(row[6:9]) for row in next(read_conllu(path)).words)


def test_a_session_goes_on_where_it_ended(start, path):
    editor = start()
    for number in (0, 3):
        act(editor, number, "head", word=1, head=other_head(editor.show(number, WIDTH), 1))
    confirm(editor, 3)
    act(editor, 4, "confirm", word=2)
    act(editor, 0, "undo")
    shown = [editor.show(n, WIDTH) for n in range(7)]
    editor.file.close()
    again = start()
    for number, old in enumerate(shown):
        assert again.show(number, WIDTH) == old
    assert act(again, 0, "redo")["confirmed"] == 2
    assert [act(again, 0, "undo")["number"] for _ in range(4)] == [4, 3, 3, 0]


def test_a_change_that_was_being_written_is_as_if_it_had_not_been_made(start, path):
    editor = start()
    act(editor, 0, "confirm", word=2)
    journal = editor.file.journal.read_bytes()
    original = path.read_bytes()
    confirm(editor, 0)
    whole = editor.file.journal.read_bytes()
    editor.file.close()
    complete = (whole + b"\n").index(b"\n", len(journal) + 1)
    for end in [*range(len(journal), complete, 97), complete]:
        editor.file.journal.write_bytes(whole[:end])
        path.write_bytes(original)
        again = start()
        assert again.show(0, WIDTH)["done"] == (end == complete)
        again.file.close()


def test_a_file_that_another_program_has_changed_is_not_overwritten(start, path):
    editor = start()
    act(editor, 0, "head", word=1, head=other_head(editor.show(0, WIDTH), 1))
    other = path.read_bytes().replace(b"# not = the last", b"# another = comment")
    path.write_bytes(other)
    answer = confirm(editor, 0)
    assert "changed by another program" in answer["problem"] and answer["done"]
    assert path.read_bytes() == other
    editor.file.close()
    with pytest.raises(TreebankFileError, match="Restore the file, or end the server and move"):
        start()
    path.write_bytes(other.replace(b"# another = comment", b"# not = the last"))
    # The failed attempt has not kept the lock.
    assert start().show(0, WIDTH)["done"]
    assert path.read_bytes() != other


def test_a_file_that_is_removed_is_not_made_again(start, path):
    editor = start()
    content = path.read_bytes()
    path.unlink()
    assert "was removed by another program" in confirm(editor, 0)["problem"]
    assert not path.exists()
    path.write_bytes(content)
    assert not confirm(editor, 1)["problem"]


def test_no_change_is_made_without_the_first_line_of_the_journal(start, path):
    editor = start()
    act(editor, 0, "confirm", word=1)
    journal = editor.file.journal.read_bytes()
    editor.file.journal.unlink()
    before = editor.show(0, WIDTH)
    with pytest.raises(TreebankFileError, match="was removed while the server runs"):
        act(editor, 0, "confirm", word=2)
    assert editor.show(0, WIDTH) == before and not editor.file.journal.exists()
    editor.file.close()
    first, *others = journal.strip().split(b"\n")
    editor.file.journal.write_bytes(b"\n".join([first[:-9], *others]))
    with pytest.raises(TreebankFileError, match="the first line, .* is missing. Restore it"):
        start()
    editor.file.journal.write_bytes(journal)
    assert start().show(0, WIDTH)["confirmed"] == 1


def test_two_editors_of_a_file(start):
    start()
    with pytest.raises(TreebankFileError, match="another process corrects this file"):
        start()


@pytest.mark.parametrize("end, mark", [("\r\n", ""), ("\n", "\ufeff"), ("\r\n", "\ufeff")])
@pytest.mark.parametrize("n_ends", [0, 1, 2])
def test_line_ends_and_byte_order_marks_are_kept(start, path, end, mark, n_ends):
    text = path.read_text("utf-8").strip() + "\n" * n_ends
    path.write_bytes((mark + text.replace("\n", end)).encode())
    before = path.read_bytes().split(b"\n")
    editor = start()
    for number in (0, 6):
        act(editor, number, "head", word=1, head=other_head(editor.show(number, WIDTH), 1))
        confirm(editor, number)
    after = path.read_bytes().split(b"\n")
    differing = [i for i, pair in enumerate(zip(before, after, strict=True)) if len(set(pair)) > 1]
    assert differing and all(b"\t" in after[i] for i in differing)
    assert [line.endswith(b"\r") for line in after] == [line.endswith(b"\r") for line in before]
    assert len(list(read_conllu(path))) == 7


def test_a_folder_cannot_be_corrected(start, tmp_path):
    with pytest.raises(TreebankFileError, match="is not a file"):
        start(tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        {"do": "head", "word": 1, "head": 1},
        {"do": "head", "word": 1, "head": 99},
        {"do": "head", "word": 1, "head": "x"},
        {"do": "head", "word": 0, "head": 2},
        {"do": "confirm", "word": 99},
        {"do": "label", "word": 1, "label": "a b"},
        {"do": "label", "word": 1, "label": "a\n"},
        {"do": "label", "word": 1, "label": ""},
        {"do": "explode", "word": 1},
        {"do": None},
        {},
    ],
)
def test_what_is_no_change(start, path, change):
    editor = start()
    with pytest.raises(
        ValueError, match="validation error|no such word|the word itself|none of the"
    ):
        editor.change(0, TreeChange(**change))
    # Who only looks at a treebank writes no journal.
    assert not editor.file.journal.exists()


def test_a_journal_that_cannot_be_written_loses_nothing_that_was_shown(start, monkeypatch):
    editor = start()
    act(editor, 0, "confirm", word=1)
    before = editor.show(0, WIDTH)

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(treebank_file.os, "fsync", full)
    with pytest.raises(OSError, match="journal: cannot be written: No space left"):
        act(editor, 0, "confirm", word=2)
    monkeypatch.undo()
    assert editor.show(0, WIDTH) == before
    # The journal may also end in an incomplete change.
    with editor.file.journal.open("a") as file:
        file.write('\n{"do": "do", "sent')
    assert act(editor, 0, "confirm", word=3)["confirmed"] == 3
    editor.file.close()
    again = start()
    assert again.show(0, WIDTH)["confirmed"] == 3
    assert act(again, 0, "undo")["confirmed"] == 1


def test_what_the_parser_cannot_build(start):
    """MH4 cannot build a tree with so many crossing arcs."""
    editor = start()
    number, shown = max(
        ((n, editor.show(n, WIDTH)) for n in range(7)), key=lambda pair: pair[1]["length"]
    )
    n = shown["length"]
    assert n >= 8
    wanted = {1: 5, 2: 6, 3: 7, 4: 8, 5: 0}
    for word, head in wanted.items():
        answer = act(editor, number, "head", word=word, head=head)
    assert [arcs(answer)[word - 1][0] for word in wanted] == list(wanted.values())


def test_sentences_that_the_parser_cannot_read(start, path):
    """Multiword tokens with fewer characters than words are shown, but cannot be parsed again."""
    rows = [
        "1-2\tx" + "\t_" * 8,
        "1\ta\t_\t_\t_\t_\t0\troot\t_\t_",
        "2\tb\t_\t_\t_\t_\t1\tdep\t_\t_",
    ]
    path.write_text(path.read_text() + "\n" + "\n".join(rows) + "\n\n")
    editor = start()
    assert arcs(editor.show(7, WIDTH)) == [(0, "root"), (1, "dep")]
    assert editor.overview()[7]["doubt"] == 0.0
    with pytest.raises(ConstraintError, match="fewer characters than words"):
        act(editor, 7, "label", word=2, label="case")
    assert confirm(editor, 7)["done"]
