"""Tests of the command `statistics`."""

import hashlib
import json

from spacy_npparse.treebank import read_conllu


def test_table_and_json(run, dev, tmp_path):
    result = run("statistics", dev, dev, "--json", tmp_path / "counts.json")
    assert result.exit_code == 0, result.output
    found = json.loads((tmp_path / "counts.json").read_text())
    sentences = list(read_conllu(dev))
    assert found["sentences"] == 2 * len(sentences)
    assert found["words"] == 2 * sum(len(sentence.words) for sentence in sentences)
    cells = [[cell.strip() for cell in line.split("|")] for line in result.output.splitlines()]
    assert ["sentences", f"{2 * len(sentences)}"] in [row[:2] for row in cells]
    assert "arc_hybrid_swap static" in result.output and "reorderings per sentence" in result.output
    assert found["provenance"]["command"].startswith("python -m spacy_npparse statistics ")
    assert list(found["provenance"]["checksums"]) == [str(dev)]


def test_page_of_statistics(run, dev, tmp_path):
    page = tmp_path / "page.html"
    result = run("statistics", dev, "--html", page)
    assert result.exit_code == 0, result.output
    content = page.read_text()
    assert f"<h1>Statistics of {dev.name}</h1>" in content
    assert hashlib.sha256(dev.read_bytes()).hexdigest() in content


def test_nothing_to_count_is_told(run, tmp_path):
    path = tmp_path / "partial.conllu"
    path.write_text("1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    result = run("statistics", path)
    assert result.exit_code == 1
    assert "no sentence with all its heads" in result.output and "partial.conllu" in result.output


def test_malformed_file_is_named(run, tmp_path):
    path = tmp_path / "broken.conllu"
    path.write_text("1\ta\n\n")
    result = run("statistics", path)
    assert result.exit_code == 1 and "broken.conllu" in result.output
