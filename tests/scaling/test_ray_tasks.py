"""Tasks with Ray, independent of parsing."""

import os
import signal
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


def test_no_ray(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'spacy-npparse\[ray\]'"):
        RayTasks(None, int)
