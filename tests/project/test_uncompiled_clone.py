"""A clone that is not compiled, where the last line of the error says what to do."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """Copy the package without extension modules, as in a clone of the repository."""
    folder = tmp_path_factory.mktemp("clone").resolve()
    ignored = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    shutil.copytree(ROOT / "spacy_npparse", folder / "spacy_npparse", ignore=ignored)
    return folder


@pytest.mark.parametrize(
    "command",
    [
        ["-c", "import spacy_npparse.treebank"],
        ["-m", "spacy_npparse", "--help"],
        # spaCy finds the package by its entry points.
        ["-m", "spacy", "train", "config.cfg"],
    ],
)
def test_the_last_line_says_what_to_do(clone, command):
    # This simulates commands in the clone while the package is installed elsewhere.
    paths = filter(None, [str(clone), os.environ.get("PYTHONPATH")])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    result = subprocess.run(
        [sys.executable, *command], cwd=clone, env=environment, capture_output=True, text=True
    )
    assert result.returncode != 0
    last = result.stderr.rstrip().splitlines()[-1]
    assert last.startswith(f"ImportError: The Cython modules of spacy_npparse in {clone} are not")
    assert "run `pip install -e .` there, or" in last


def test_other_missing_modules_are_named(clone):
    """Only the error for missing extension modules says that the package is not compiled."""
    code = "import sys; sys.modules['catalogue'] = None; import spacy_npparse"
    result = subprocess.run([sys.executable, "-c", code], cwd=clone, capture_output=True, text=True)
    assert "catalogue" in result.stderr.splitlines()[-1]
