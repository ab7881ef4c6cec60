"""spaCy's own tests of a parser, with a parser of this package in place of spaCy's."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import spacy

HELPERS = Path(__file__).parents[1] / "helpers"


@pytest.mark.slow
def test_spacys_tests_pass(tmp_path):
    """The plugin lists the tests that fail, with reasons, and checks that exactly these fail."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "spacy_stand_in"]
    command += ["-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", tmp_path]
    command += ["-W", "ignore", "--tb", "short", "--pyargs", "spacy.tests"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HELPERS), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    # Enough tests have made one of our parsers; the other tests concern the rest of spaCy.
    (made,) = re.findall(r"^(\d+) tests with arc_hybrid_swap_parser", done.stdout, re.MULTILINE)
    assert int(made) >= 40, f"spaCy {spacy.__version__}: {done.stdout[-2000:]}"
