"""Tests of `python -m spacy npparse`, and of the modules that the package imports."""

import subprocess
import sys


def test_commands_in_the_program_of_spacy():
    command = [sys.executable, "-m", "spacy", "npparse", "parse", "--help"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "python -m spacy_npparse parse training/model-best" in result.stdout


def test_importing_the_package_imports_no_framework():
    code = "import spacy_npparse, sys; print(sys.modules.keys() & {'spacy', 'torch', 'thinc'})"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout == "set()\n", result.stderr
