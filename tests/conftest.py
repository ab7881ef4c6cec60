"""The number of threads in all tests, the programs that tests start, and the options and outcomes
of fuzz tests."""

import os
from pathlib import Path

# Several threads do not speed up small models, and slow them down a lot if the cores are busy. The
# variable is set before the import of torch, and also for the programs that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import fuzzing
import hypothesis
import pytest
from browser_helpers import chromium  # noqa: F401

# The time of an example depends on the load of the machine.
hypothesis.settings.register_profile("without deadlines", deadline=None)
hypothesis.settings.load_profile("without deadlines")

OUTCOMES = pytest.StashKey[fuzzing.Outcomes]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--fuzz-examples",
        type=int,
        metavar="N",
        help="random examples of each test marked `fuzz`, instead of a few; prints their outcomes",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[OUTCOMES] = {}
    # Programs that tests start import helpers/sitecustomize.py.
    paths = [str(Path(__file__).parent / "helpers"), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if config.getoption("--fuzz-examples") is not None:
        terminalreporter.section("outcomes of random examples")
        for line in fuzzing.table(config.stash[OUTCOMES]):
            terminalreporter.write_line(line)


@pytest.fixture
def fuzz(pytestconfig: pytest.Config) -> fuzzing.Fuzzer:
    """Return a `Fuzzer`, which runs a test on random examples."""
    n_examples = pytestconfig.getoption("--fuzz-examples")
    return fuzzing.Fuzzer(n_examples, pytestconfig.stash[OUTCOMES])
