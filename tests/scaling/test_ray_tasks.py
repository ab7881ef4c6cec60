"""Tasks with Ray, independent of parsing."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spacy_npparse.extras import MissingExtraError
from spacy_npparse.scaling import ClusterError, LostProcessError, RayTasks

ray = pytest.importorskip("ray")


@pytest.fixture(scope="module")
def cluster():
    ray.init("local", num_cpus=2, include_dashboard=False)
    yield
    ray.shutdown()


# This test comes first, because `RayTasks` would use the cluster of the other tests.
def test_no_cluster():
    with pytest.raises(ClusterError, match="no Ray cluster at 127.0.0.1:1"):
        RayTasks("127.0.0.1:1", int)


def begin(path):
    return lambda: path.touch()


def results(tasks):
    found = {}
    while tasks.running:
        found.update(tasks.ended())
    return found


def test_every_task_has_its_result(cluster, tmp_path):
    with RayTasks(None, begin(tmp_path / "begun")) as tasks:
        assert tasks.running == 0
        for number in range(5):
            assert tasks.idle
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
        tasks.start("dividing", lambda: 1 / 0)
        tasks.start("living", lambda: "alive")
        found = results(tasks)
    assert found["living"] == "alive"
    assert isinstance(found["dying"], LostProcessError)
    assert isinstance(found["dividing"], LostProcessError)
    assert "ZeroDivisionError" in str(found["dividing"])
    assert (tmp_path / "died").read_text() == "xxxx"


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
with cleaning_up_on_termination(), RayTasks("local", int) as tasks:
    tasks.start("endless", lambda: begun.touch() or time.sleep(1000))
    list(tasks.ended())
"""


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda one: one.name)
def test_signals_end_the_wait_for_a_task(tmp_path, number):
    (tmp_path / "endless.py").write_text(ENDLESS)
    begun = tmp_path / "begun"
    # A shell ignores SIGINT in background jobs.
    known = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with subprocess.Popen([sys.executable, tmp_path / "endless.py", begun]) as program:
            while not begun.exists() and program.poll() is None:
                time.sleep(0.1)
            program.send_signal(number)
            try:
                assert program.wait(120) == -number
            finally:
                program.kill()
    finally:
        signal.signal(signal.SIGINT, known)


def test_no_ray(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'spacy-npparse\[ray\]'"):
        RayTasks(None, int)
