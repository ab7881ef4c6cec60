"""Several processes; run apart, with a time limit, since the failure to look for is a hang."""

import subprocess
import sys

import pytest

CODE = """
import sys
import multiprocessing
import spacy
import torch

if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[2])
    torch.set_num_threads(2)
    nlp = spacy.load(sys.argv[1])
    texts = ["Wir haben das Haus gesehen .", "", "Das ist gut ."] * 40
    torch.randn(2000, 500) @ torch.randn(500, 2000)  # starts torch's threads
    alone = [[t.head.i for t in doc] for doc in nlp.pipe(texts)]
    together = [[t.head.i for t in doc] for doc in nlp.pipe(texts, n_process=2, batch_size=20)]
    assert alone == together
    print("same trees")
"""


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_two_processes_after_torch_ran_with_two_threads(trained, tmp_path, method):
    trained.to_disk(tmp_path / "pipeline")
    script = tmp_path / "script.py"
    script.write_text(CODE, encoding="utf8")
    result = subprocess.run(
        [sys.executable, "-W", "ignore", str(script), str(tmp_path / "pipeline"), method],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert result.stdout == "same trees\n", result.stderr
