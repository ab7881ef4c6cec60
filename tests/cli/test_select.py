"""`select` as a user runs it."""

import pytest
from tiny import write_part

from spacy_npparse.treebank import read_conllu

TEXT = "Peter singt. Maria lacht.\n\nDer Arzt glaubt, dass das Haus brennt.\n"


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "news.txt"
    path.write_text(TEXT)
    return path


def asked(sentences):
    return [word for one in sentences for word in one.words if "PredictedArc=" in word.misc]


@pytest.mark.parametrize("by", ["entropy", "error", "diversity"])
def test_whole_sentences(run, model, tmp_path, by):
    source = write_part("dev", tmp_path / "pool.conllu", 12)
    out = tmp_path / "out.conllu"
    result = run("select", model, source, source, out, "--by", by, "--words", 40)
    assert result.exit_code == 0, result.output
    found = list(read_conllu(out))
    words = [word for one in found for word in one.words]
    assert 0 < len(words) <= 40 and asked(found) == words
    assert all(word.head == word.deprel == word.upos == "_" for word in words)
    pool = {tuple(word.form for word in one.words) for one in read_conllu(source)}
    assert {tuple(word.form for word in one.words) for one in found} <= pool
    assert f"{len(words)} words to annotate in {len(found)} sentences, of 12" in result.output
    assert "12 were there more than once" in result.output
    assert all(one.metadata["selected"].startswith(by) for one in found)


def test_comments_fit_the_new_order(run, model, text, tmp_path):
    """Identifiers are unique, and no sentence begins the document of others."""
    (tmp_path / "more").mkdir()
    again = tmp_path / "more" / "news.txt"
    again.write_text("Anna schläft.\n\nEin Kind weint.\n")
    gold = tmp_path / "gold.conllu"
    row = "1\tJa\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    gold.write_text(f"# newdoc id = d\n# newpar\n# sent_id = g1\n# text = Ja\n{row}")
    out = tmp_path / "out.conllu"
    result = run("select", model, text, again, gold, out, "--words", 99)
    assert result.exit_code == 0, result.output
    found = list(read_conllu(out))
    names = [one.sent_id for one in found]
    assert len(set(names)) == len(names) and "g1" in names
    assert {name.rpartition("s")[0] for name in names} == {
        "", "news-p1", "news-p2", "news~2-p1", "news~2-p2",
    }  # fmt: skip
    assert "newdoc" not in out.read_text() and "newpar" not in out.read_text()


def test_single_arcs_of_a_text(run, model, text, tmp_path):
    out = tmp_path / "out.conllu"
    result = run("select", model, text, out, "--unit", "arc", "--words", 3)
    assert result.exit_code == 0, result.output
    found = list(read_conllu(out))
    words = [word for one in found for word in one.words]
    assert len(asked(found)) == 3
    for word in words:
        assert (word.head == "_") == (word.deprel == "_") == (word in asked(found))
    probabilities = [float(w.misc.rpartition("Probability=")[2]) for w in asked(found)]
    assert all(0.0 < probability < 1.0 for probability in probabilities)


@pytest.mark.parametrize(
    "options, message",
    [
        (("--unit", "arc", "--by", "diversity"), "Give --by entropy or --by error"),
        (("--words", 1), "Give a larger number of --words"),
    ],
)
def test_mistakes_are_told(run, model, tmp_path, options, message):
    source = write_part("dev", tmp_path / "pool.conllu", 12)
    result = run("select", model, source, tmp_path / "out.conllu", *options)
    assert result.exit_code == 1 and message in result.output
    assert not (tmp_path / "out.conllu").exists()


def test_files_are_checked(run, model, text, tmp_path):
    result = run("select", model, text, tmp_path / "out.txt")
    assert result.exit_code == 1 and "ends in .conllu" in result.output
    result = run("select", model, tmp_path / "a.pdf", tmp_path / "out.conllu")
    assert result.exit_code == 1 and "a.pdf" in result.output
    empty = tmp_path / "empty.conllu"
    empty.write_text("")
    result = run("select", model, empty, tmp_path / "out.conllu")
    assert result.exit_code == 1 and "no sentence to select from" in result.output
