"""Several processes; run apart, with a time limit, since the failure to look for is a hang."""

import subprocess
import sys

import pytest
import spacy

TEXTS = ["Wir haben das Haus gesehen .", "", "Das ist gut ."] * 20
CODE = """
import sys
import multiprocessing
import spacy
import torch

if __name__ == "__main__":
    torch.set_num_threads(2)
    nlp = spacy.load(sys.argv[1])
    texts = sys.argv[2:]
    torch.randn(2000, 500) @ torch.randn(500, 2000)  # starts torch's threads
    trees = [[[t.head.i for t in doc] for doc in nlp.pipe(texts)]]
    for method in ("fork", "spawn"):
        multiprocessing.set_start_method(method, force=True)
        docs = nlp.pipe(texts, n_process=2, batch_size=20)
        trees.append([[t.head.i for t in doc] for doc in docs])
    print(trees)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_fresh_process_and_its_children_find_the_same_trees(trained, tmp_path):
    """Children are forked and spawned after torch ran with two threads."""
    trained.to_disk(tmp_path / "pipeline")
    script = tmp_path / "script.py"
    script.write_text(CODE, encoding="utf8")
    result = subprocess.run(
        [sys.executable, "-W", "ignore", str(script), str(tmp_path / "pipeline"), *TEXTS],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    expected = [[t.head.i for t in doc] for doc in spacy.load(tmp_path / "pipeline").pipe(TEXTS)]
    assert result.stdout == f"{[expected] * 3}\n", result.stderr
