"""Tests of the command `prepare`."""

import shutil

import pytest
import spacy

from spacy_npparse.treebank import ConlluCorpus
from spacy_npparse.treebank_names import TREEBANK_KEY

PROJECTIVE = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n2\tb\t_\t_\t_\t_\t1\tx\t_\t_\n\n"
CROSSING = "".join(
    f"{i}\tw\t_\t_\t_\t_\t{head}\tx\t_\tKeep=Me\n" for i, head in enumerate((3, 4, 0, 3), 1)
)


@pytest.fixture
def treebank(tmp_path):
    folder = tmp_path / "UD_Test"
    folder.mkdir()
    (folder / "xx-ud-train.conllu").write_text(f"# one\n{PROJECTIVE}{CROSSING}\n")
    (folder / "xx-ud-dev.conllu").write_text(PROJECTIVE)
    return folder


def test_copies_and_counts(run, treebank, tmp_path):
    result = run("prepare", treebank, tmp_path / "out")
    assert result.exit_code == 0, result.output
    rows = [[cell.strip() for cell in line.split("|")] for line in result.output.splitlines()]
    assert rows[2:] == [
        ["train", "2", "6", "50.00%", "16.67%"],
        ["dev", "1", "2", "0.00%", "0.00%"],
    ]
    for part in ("train", "dev"):
        original = treebank / f"xx-ud-{part}.conllu"
        assert (tmp_path / "out" / f"{part}.conllu").read_bytes() == original.read_bytes()
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "dev.conllu",
        "train.conllu",
    ]
    (treebank / "xx-ud-test.conllu").write_text(CROSSING + "\n")
    assert run("prepare", treebank, tmp_path / "out").exit_code == 0
    assert (tmp_path / "out" / "test.conllu").read_text() == CROSSING + "\n"


def test_windows_line_ends_and_byte_order_marks_are_normalised(run, treebank, tmp_path, caplog):
    path = treebank / "xx-ud-train.conllu"
    expected = path.read_bytes()
    path.write_bytes(b"\xef\xbb\xbf" + expected.replace(b"\n", b"\r\n"))
    assert run("prepare", treebank, tmp_path / "out").exit_code == 0
    assert (tmp_path / "out" / "train.conllu").read_bytes() == expected
    assert [message.count("Windows line ends") for message in caplog.messages] == [1]


def test_shares_are_those_of_complete_trees(run, treebank, tmp_path):
    partial = CROSSING.replace("\t4\tx", "\t_\t_")
    assert partial != CROSSING
    (treebank / "xx-ud-train.conllu").write_text(f"{PROJECTIVE}{CROSSING}\n{partial}\n")
    (treebank / "xx-ud-dev.conllu").write_text(f"{partial}\n")
    result = run("prepare", treebank, tmp_path / "out")
    rows = [[cell.strip() for cell in line.split("|")] for line in result.output.splitlines()]
    assert rows[2:] == [
        ["train", "3", "10", "50.00%", "16.67%"],
        ["dev", "1", "4", "-", "-"],
        ["Not in the shares: 2 sentences with words without head"],
    ]


def test_several_treebanks(run, treebank, tmp_path):
    other = shutil.copytree(treebank, tmp_path / "UD_Other")
    (other / "xx-ud-test.conllu").write_text(PROJECTIVE)
    result = run("prepare", treebank, other, tmp_path / "out")
    assert result.exit_code == 0, result.output
    out = tmp_path / "out"
    written = sorted(str(path.relative_to(out)) for path in out.rglob("*.conllu"))
    assert written == [
        "dev/UD_Other-ud-dev.conllu",
        "dev/UD_Test-ud-dev.conllu",
        "test/UD_Other-ud-test.conllu",
        "train/UD_Other-ud-train.conllu",
        "train/UD_Test-ud-train.conllu",
    ]
    original = treebank / "xx-ud-train.conllu"
    assert (out / "train" / "UD_Test-ud-train.conllu").read_bytes() == original.read_bytes()
    assert "\nUD_Other-ud-test  |         1 |" in result.output
    examples = ConlluCorpus(out / "train")(spacy.blank("xx"))
    assert {eg.predicted.user_data[TREEBANK_KEY] for eg in examples} == {"UD_Test", "UD_Other"}
    (tmp_path / "again").mkdir()
    same = shutil.copytree(treebank, tmp_path / "again" / "UD_Test")
    result = run("prepare", treebank, same, tmp_path / "two")
    assert result.exit_code == 1 and "two treebanks are called UD_Test" in result.output


def test_treebanks_that_are_there_already_are_not_trained_on(run, treebank, tmp_path):
    other = shutil.copytree(treebank, tmp_path / "UD_Other")
    third = shutil.copytree(treebank, tmp_path / "UD_Third")
    (other / "xx-ud-test.conllu").write_text(PROJECTIVE)
    assert run("prepare", other, tmp_path / "one").exit_code == 0
    assert run("prepare", other, treebank, third, tmp_path / "many").exit_code == 0
    for given, out in (([treebank], "one"), ([other, treebank], "many"), ([other], "many")):
        before = sorted((tmp_path / out).rglob("*"))
        result = run("prepare", *given, tmp_path / out)
        assert result.exit_code == 1 and "has other treebanks: " in result.output
        assert sorted((tmp_path / out).rglob("*")) == before
    assert str(tmp_path / "many" / "train" / "UD_Other-ud-train.conllu") in result.output
    assert run("prepare", other, tmp_path / "one").exit_code == 0


