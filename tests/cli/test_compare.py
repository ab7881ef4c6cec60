"""Tests of the command `compare`."""

import hashlib
import json

import pytest

import spacy_npparse

GOLD = (
    "# sent_id = a\n1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t1\tdep\t_\t_\n"
    "3\tc\t_\tX\t_\t_\t1\tdep\t_\t_\n\n1\td\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
)


@pytest.fixture
def files(tmp_path):
    """Write gold trees, and predictions that are perfect, or have one wrong head or label."""
    contents = {
        "gold": GOLD,
        "perfect": GOLD,
        "head": GOLD.replace("c\t_\tX\t_\t_\t1", "c\t_\tX\t_\t_\t2"),
        "label": GOLD.replace("1\tdep\t_\t_\n\n", "1\tobj\t_\t_\n\n"),
    }
    for name, content in contents.items():
        (tmp_path / f"{name}.conllu").write_text(content)
    return lambda name: tmp_path / f"{name}.conllu"


def test_table_json_and_page(run, files, tmp_path):
    arguments = ("compare", files("gold"), files("perfect"), files("head"))
    outputs = ("--json", tmp_path / "out.json", "--html", tmp_path / "out.html")
    result = run(*arguments, *outputs)
    assert result.exit_code == 0, result.output
    lines = {line.split("|")[0].strip(): line for line in result.output.splitlines()}
    assert [cell.strip() for cell in lines["UAS"].split("|")[1:]] == ["100.00", "75.00"]
    assert "perfect" in lines["Score"] and "head" in lines["Score"]
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["parsers"]["head"]["scores"]["UAS"]["mean"] == 0.75
    source = found["provenance"]
    assert source["version"] == spacy_npparse.__version__
    assert source["command"].startswith("python -m spacy_npparse compare ")
    assert source["command"].endswith(f"--html {tmp_path / 'out.html'}")
    digest = hashlib.sha256(GOLD.encode()).hexdigest()
    assert source["checksums"][str(files("gold"))] == digest
    page = (tmp_path / "out.html").read_text()
    assert digest in page and source["command"] in page and '<figure id="a">' in page


def test_files_of_one_name_are_seeds(run, files, tmp_path):
    path = tmp_path / "o.json"
    parsers = (f"x=1={files('head')}", f"other={files('perfect')}", f"x=1={files('label')}")
    result = run("compare", files("gold"), *parsers, "--json", path)
    assert result.exit_code == 0, result.output
    found = json.loads(path.read_text())["parsers"]
    assert found["x=1"]["files"] == [str(files("head")), str(files("label"))]
    assert found["x=1"]["scores"]["UAS"]["seeds"] == [0.75, 1.0]
    assert len(found["other"]["files"]) == 1


def test_names_of_files_without_name(run, files, tmp_path):
    (tmp_path / "again").mkdir()
    again = tmp_path / "again" / "head.conllu"
    again.write_text(GOLD)
    signs = tmp_path / "a=b.conllu"
    signs.write_text(GOLD)
    path = tmp_path / "o.json"
    result = run("compare", files("gold"), files("head"), again, signs, "--json", path)
    assert result.exit_code == 0, result.output
    assert list(json.loads(path.read_text())["parsers"]) == [
        str(files("head")),
        str(again),
        "a=b",
    ]


def test_number_of_sentences(run, files):
    result = run("compare", files("gold"), files("perfect"), files("head"), "--sentences", "0")
    assert result.exit_code == 0 and "a b c" not in result.output
    assert "a b c" in run("compare", files("gold"), files("perfect"), files("head")).output


def test_errors(run, files, tmp_path):
    gold, head = files("gold"), files("head")
    other, short = tmp_path / "other.conllu", tmp_path / "short.conllu"
    other.write_text(GOLD.replace("\td\t", "\te\t"))
    short.write_text(GOLD[: GOLD.index("\n\n") + 2])
    empty = tmp_path / "empty.conllu"
    empty.write_text("")
    for arguments, message in [
        ((gold, head), "only one parser to compare"),
        ((gold, f"x={head}", f"x={files('label')}"), "only one parser to compare"),
        ((gold, head, head), "given twice"),
        ((gold, head, tmp_path / "no.conllu"), "no.conllu: no such file"),
        ((gold, head, "static=no.conllu"), "static=no.conllu: no such file"),
        ((gold, head, other), f"{other}: The gold and the predicted text differ at character 4"),
        ((gold, head, short), f"{short}: The gold and the predicted text differ at character 4"),
        ((empty, head, other), "no sentence to compare"),
    ]:
        result = run("compare", *arguments)
        assert result.exit_code == 1, arguments
        assert message in result.output and "Traceback" not in result.output


def test_help_of_compare_has_examples(run):
    result = run("compare", "--help")
    assert result.exit_code == 0 and "python -m spacy_npparse compare " in result.output
