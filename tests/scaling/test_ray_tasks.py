"""Tasks of Ray: independent of parsing, and the annotation of a corpus."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import small_corpora
from small_corpora import annotate_missing, content, corpus_of, small_pipeline, write_corpus

from spacy_npparse.extras import MissingExtraError
from spacy_npparse.scaling import ClusterError, LostProcessError, RayTasks
from spacy_npparse.scaling.execution import annotate_shards
from spacy_npparse.scaling.worker import begin_worker

ray = pytest.importorskip("ray")

HELPERS = Path(small_corpora.__file__)


@pytest.fixture(scope="module")
def cluster():
    """Start Ray on this machine, with processes that can import the helpers of tests, and return
    its address."""
    path = {"PYTHONPATH": os.pathsep.join([str(HELPERS.parent), *sys.path])}
    ray.init("local", num_cpus=2, runtime_env={"env_vars": path}, include_dashboard=False)
    yield ray.get_runtime_context().gcs_address
    ray.shutdown()


# This test comes first, because `RayTasks` would use the cluster of the other tests.
def test_no_cluster(monkeypatch):
    with pytest.raises(ClusterError, match="no Ray cluster at 127.0.0.1:1"):
        RayTasks("127.0.0.1:1", int)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'spacy-npparse\[ray\]'"):
        RayTasks(None, int)


def begin(path):
    return lambda: path.touch()


def results(tasks):
    found = {}
    while tasks.running:
        found.update(tasks.ended())
    return found


@pytest.mark.parametrize("most", [1, 3, None])
def test_every_task_has_its_result(cluster, tmp_path, most):
    with RayTasks(None, begin(tmp_path / "begun"), most=most) as tasks:
        assert tasks.running == 0
        for number in range(5):
            assert tasks.idle == (1 if most is None else most - number)
            tasks.start(number, lambda *ends: sum(range(*ends)), number, 10)
        assert tasks.running == 5
        assert results(tasks) == {number: sum(range(number, 10)) for number in range(5)}
    assert (tmp_path / "begun").exists()
    # `RayTasks` has not closed the connection, because it existed before.
    assert ray.is_initialized()


def test_what_dies_every_time_is_given_up(cluster, tmp_path):
    def die():
        with (tmp_path / "died").open("a") as file:
            file.write("x")
        os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))

    with RayTasks(None, int) as tasks:
        tasks.start("dying", die)
        tasks.start("living", lambda: "alive")
        found = results(tasks)
    assert found["living"] == "alive"
    assert isinstance(found["dying"], LostProcessError)
    assert (tmp_path / "died").read_text() == "xxxx"


def test_processes_that_cannot_begin_are_lost_and_errors_of_tasks_are_raised(cluster):
    with RayTasks(None, lambda: 1 / 0) as tasks:
        tasks.start("task", int)
        [(_, lost)] = tasks.ended()
        assert isinstance(lost, LostProcessError) and "ZeroDivisionError" in str(lost)
    with RayTasks(None, int) as tasks:
        tasks.start("task", lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            list(tasks.ended())


def test_a_corpus_is_annotated(cluster, tmp_path):
    pipeline = small_pipeline(tmp_path / "model")
    source = write_corpus(tmp_path / "corpus")
    serial = corpus_of(pipeline, [source], tmp_path / "serial")
    annotate_missing(serial)
    corpus = with_code(corpus_of(pipeline, [source], tmp_path / "out"))
    with RayTasks(None, begin_worker, corpus.job, most=2) as tasks:
        found = list(annotate_shards(tasks, corpus, corpus.shards))
    assert len(found) == len(corpus.shards) and all(record for _, record in found)
    assert content(tmp_path / "out") == content(tmp_path / "serial")


def with_code(corpus):
    """Return the corpus with `--code`, so that workers import the component of these tests."""
    pipeline = replace(corpus.job.pipeline, code=HELPERS)
    return replace(corpus, job=replace(corpus.job, pipeline=pipeline))


def test_tasks_end_when_the_block_is_left(cluster, tmp_path):
    def endless():
        (tmp_path / "new").write_text(str(os.getpid()))
        (tmp_path / "new").rename(tmp_path / "pid")
        time.sleep(1000)

    with RayTasks(None, int) as tasks:
        tasks.start("endless", endless)
        while not (tmp_path / "pid").exists():
            time.sleep(0.1)
    pid = int((tmp_path / "pid").read_text())
    end = time.monotonic() + 600
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.parametrize("cpus, told", [(2, ""), (3, "No machine of the Ray cluster has 3 CPUs")])
def test_a_cluster_without_enough_cores_is_told(cluster, caplog, cpus, told):
    with RayTasks(None, int, cpus=cpus):
        assert told in caplog.text and bool(told) == bool(caplog.records)


ENDLESS = """
import sys, time
from pathlib import Path
from spacy_npparse.scaling import RayTasks, cleaning_up_on_termination

begun = Path(sys.argv[1])
with cleaning_up_on_termination(), RayTasks(sys.argv[2], int) as tasks:
    tasks.start("endless", lambda: begun.touch() or time.sleep(1000))
    list(tasks.ended())
"""


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda one: one.name)
def test_signals_end_the_wait_for_a_task(cluster, tmp_path, number):
    script, begun = tmp_path / "endless.py", tmp_path / "begun"
    script.write_text(ENDLESS)
    # A shell ignores SIGINT in background jobs.
    known = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with subprocess.Popen([sys.executable, script, begun, cluster]) as program:
            while not begun.exists() and program.poll() is None:
                time.sleep(0.1)
            program.send_signal(number)
            try:
                assert program.wait(120) == -number
            finally:
                program.kill()
    finally:
        signal.signal(signal.SIGINT, known)