def test_errors(run, treebank, tmp_path):
    def message():
        result = run("prepare", treebank, tmp_path / "out")
        assert result.exit_code == 1 and "Traceback" not in result.output
        assert not (tmp_path / "out").exists()
        return result.output

    dev, train = treebank / "xx-ud-dev.conllu", treebank / "xx-ud-train.conllu"
    dev.write_text(PROJECTIVE + "1\ta\n\n")
    assert f"{dev}, line 4: 2 columns" in message()
    dev.write_text("")
    assert "xx-ud-dev.conllu: no sentence" in message()
    dev.write_text("1\t_\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    assert "xx-ud-dev.conllu: every FORM is _" in message()
    dev.unlink()
    assert "no file *-ud-dev.conllu" in message() and "npparse prepare --split" in message()
    (treebank / "yy-ud-train.conllu").write_text(PROJECTIVE)
    assert "several files *-ud-train.conllu: xx-ud-train.conllu, yy-ud-train" in message()
    (treebank / "yy-ud-train.conllu").rename(treebank / "xx-ud-train-1.conllu")
    train.unlink()
    assert "no file *-ud-train.conllu (CoNLL-U files here: xx-ud-train-1.conllu)" in message()
    assert "no such folder" in run("prepare", tmp_path / "no", tmp_path / "out").output


def test_treebanks_are_not_written_into(run, treebank, tmp_path):
    before = sorted(treebank.iterdir())
    for sources in ([treebank], [shutil.copytree(treebank, tmp_path / "UD_Other")]):
        result = run("prepare", *sources, treebank)
        assert result.exit_code == 1 and f"{treebank} is a treebank" in result.output
        assert sorted(treebank.iterdir()) == before


def sentences(n, n_documents=1):
    """Return n sentences with IDs, in documents of equal size."""
    size = n // n_documents
    return "".join(
        f"# newdoc id = d{i // size}\n" * (i % size == 0)
        + f"# sent_id = s{i}\n1\tw\t_\t_\t_\t_\t0\troot\t_\tSpaceAfter=No\n\n"
        for i in range(n)
    )


@pytest.mark.parametrize(
    "n_documents, dev, said",
    [
        (20, [*range(18, 20), *range(38, 40)], "every tenth document, 2 of mine.conllu: 4 of 40"),
        (1, range(36, 40), "the last tenth of mine.conllu: 4 of 40 sentences"),
        (8, range(36, 40), "the last tenth of mine.conllu: 4 of 40 sentences"),
    ],
)
def test_a_dev_part_is_made_of_one_file(run, tmp_path, n_documents, dev, said):
    path, out = tmp_path / "mine.conllu", tmp_path / "out"
    path.write_text(sentences(40, n_documents))
    result = run("prepare", path, out)
    assert result.exit_code == 1 and "--split" in result.output and not out.exists()
    result = run("prepare", path, out, "--split")
    assert result.exit_code == 0 and f"\ndev is {said}" in result.output, result.output
    blocks = path.read_text().split("\n\n")[:-1]
    chosen = [blocks[i] for i in dev]
    assert (out / "dev.conllu").read_text() == "".join(f"{block}\n\n" for block in chosen)
    rest = [block for block in blocks if block not in chosen]
    assert (out / "train.conllu").read_text() == "".join(f"{block}\n\n" for block in rest)


def test_only_where_there_is_none(run, treebank, tmp_path):
    dev = treebank / "xx-ud-dev.conllu"
    assert run("prepare", treebank, tmp_path / "both", "--split").exit_code == 0
    assert (tmp_path / "both" / "dev.conllu").read_bytes() == dev.read_bytes()
    dev.rename(treebank / "xx-ud-test.conllu")
    result = run("prepare", treebank, tmp_path / "one", "--split")
    assert "dev is the last tenth of xx-ud-train.conllu: 1 of 2 sentences" in result.output
    assert (tmp_path / "one" / "dev.conllu").read_text() == f"{CROSSING}\n"
    assert (tmp_path / "one" / "train.conllu").read_text() == f"# one\n{PROJECTIVE}"
    assert (tmp_path / "one" / "test.conllu").read_text() == PROJECTIVE
    (treebank / "xx-ud-train.conllu").write_text(PROJECTIVE)
    result = run("prepare", treebank, tmp_path / "none", "--split")
    assert result.exit_code == 1 and "fewer than two sentences" in result.output


def test_copies_are_warned_of(run, treebank, tmp_path, caplog):
    assert run("prepare", treebank, tmp_path / "out").exit_code == 0 and not caplog.records
    (treebank / "xx-ud-dev.conllu").write_bytes((treebank / "xx-ud-train.conllu").read_bytes())
    assert run("prepare", treebank, tmp_path / "out").exit_code == 0
    assert "xx-ud-train.conllu and " in caplog.text and "have the same content" in caplog.text
