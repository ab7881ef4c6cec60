"""Fixtures that make the folder that the commands in the documentation assume."""

import gzip
from pathlib import Path

import pytest
from documentation import ROOT
from small_pipeline import TINY, overrides
from spacy.cli import app as spacy_app
from typer.testing import CliRunner

SAMPLE = ROOT / "assets" / "sample_treebank"
IN_A_CLONE = ("assets", "benchmarks", "configs", "docs", "examples", "project.yml")
NAMES = ("got", "hu", "hu_nerkor", "en_lines", "sv_lines", "la_proiel", "la")
TREEBANKS = {
    "train": ("train", *(f"{name}-ud-train" for name in NAMES)),
    "dev": ("dev", *(f"{name}-ud-{part}" for name in NAMES for part in ("dev", "test"))),
}
PREDICTIONS = ("mh4-0", "mh4-1", "mh4-2", "swap-0", "swap-1", "swap-2", "parsed", "team")
PIPELINES = (
    "sample/arc_hybrid_swap_parser",
    "gothic",
    "gothic-1ec",
    "gothic-mst",
    "nonmonotonic",
    "mh4-0",
    "teacher1",
    "teacher2",
)


@pytest.fixture(scope="session")
def treebank(tmp_path_factory):
    """Return a folder with a few sentences of the sample treebank: train.conllu and dev.conllu."""
    folder = tmp_path_factory.mktemp("treebank")
    for part, n_sentences in (("train", 12), ("dev", 8)):
        text = (SAMPLE / f"sample-ud-{part}.conllu").read_text(encoding="utf-8")
        sentences = text.split("\n\n")[:n_sentences]
        (folder / f"{part}.conllu").write_text("\n\n".join([*sentences, ""]), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def pipeline(treebank, tmp_path_factory):
    """Return a pipeline that `spacy train` makes with configs/accuracy.cfg and tiny settings."""
    folder = tmp_path_factory.mktemp("pipeline")
    arguments = ["train", ROOT / "configs" / "accuracy.cfg", "--output", folder]
    paths = {f"paths.{part}": treebank / f"{part}.conllu" for part in ("train", "dev")}
    parser = {"components.parser.factory": "arc_hybrid_swap_parser"}
    arguments += overrides({**paths, **parser, **TINY})
    result = CliRunner().invoke(spacy_app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return folder / "model-best"


@pytest.fixture
def clone(tmp_path, monkeypatch, treebank, pipeline):
    """Make the current folder a clone of the repository with the treebanks, predictions and
    pipelines that the documentation names, all of them small."""
    for name in IN_A_CLONE:
        (tmp_path / name).symlink_to(ROOT / name)
    for part, treebanks in TREEBANKS.items():
        for name in treebanks:
            (tmp_path / f"{name}.conllu").symlink_to(treebank / f"{part}.conllu")
    for name in PREDICTIONS:
        content = (treebank / "dev.conllu").read_bytes()
        (tmp_path / f"{name}.conllu").write_bytes(content)
    for name in PIPELINES:
        link = tmp_path / "training" / name / "model-best"
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(pipeline)
    for name in ("UD_Gothic-PROIEL", "UD_English-LinES", "UD_Swedish-LinES"):
        (tmp_path / name).symlink_to(SAMPLE)
    # The text has more words than are selected at once.
    paragraphs = [f"Was glaubt der Arzt {number}?\n\n" for number in range(300)]
    (tmp_path / "input.txt").write_text("".join(paragraphs), encoding="utf-8")
    texts = [
        '{"text": "Was glaubt der Arzt denn nun?"}\n',
        '{"text": "Er glaubt der Frau nicht."}\n',
    ]
    (tmp_path / "text.jsonl").write_text("".join(texts), encoding="utf-8")
    words = ["1\tWas", "2\tglaubt", "3\tder", "4\tArzt", "5\t?"]
    heads = [("2", "nsubj"), *[("_", "_")] * 4]
    rows = [
        "\t".join([word, *"____", head, dep, "_", "_"])
        for word, (head, dep) in zip(words, heads, strict=True)
    ]
    (tmp_path / "partial.conllu").write_text("\n".join([*rows, "", ""]), encoding="utf-8")
    with gzip.open(tmp_path / "vectors.vec.gz", "wt", encoding="utf-8") as file:
        file.write("2 3\nArzt 0.1 0.2 0.3\nglaubt 0.3 0.2 0.1\n")
    rows = "0 0.1 0.2 0.3\n1 0.3 0.2 0.1\n"
    (tmp_path / "vectors.floret").write_text(f"2 3 2 3 1 2166136261 < >\n{rows}", "utf-8")
    monkeypatch.chdir(tmp_path)
    return Path(tmp_path)
