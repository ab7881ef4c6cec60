"""The desk: changes, what is parsed again, what is written, and what outlives the process."""

import random

import pytest
import spacy

from spacy_npparse.components import ConstraintError
from spacy_npparse.errors import UserError
from spacy_npparse.serving import treebank_file
from spacy_npparse.serving.desk import Desk, TreeChange
from spacy_npparse.serving.pipelines import RequestError, ServedPipeline
from spacy_npparse.serving.treebank_file import TreebankFileError
from spacy_npparse.treebank import read_conllu

WIDTH = 800


@pytest.fixture(scope="module")
def parser(folder):
    return ServedPipeline("sample", spacy.load(folder))


@pytest.fixture
def path(tmp_path, dev):
    """Six sentences, with multiword tokens, and with blank lines and comments of their own."""
    blocks = dev.split("\n\n")[:6]
    found = tmp_path / "file.conllu"
    found.write_text("\n" + "\n\n".join(blocks) + "\n\n\n# not = the last\n" + blocks[0] + "\n")
    return found


@pytest.fixture
def start(path, parser):
    opened = []

    def begin(given=path):
        opened.append(Desk(given, parser))
        return opened[-1]

    yield begin
    for one in opened:
        one.file.close()


def act(desk, number, do, **data):
    return desk.show(desk.change(number, TreeChange(do=do, **data)), WIDTH)


def confirm(desk, number):
    return act(desk, number, "confirm", word=desk.show(number, WIDTH)["length"])


def arcs(shown):
    return [(word["head"], word["label"]) for word in shown["words"]]


def other_head(shown, word):
    """A head that makes another tree: one that is no descendant of the word."""
    heads = [0, *(one["head"] for one in shown["words"])]

    def above(node):
        while node:
            yield node
            node = heads[node]

    options = [h for h in range(1, len(heads)) if word not in above(h) and h != heads[word]]
    return options[0]


def test_it_shows_the_trees_of_the_file(start, path):
    desk = start()
    for number, sentence in enumerate(read_conllu(path)):
        shown = desk.show(number, WIDTH)
        assert [head for head, _ in arcs(shown)] == list(sentence.heads[1:])
        assert [label for _, label in arcs(shown)] == [row.deprel for row in sentence.words]
        assert shown["svg"].startswith("<svg") and not shown["done"]
        assert not any(word["confirmed"] for word in shown["words"])
    assert [one["number"] for one in desk.overview()] == list(range(7))
    assert all(0 < one["doubt"] < 1 for one in desk.overview())
    for number in (7, -1):
        with pytest.raises(RequestError, match="no such sentence"):
            desk.show(number, WIDTH)


def test_the_rest_is_parsed_again_under_what_is_confirmed(start):
    desk, rng = start(), random.Random(0)
    n_changed = 0
    for number in range(6):
        known = {}
        for _ in range(4):
            shown = desk.show(number, WIDTH)
            word = rng.choice([i for i in range(1, shown["length"] + 1) if i not in known])
            try:
                answer = act(desk, number, "head", word=word, head=other_head(shown, word))
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
            answer = act(desk, number, "label", word=word, label="xcomp")
            known[word] = arcs(answer)[word - 1]
            assert known[word][1] == "xcomp"
    assert n_changed > 30


def test_labels_that_the_parser_does_not_know(start):
    desk = start()
    word = next(i for i, (head, _) in enumerate(arcs(desk.show(0, WIDTH)), 1) if head)
    answer = act(desk, 0, "label", word=word, label="new:label")
    assert arcs(answer)[word - 1][1] == "new:label"
    other = 1 if word != 1 else 2
    answer = act(desk, 0, "confirm", word=other)
    assert arcs(answer)[word - 1][1] == "new:label"


def test_what_is_confirmed_stays(start):
    desk = start()
    before = arcs(confirm(desk, 1))
    word = next(i for i, (head, _) in enumerate(before, 1) if head)
    answer = act(desk, 1, "label", word=word, label="dep")
    changed = [old != new for old, new in zip(before, arcs(answer), strict=True)]
    assert sum(changed) == 1 and answer["done"]
    assert answer["doubt"] == 0
    root = next(i for i, (head, _) in enumerate(before, 1) if not head)
    for word_of_label, label in ((root, "dep"), (word, "root")):
        with pytest.raises(ConstraintError, match="no tree of|is not known"):
            act(desk, 1, "label", word=word_of_label, label=label)
    with pytest.raises(UserError):
        # A confirmed tree has one root already.
        act(desk, 1, "head", word=word, head=0)
    assert arcs(desk.show(1, WIDTH)) == arcs(answer)


