"""Annotation in several processes that ends early, in a subprocess because a failure is a hang."""

import os
import signal
import subprocess
import sys

import pytest

# Texts are longer than the buffer of a pipe, so that processes wait for a reader.
SCRIPT = """
import os, signal, sys
import spacy
from spacy_npparse.scaling import cleaning_up_on_termination
from spacy_npparse.treebank import Paragraph, annotate

@spacy.Language.component("fails_on_a_text")
def fail_on_a_text(doc):
    if doc[0].text == "failing":
        raise KeyError("the pipeline fails")
    return doc

def inputs(how):
    for number in range(200):
        if number == 50 and how == "source":
            raise KeyError("the source fails")
        first = "failing" if number == 50 and how == "pipeline" else "good"
        yield Paragraph(first + " word" * 4000)

if __name__ == "__main__":
    how = sys.argv[1]
    nlp = spacy.blank("xx")
    nlp.add_pipe("fails_on_a_text")
    with cleaning_up_on_termination():
        for doc in annotate(nlp, inputs(how), batch_size=4, n_process=2):
            if how == "consumer":
                raise KeyError("the consumer fails")
            if how == "signal":
                os.kill(os.getpid(), signal.SIGTERM)
    print("all")
"""


@pytest.mark.parametrize("how", ["source", "pipeline", "consumer", "signal", "none"])
def test_runs_that_end_early_do_not_wait_for_their_processes(tmp_path, how):
    if how == "signal" and os.name == "nt":
        pytest.skip("POSIX signals")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    command = [sys.executable, script, how]
    done = subprocess.run(command, timeout=90, capture_output=True, encoding="utf8")
    if how == "none":
        assert (done.returncode, done.stdout, done.stderr) == (0, "all\n", "")
    elif how == "signal":
        assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGTERM, "", "")
    else:
        assert done.returncode == 1 and f"the {how} fails" in done.stderr
        assert "Exception ignored" not in done.stderr and "W127" not in done.stderr
