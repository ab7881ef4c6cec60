"""Annotation by worker processes, some of which are killed or terminated."""

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
import small_corpora
from small_corpora import (
    DEADLY,
    MORTAL,
    SECONDS,
    annotate_missing,
    content,
    corpus_of,
    small_pipeline,
    write_corpus,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
HELPERS = Path(small_corpora.__file__)


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    return small_pipeline(tmp_path_factory.mktemp("pipeline") / "model")


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="module")
def serial(pipeline, source, tmp_path_factory):
    output = tmp_path_factory.mktemp("serial")
    annotate_missing(corpus_of(pipeline, [source], output))
    return content(output)


def begun(pipeline, source, output, *options, seconds=0, **variables):
    """Start the command `annotate` with small shards and batches."""
    command = f"annotate {pipeline} {source} {output} --words-per-shard 60 --batch-size 4"
    return subprocess.Popen(
        [sys.executable, "-m", "spacy_npparse", *command.split(), "--code", HELPERS, *options],
        env={**os.environ, "PYTHONPATH": str(HELPERS.parent), SECONDS: str(seconds), **variables},
        # A shell ignores SIGINT in background jobs.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
        stderr=subprocess.PIPE,
        text=True,
    )


def workers_of(program):
    """Return the IDs of the processes that a process has spawned."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
            is_worker = b"spawn_main" in (path.parent / "cmdline").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if parent == program.pid and is_worker:
            found.append(int(path.parent.name))
    return found


def wait_for_shards(program, output, number=1):
    while len(list(output.glob("records/*.json"))) < number:
        assert program.poll() is None, program.stderr.read()
        time.sleep(0.02)


@pytest.mark.fuzz
def test_processes_killed_at_random_moments(fuzz, pipeline, source, serial, tmp_path):
    """A worker, the driver or both are killed. The next command annotates the missing shards."""

    def killed_once(random):
        output = tmp_path / f"out{random.random()}"
        program = begun(pipeline, source, output, "--workers", "2", seconds=0.01)
        wait_for_shards(program, output, random.randint(0, 20))
        time.sleep(random.random())
        whom = random.choice(["driver", "worker", "both"])
        processes = workers_of(program)
        if whom != "driver" and processes:
            os.kill(random.choice(processes), signal.SIGKILL)
        if whom != "worker":
            program.kill()
        program.communicate()
        if whom == "worker":
            assert program.returncode == 0
        again = begun(pipeline, source, output, "--workers", "2")
        said = again.communicate()[1]
        assert again.returncode == 0, said
        assert content(output) == serial and not list(output.glob("quarantine/*"))
        assert not list(output.glob("*/.spacy_npparse.*"))
        return f"{whom} killed, equal to what one process writes"

    fuzz("annotate, killed", 1, killed_once)


def test_a_text_that_kills_its_process_is_quarantined(pipeline, tmp_path):
    texts = [f"{DEADLY if number == 7 else 'Text'} {number}." for number in range(20)]
    (tmp_path / "a.txt").write_text("\n\n".join(texts))
    program = begun(pipeline, tmp_path / "a.txt", tmp_path / "out", **{MORTAL: "1"})
    said = program.communicate()[1]
    assert program.returncode == 0 and "1 texts could not be annotated" in said, said
    [path] = (tmp_path / "out" / "quarantine").iterdir()
    lost = json.loads(path.read_text())
    assert lost["place"].endswith("line 15") and lost["text"] == f"{DEADLY} 7.\n\n"
    assert "each process that tried to annotate it was killed" in lost["reason"]
    assert content(tmp_path / "out").count("# newpar") == 19


def test_a_job_array(pipeline, source, serial, tmp_path):
    """Independent processes share the shards. One is killed, and the others take its shards."""
    output = tmp_path / "out"
    programs = [begun(pipeline, source, output, seconds=0.02) for _ in range(2)]
    wait_for_shards(programs[0], output)
    programs[0].kill()
    programs[0].communicate()
    # Schedulers start a killed command again.
    for program in (programs[1], begun(pipeline, source, output)):
        said = program.communicate()[1]
        assert program.returncode == 0, said
    assert content(output) == serial and not list(output.glob("quarantine/*"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda one: one.name)
def test_termination_leaves_finished_shards_only(pipeline, source, tmp_path, number):
    program = begun(pipeline, source, tmp_path / "out", seconds=0.05)
    wait_for_shards(program, tmp_path / "out")
    processes = workers_of(program)
    program.send_signal(number)
    said = program.communicate()[1]
    assert program.returncode == -number and "Traceback" not in said
    assert "To continue, run the command again: python -m spacy_npparse annotate " in said
    assert processes and not any(Path(f"/proc/{process}").exists() for process in processes)
    assert not list((tmp_path / "out").glob("*/.spacy_npparse.*"))
    corpus = corpus_of(pipeline, [source], tmp_path / "other")
    n_finished = len(list((tmp_path / "out" / "records").iterdir()))
    assert 0 < n_finished < len(corpus.shards)