def test_only_what_is_confirmed_is_written_and_no_other_byte(start, path):
    before = path.read_bytes()
    desk = start()
    answer = act(desk, 2, "head", word=1, head=other_head(desk.show(2, WIDTH), 1))
    assert path.read_bytes() == before
    answer = confirm(desk, 2)
    assert answer["problem"] == ""
    after = path.read_bytes()
    lines = list(zip(before.split(b"\n"), after.split(b"\n"), strict=True))
    n_lines = sum(old != new for old, new in lines)
    assert (
        n_lines
        == len(
            [
                1
                for row, arc in zip(desk.file.sentences[2].words, arcs(answer), strict=True)
                if (row.head, row.deprel) != (str(arc[0]), arc[1])
            ]
        )
        > 0
    )
    for old, new in lines:
        columns = zip(old.split(b"\t"), new.split(b"\t"), strict=True)
        assert all(a == b for i, (a, b) in enumerate(columns) if i not in (6, 7))
    assert [s.heads for s in read_conllu(path)][2][1:] == tuple(head for head, _ in arcs(answer))
    # An undone confirmation leaves the file as it was.
    act(desk, 0, "undo")
    assert path.read_bytes() == before
    act(desk, 0, "redo")
    assert path.read_bytes() == after


def test_undo_and_redo(start):
    desk = start()
    states = [[arcs(desk.show(n, WIDTH)) for n in range(3)]]
    for number in (0, 1, 0, 2):
        shown = desk.show(number, WIDTH)
        free = [i for i, one in enumerate(shown["words"], 1) if not one["confirmed"]]
        act(desk, number, "head", word=free[0], head=other_head(shown, free[0]))
        states.append([arcs(desk.show(n, WIDTH)) for n in range(3)])
    for do, order in (("undo", [2, 0, 1, 0]), ("redo", [0, 1, 0, 2])):
        for number in order:
            assert act(desk, 0, do)["number"] == number
        with pytest.raises(RequestError, match=f"nothing to {do}"):
            act(desk, 0, do)
        expected = states[0] if do == "undo" else states[-1]
        assert [arcs(desk.show(n, WIDTH)) for n in range(3)] == expected
    act(desk, 0, "undo")
    confirm(desk, 1)
    with pytest.raises(RequestError, match="nothing to redo"):
        act(desk, 0, "redo")


def test_partial_trees(start, path):
    """What they give is confirmed, and the parser finds the rest."""
    lines = path.read_text().split("\n")
    rows = [
        i for i, line in enumerate(lines) if line[:1].isdigit() and "-" not in line.split("\t")[0]
    ]
    for i in rows[2:8]:
        lines[i] = "\t".join([*lines[i].split("\t")[:6], "_", "_", *lines[i].split("\t")[8:]])
    path.write_text("\n".join(lines))
    desk = start()
    first = desk.file.sentences[0]
    n_given = sum(row.head != "_" for row in first.words)
    assert desk.overview()[0]["confirmed"] == n_given < len(first.words)
    shown = desk.show(0, WIDTH)
    for row, word in zip(first.words, shown["words"], strict=True):
        assert word["confirmed"] == (row.head != "_")
        assert row.head in ("_", str(word["head"])) and word["label"] != "_"
    before = path.read_bytes()
    act(desk, 0, "confirm", word=3)
    assert path.read_bytes() == before
    confirm(desk, 0)
    assert "\t_\t_\t" not in "".join("\t".join(row[6:9]) for row in next(read_conllu(path)).words)


def test_a_session_goes_on_where_it_ended(start, path):
    desk = start()
    for number in (0, 3):
        act(desk, number, "head", word=1, head=other_head(desk.show(number, WIDTH), 1))
    confirm(desk, 3)
    act(desk, 4, "confirm", word=2)
    act(desk, 0, "undo")
    shown = [desk.show(n, WIDTH) for n in range(7)]
    desk.file.close()
    again = start()
    for number, old in enumerate(shown):
        assert again.show(number, WIDTH) == old
    assert act(again, 0, "redo")["confirmed"] == 2
    assert [act(again, 0, "undo")["number"] for _ in range(4)] == [4, 3, 3, 0]


