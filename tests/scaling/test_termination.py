"""Termination by signals, which leaves no temporary files and no subprocesses."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from spacy_npparse.laboratory.commands import run_module
from spacy_npparse.scaling import cleaning_up_on_termination

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
HERE = Path(__file__).parent


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_blocks_are_left_and_the_process_ends_by_the_signal(tmp_path, number):
    def generator():
        try:
            yield
        finally:
            (tmp_path / "generator").touch()

    def work():
        try:
            begun = generator()
            next(begun)
            os.kill(os.getpid(), number)
            time.sleep(10)
        finally:
            (tmp_path / "finally").touch()

    child = os.fork()
    if child == 0:
        try:
            # Background jobs of a shell ignore SIGINT, and nohup ignores SIGHUP.
            signal.signal(number, signal.SIG_DFL)
            with cleaning_up_on_termination():
                work()
        finally:
            os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == number
    assert {path.name for path in tmp_path.iterdir()} == {"generator", "finally"}


def test_who_catches_the_exception_does_not_keep_the_process(tmp_path):
    child = os.fork()
    if child == 0:
        try:
            # Ray has a handler of its own.
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            with cleaning_up_on_termination():
                try:
                    os.kill(os.getpid(), signal.SIGTERM)
                    time.sleep(10)
                except KeyboardInterrupt:
                    (tmp_path / "caught").touch()
        finally:
            os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert os.WTERMSIG(status) == signal.SIGTERM and (tmp_path / "caught").exists()


def test_forked_processes_end_at_once(tmp_path):
    with cleaning_up_on_termination():
        child = os.fork()
        if child == 0:
            try:
                os.kill(os.getpid(), signal.SIGTERM)
            finally:
                (tmp_path / "finally").touch()
                os._exit(0)
        status = os.waitpid(child, 0)[1]
    assert os.WTERMSIG(status) == signal.SIGTERM and not list(tmp_path.iterdir())


def test_handlers_are_restored_and_those_of_others_are_kept():
    def other(number, frame):
        pass

    known = signal.signal(signal.SIGTERM, other), signal.signal(signal.SIGHUP, signal.SIG_IGN)
    # A shell ignores SIGINT in background jobs.
    ignored = signal.signal(signal.SIGINT, signal.default_int_handler)
    interrupt = signal.getsignal(signal.SIGINT)
    try:
        with cleaning_up_on_termination():
            assert signal.getsignal(signal.SIGTERM) is other
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGINT) is not interrupt
        assert signal.getsignal(signal.SIGINT) is interrupt
    finally:
        signal.signal(signal.SIGTERM, known[0])
        signal.signal(signal.SIGHUP, known[1])
        signal.signal(signal.SIGINT, ignored)


def test_errors_pass_and_threads_may_use_it():
    caught = []

    def block():
        try:
            with cleaning_up_on_termination():
                raise KeyError
        except KeyError as error:
            caught.append(error)

    block()
    thread = threading.Thread(target=block)
    thread.start()
    thread.join()
    assert len(caught) == 2


WAIT = """
import sys, tempfile, time
from pathlib import Path

with tempfile.TemporaryDirectory(dir=sys.argv[1]) as folder:
    Path(folder, "begun").touch()
    time.sleep(100)
"""


class Waiting:
    """A contestant whose training program takes long."""

    model_name = "waiting"
    is_peer = False
    uses_seeds = True

    def __init__(self, name):
        self.name = self.model_name = name

    def train(self, task, seed, folder):
        (folder / "waiting.py").write_text(WAIT)
        sys.path.insert(0, str(folder))
        os.environ["PYTHONPATH"] = str(folder)
        run_module(["waiting", folder.parents[2] / "temporary"], folder / "training.log")


DRIVER = """
import sys
from functools import partial
from pathlib import Path
from test_termination import Waiting
from spacy_npparse.laboratory import Experiment, Task, complete_runs
from spacy_npparse.scaling import Workers, cleaning_up_on_termination

if __name__ == "__main__":
    gold, folder = map(Path, sys.argv[1:])
    experiment = Experiment(Task(gold, gold, gold, 1), gold, folder)
    runs = experiment.missing([Waiting(name) for name in "abc"], [0])
    with cleaning_up_on_termination():
        list(complete_runs(runs, partial(Workers, 2)))
"""


def test_terminated_experiments_end_their_trainings(tmp_path):
    gold, driver, folder = (tmp_path / name for name in ("gold.conllu", "driver.py", "board"))
    gold.write_text("1\tGo\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    driver.write_text(DRIVER)
    (folder / "temporary").mkdir(parents=True)
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    with subprocess.Popen([sys.executable, driver, gold, folder], env=environment) as program:
        while len(list(folder.glob("temporary/*/begun"))) < 2 and program.poll() is None:
            time.sleep(0.1)
        program.terminate()
    assert program.returncode == -signal.SIGTERM
    # The programs and their temporary files are gone, and no further run has begun.
    assert not list(folder.glob("temporary/*")) and not list(folder.glob("models/*"))
