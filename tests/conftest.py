"""Small models gain nothing from several threads, and lose much where the cores are busy. Options
and outcomes of the tests on random examples."""

import os

# Before torch is imported, and for the programs that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import fuzzing
import hypothesis
import pytest
from browser_helpers import chromium  # noqa: F401

# How long an example takes depends on what else the machine does.
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


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if config.getoption("--fuzz-examples") is not None:
        terminalreporter.section("outcomes of random examples")
        for line in fuzzing.table(config.stash[OUTCOMES]):
            terminalreporter.write_line(line)


@pytest.fixture
def fuzz(pytestconfig: pytest.Config) -> fuzzing.Fuzzer:
    """Runs a test on random examples."""
    n_examples = pytestconfig.getoption("--fuzz-examples")
    return fuzzing.Fuzzer(n_examples, pytestconfig.stash[OUTCOMES])
