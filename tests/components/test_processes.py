"""Tests of several processes, in a subprocess with a time limit because a failure is a hang."""

import pickle
import subprocess
import sys

import pytest
import spacy
from spacy.pipeline.tok2vec import DEFAULT_TOK2VEC_MODEL
from spacy.training import Example

from spacy_npparse.components.prediction import keep_confidence

TEXTS = ["Wir haben das Haus gesehen .", "", "Das ist gut ."] * 20
CODE = """
import sys
import multiprocessing
import pickle
import spacy
import torch

if __name__ == "__main__":
    torch.set_num_threads(2)
    path, *texts = sys.argv[1:]
    if path.endswith(".pickle"):
        with open(path, "rb") as file:
            nlp = pickle.load(file)
    else:
        nlp = spacy.load(path)
    torch.randn(2000, 500) @ torch.randn(500, 2000)  # starts torch's threads
    found = [[[(t.head.i, t.tag_) for t in doc] for doc in nlp.pipe(texts)]]
    for method in ("fork", "spawn"):
        multiprocessing.set_start_method(method, force=True)
        docs = nlp.pipe(texts, n_process=2, batch_size=20)
        found.append([[(t.head.i, t.tag_) for t in doc] for doc in docs])
    print(found)
"""
TAGGER = {"@architectures": "spacy_npparse.Tagger.v1", "tok2vec": DEFAULT_TOK2VEC_MODEL}


@pytest.fixture(scope="module")
def tagger():
    """Return a pipeline that runs torch only for the matrix product of its tagger."""
    nlp = spacy.blank("xx")
    nlp.add_pipe("tagger", config={"model": TAGGER})
    words, tags = TEXTS[0].split(), ["P", "V", "D", "N", "V", "."]
    example = Example.from_dict(nlp.make_doc(TEXTS[0]), {"words": words, "tags": tags})
    nlp.initialize(lambda: [example])
    return nlp


def test_confidence_of_a_pickled_pipeline(trained, tmp_path):
    """A fresh process knows the attributes of tokens."""
    nlp = pickle.loads(pickle.dumps(trained))
    keep_confidence(nlp)
    path = tmp_path / "pipeline.pickle"
    path.write_bytes(pickle.dumps(nlp))
    code = "import pickle, sys; nlp = pickle.load(open(sys.argv[1], 'rb')); doc = nlp(sys.argv[2])"
    code += "; print(min(token._.head_probability for token in doc))"
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, str(path), TEXTS[0]],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert 0 < float(result.stdout) <= 1, result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
@pytest.mark.parametrize(
    ("pipeline", "name"), [("trained", "pipeline"), ("tagger", "pipeline.pickle")]
)
def test_a_fresh_process_and_its_children_find_the_same(request, tmp_path, pipeline, name):
    """Children are forked and spawned after torch ran with two threads."""
    nlp = request.getfixturevalue(pipeline)
    nlp.to_disk(tmp_path / "pipeline")
    (tmp_path / "pipeline.pickle").write_bytes(pickle.dumps(nlp))
    script = tmp_path / "script.py"
    script.write_text(CODE, encoding="utf8")
    result = subprocess.run(
        [sys.executable, "-W", "ignore", str(script), str(tmp_path / name), *TEXTS],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    docs = spacy.load(tmp_path / "pipeline").pipe(TEXTS)
    expected = [[(t.head.i, t.tag_) for t in doc] for doc in docs]
    assert result.stdout == f"{[expected] * 3}\n", result.stderr
