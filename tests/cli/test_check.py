"""Tests of the command `check`."""

import in_process
import pytest
from parser_helpers import SAMPLE
from tiny import UNCUT, tiny_config, write_part

from spacy_npparse.treebank import read_conllu


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    path = tmp_path_factory.mktemp("config") / "tiny.cfg"
    tiny_config().to_disk(path)
    return path


def test_three_files(run, config, tmp_path, monkeypatch):
    monkeypatch.setattr("spacy_npparse.laboratory.pipeline.run_module", in_process.run_module)
    treebank = write_part("dev", tmp_path / "small.conllu", 9)
    out = tmp_path / "out"
    options = ("--config", config, "--updates", 1, "--folds", 3, "--parser", "mst_parser")
    result = run("check", treebank, out, *options, "--arcs", 5)
    assert result.exit_code == 0, result.output
    lines = (out / "contradictions.tsv").read_text().splitlines()
    assert len(lines) == 6
    columns = lines[0].split("\t")
    places = set()
    sentences = list(read_conllu(treebank))
    for line in lines[1:]:
        found = dict(zip(columns, line.split("\t"), strict=True))
        sentence = sentences[int(found["sentence"]) - 1]
        word = sentence.words[int(found["word"]) - 1]
        assert (word.form, word.head) == (found["form"], found["head"])
        assert (found["predicted head"], found["predicted deprel"]) != (word.head, word.deprel)
        places.add((sentence.sent_id, found["word"]))
    noted = list(read_conllu(out / "contradictions.conllu"))
    marked = {(s.sent_id, w.id) for s in noted for w in s.words if "PredictedArc=" in w.misc}
    assert marked == places
    for one, other in zip(noted, sentences, strict=True):
        assert [row[:9] for row in one.rows] == [row[:9] for row in other.rows]
    page = (out / "contradictions.html").read_text()
    assert "Contradicted arcs of small.conllu" in page and "5 arcs in" in page
    assert page.count('class="npparse npparse-tree"') == len({place[0] for place in places})
    for sent_id, _ in places:
        assert f'<figure id="{sent_id}">' in page and f'href="#{sent_id}"' in page


def test_uncut_tokens_are_left_out(run, config, tmp_path, monkeypatch):
    """A Doc has no token for each word of a sentence with such a token."""
    monkeypatch.setattr("spacy_npparse.laboratory.pipeline.run_module", in_process.run_module)
    treebank, out = write_part("dev", tmp_path / "small.conllu", 9), tmp_path / "out"
    with treebank.open("a") as file:
        file.write(2 * UNCUT)
    result = run("check", treebank, out, "--config", config, "--updates", 1, "--folds", 3)
    assert result.exit_code == 0, result.output
    assert "2 sentences are left out" in result.output and "'à' in sentence pt-1" in result.output
    assert (out / "contradictions.conllu").read_text().endswith(UNCUT)
    assert "pt-1" not in (out / "contradictions.tsv").read_text()


def test_treebanks_without_trees_are_named(run, tmp_path):
    treebank = tmp_path / "small.conllu"
    treebank.write_text(10 * ("1\tGo" + 8 * "\t_" + "\n\n"))
    result = run("check", treebank, tmp_path / "out")
    assert result.exit_code == 1 and "small.conllu: no word with a head" in result.output


def test_folds_without_trees_are_refused_before_the_training(run, tmp_path):
    treebank = tmp_path / "sparse.conllu"
    tree, bare = "1\tGo\t_\t_\t_\t_\t0\troot\t_\t_\n\n", "1\tGo" + 8 * "\t_" + "\n\n"
    treebank.write_text(4 * (tree + tree + bare))
    result = run("check", treebank, tmp_path / "out", "--folds", 3)
    assert result.exit_code == 1 and "the sentences of a fold have no heads" in result.output


@pytest.mark.parametrize(
    "options, message",
    [
        (("--folds", 12), "9 sentences are too few for 12 folds"),
        (("--parser", "nonsense"), "there is no parser 'nonsense'"),
        (("--parser", "udpipe"), "check needs a parser of this package"),
        (("--parser", "arc_hybrid,pseudo_projective=head"), "no pseudo-projective one"),
        (("--config", "no.cfg"), "no.cfg: no such file"),
        (("--config", "."), ".: is a folder"),
        (("--config", SAMPLE), ": not a config. Config validation error"),
    ],
)
def test_mistakes_are_told(run, tmp_path, options, message):
    treebank = write_part("dev", tmp_path / "small.conllu", 9)
    result = run("check", treebank, tmp_path / "out", *options)
    assert result.exit_code == 1 and message in result.output
    assert not (tmp_path / "out").exists()


def test_seeds_are_not_negative(run, tmp_path):
    result = run("check", SAMPLE, tmp_path / "out", "--seed", -1)
    assert result.exit_code == 2 and "seed" in result.output and not (tmp_path / "out").exists()