def test_a_change_that_was_being_written_is_as_if_it_had_not_been_made(start, path):
    desk = start()
    act(desk, 0, "confirm", word=2)
    journal = desk.file.journal.read_bytes()
    original = path.read_bytes()
    confirm(desk, 0)
    whole = desk.file.journal.read_bytes()
    desk.file.close()
    complete = (whole + b"\n").index(b"\n", len(journal) + 1)
    for end in [*range(len(journal), complete, 97), complete]:
        desk.file.journal.write_bytes(whole[:end])
        path.write_bytes(original)
        again = start()
        assert again.show(0, WIDTH)["done"] == (end == complete)
        again.file.close()


def test_a_file_that_another_program_has_changed_is_not_overwritten(start, path):
    desk = start()
    act(desk, 0, "head", word=1, head=other_head(desk.show(0, WIDTH), 1))
    other = path.read_bytes().replace(b"# not = the last", b"# another = comment")
    path.write_bytes(other)
    answer = confirm(desk, 0)
    assert "changed by another program" in answer["problem"] and answer["done"]
    assert path.read_bytes() == other
    desk.file.close()
    with pytest.raises(TreebankFileError, match="Restore the file, or move the journal away"):
        start()
    path.write_bytes(other.replace(b"# another = comment", b"# not = the last"))
    # The failed attempt has left its lock with the process.
    assert start().show(0, WIDTH)["done"]
    assert path.read_bytes() != other


def test_two_desks_of_a_file(start):
    start()
    with pytest.raises(TreebankFileError, match="another process corrects this file"):
        start()


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
    desk = start()
    journal = desk.file.journal.read_bytes()
    with pytest.raises(
        ValueError, match="validation error|no such word|the word itself|none of the"
    ):
        desk.change(0, TreeChange(**change))
    assert desk.file.journal.read_bytes() == journal


def test_a_journal_that_cannot_be_written_loses_nothing_that_was_shown(start, monkeypatch):
    desk = start()
    act(desk, 0, "confirm", word=1)
    before = desk.show(0, WIDTH)

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(treebank_file.os, "fsync", full)
    with pytest.raises(OSError, match="journal: cannot be written: No space left"):
        act(desk, 0, "confirm", word=2)
    monkeypatch.undo()
    assert desk.show(0, WIDTH) == before
    # A half of a change is in the journal, too.
    with desk.file.journal.open("a") as file:
        file.write('\n{"do": "do", "sent')
    assert act(desk, 0, "confirm", word=3)["confirmed"] == 3
    desk.file.close()
    again = start()
    assert again.show(0, WIDTH)["confirmed"] == 3
    assert act(again, 0, "undo")["confirmed"] == 1


def test_what_the_parser_cannot_build(start):
    """MH4 builds no tree with so many crossings."""
    desk = start()
    number, shown = max(
        ((n, desk.show(n, WIDTH)) for n in range(7)), key=lambda pair: pair[1]["length"]
    )
    n = shown["length"]
    assert n >= 8
    wanted = {1: 5, 2: 6, 3: 7, 4: 8, 5: 0}
    for word, head in wanted.items():
        answer = act(desk, number, "head", word=word, head=head)
    assert [arcs(answer)[word - 1][0] for word in wanted] == list(wanted.values())


def test_sentences_that_the_parser_cannot_read(start, path):
    """A multiword token that has fewer characters than words: it is shown, and stays as it is."""
    rows = [
        "1-2\tx" + "\t_" * 8,
        "1\ta\t_\t_\t_\t_\t0\troot\t_\t_",
        "2\tb\t_\t_\t_\t_\t1\tdep\t_\t_",
    ]
    path.write_text(path.read_text() + "\n" + "\n".join(rows) + "\n\n")
    desk = start()
    assert arcs(desk.show(7, WIDTH)) == [(0, "root"), (1, "dep")]
    with pytest.raises(ConstraintError, match="fewer characters than words"):
        act(desk, 7, "label", word=2, label="case")
    assert confirm(desk, 7)["done"]
