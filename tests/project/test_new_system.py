"""The example package with a transition system of its own, built and used as its README says."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Run a program where the package is installed beside this one."""
    folder, site = (tmp_path_factory.mktemp("new") / name for name in ("system", "site"))
    shutil.copytree(ROOT / "examples" / "new_system", folder)
    paths = filter(None, [str(site), os.environ.get("PYTHONPATH")])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}

    def run(*arguments, cwd=folder):
        result = subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=cwd,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    # Not among the packages that the tests run with.
    options = ("--quiet", "--no-build-isolation", "--no-deps", "--target", site)
    run("-m", "pip", "install", *options, ".")
    # What is imported has to be what is installed.
    shutil.rmtree(folder / "attardi_hybrid")
    return run


def test_its_own_tests(installed):
    assert "6 passed" in installed("-m", "pytest", "-q", "test_attardi_hybrid.py")


def test_the_tests_of_all_systems_find_it(installed):
    files = [f"tests/transitions/test_{name}.py" for name in ("systems", "static_oracles")]
    options = ("-q", "-p", "no:cacheprovider", "-k", "attardi_hybrid")
    assert " passed" in installed("-m", "pytest", *options, *files, cwd=ROOT)


def test_commands_know_it(installed):
    dev = ROOT / "assets" / "sample_treebank" / "sample-ud-dev.conllu"
    assert "attardi_hybrid static" in installed("-m", "spacy_npparse", "statistics", dev)
    derive = ("-m", "spacy_npparse", "derive", dev, "--sentence", 1, "--system", "attardi_hybrid")
    assert "LEFT-ARC" in installed(*derive)
    code = "from spacy_npparse.laboratory import trainable_parsers; print(trainable_parsers())"
    assert "'attardi_hybrid'" in installed("-c", code)
