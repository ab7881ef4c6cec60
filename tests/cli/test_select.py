"""Tests of the command `select`."""

import pytest
from tiny import UNCUT, write_part

from spacy_npparse.treebank import read_conllu
from spacy_npparse.trees.missing import NO_HEAD

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


def test_uncut_tokens_are_left_out(run, model, tmp_path):
    source, out = write_part("dev", tmp_path / "pool.conllu", 3), tmp_path / "out.conllu"
    with source.open("a") as file:
        file.write(UNCUT)
    result = run("select", model, source, out)
    assert result.exit_code == 0, result.output
    assert len(list(read_conllu(out))) == 3 and "1 sentences are left out" in result.output


def test_comments_fit_the_new_order(run, model, text, tmp_path):
    """Sentence IDs are unique, and no comment marks the start of a document or paragraph."""
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
    assert len(asked(found)) == 3 < len(words)
    assert all(word.head == word.deprel == "_" for word in words)
    probabilities = [float(w.misc.rpartition("Probability=")[2]) for w in asked(found)]
    assert all(0.0 < probability < 1.0 for probability in probabilities)


def test_doubtful_arcs_come_back_as_trees(run, model, tmp_path):
    """The parser completes trees after an annotator has corrected the doubtful words, some with a
    label that the parser does not know."""
    source = write_part("dev", tmp_path / "pool.conllu", 12)
    gold = {one.sent_id: one for one in read_conllu(source)}
    partial, annotated, trees = (tmp_path / f"{name}.conllu" for name in ("p", "a", "t"))
    options = ("--unit", "arc", "--min-error", 0.6, "--words", 30)
    result = run("select", model, source, partial, *options)
    assert result.exit_code == 0, result.output
    found = list(read_conllu(partial))
    n_asked = len(asked(found))
    assert 0 < n_asked <= 30 and f"{n_asked} words to annotate in {len(found)}" in result.output
    # The order is random, but the same in each run.
    assert [one.sent_id for one in found] != [name for name in gold if name in partial.read_text()]
    again = tmp_path / "again.conllu"
    run("select", model, source, again, *options)
    assert again.read_bytes() == partial.read_bytes()
    lines, known = [], {}
    for one in found:
        for word in asked([one]):
            assert float(word.misc.rpartition("Probability=")[2]) <= 0.4
            right = gold[one.sent_id].words[int(word.id) - 1]
            label = right.deprel if right.head == "0" else "new"
            known[one.sent_id, word.id] = right.head, label
        rows = [
            row._replace(head=arc[0], deprel=arc[1])
            if (arc := known.get((one.sent_id, row.id)))
            else row
            for row in one.rows
        ]
        lines += [f"# sent_id = {one.sent_id}", *map("\t".join, rows), ""]
    assert any(label == "new" for _, label in known.values())
    annotated.write_text("\n".join([*lines, ""]))
    # Annotated sentences are not selected again.
    more = tmp_path / "more.conllu"
    result = run("select", model, source, more, *options, "--annotated", annotated)
    assert result.exit_code == 0 and f"{len(found)} have been annotated" in result.output
    assert not {one.sent_id for one in read_conllu(more)} & {one.sent_id for one in found}
    result = run("parse", model, annotated, trees, "--complete")
    assert result.exit_code == 0, result.output
    for one in read_conllu(trees):
        assert NO_HEAD not in one.heads[1:]
        for word in one.words:
            if arc := known.get((one.sent_id, word.id)):
                assert (word.head, word.deprel) == arc
            else:
                assert word.deprel not in ("_", "new")


@pytest.mark.parametrize(
    "options, message",
    [
        (("--unit", "arc", "--by", "diversity"), "Give --by entropy or --by error"),
        (("--words", 1), "Give a larger number of --words"),
        (("--min-error", 0.5), "Give --unit arc as well"),
        (("--min-error", 0.0, "--unit", "arc", "--words", 1), "The first sentence drawn has more"),
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
    pool = write_part("dev", tmp_path / "pool.conllu", 12)
    result = run("select", model, pool, tmp_path / "out.conllu", "--annotated", pool)
    assert result.exit_code == 1 and "12 have already been annotated" in result.output
