"""Tests of the sample treebank: reproducible, valid, disjoint splits, a third non-projective."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import conllu
import pytest

from spacy_npparse.trees import nonprojective_arcs

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "sample_treebank"
SPLITS = ("train", "dev", "test")


def read(split: str) -> list[conllu.TokenList]:
    return list(conllu.parse((FOLDER / f"sample-ud-{split}.conllu").read_text(encoding="utf-8")))


def heads(sentence: conllu.TokenList) -> list[int]:
    return [0] + [token["head"] for token in sentence if isinstance(token["id"], int)]


def test_generator_writes_the_committed_files(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-B", "-S", str(FOLDER / "generate.py"), str(tmp_path)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    for split in SPLITS:
        name = f"sample-ud-{split}.conllu"
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(
        f"sample-ud-{split}.conllu" for split in SPLITS
    )
    assert run.stdout.strip() in (FOLDER / "README.md").read_text(encoding="utf-8")


def test_no_sentence_is_shared() -> None:
    texts = [sentence.metadata["text"] for split in SPLITS for sentence in read(split)]
    text = " ".join((FOLDER / "text.txt").read_text(encoding="utf-8").split())
    texts += re.split(r"(?<=[.?]) ", text)
    assert len(texts) == len(set(texts))


@pytest.mark.parametrize("split", SPLITS)
def test_trees_have_one_root_and_a_third_is_nonprojective(split: str) -> None:
    trees = [heads(sentence) for sentence in read(split)]
    assert all(tree[1:].count(0) == 1 for tree in trees)
    crossing = sum(any(nonprojective_arcs(tree)) for tree in trees)
    assert 0.28 <= crossing / len(trees) <= 0.40


def test_every_construction_is_in_train() -> None:
    names = {sentence.metadata["construction"] for split in SPLITS for sentence in read(split)}
    assert names == {sentence.metadata["construction"] for sentence in read("train")}
    assert len(names) == 29


def test_demonstration_sentences_use_words_of_train() -> None:
    known = {token["form"].lower() for sentence in read("train") for token in sentence}
    text = (FOLDER / "text.txt").read_text(encoding="utf-8")
    words = text.replace(",", " ,").replace(".", " .").replace("?", " ?").split()
    assert not [word for word in words if word.lower() not in known]


@pytest.mark.parametrize("split", SPLITS)
def test_official_validator_accepts(split: str) -> None:
    beside = Path(sys.executable).parent / "udvalidate"
    program = str(beside) if beside.exists() else shutil.which("udvalidate")
    if program is None:
        pytest.skip("udvalidate is not installed (pip install udtools)")
    run = subprocess.run(
        [program, "--level", "4", "--lang", "de", str(FOLDER / f"sample-ud-{split}.conllu")],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr
