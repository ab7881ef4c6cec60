"""Tests of `python -m spacy npparse`, and of the modules that the package imports."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from spacy_npparse.cli import app


def test_commands_in_the_program_of_spacy():
    command = [sys.executable, "-m", "spacy", "npparse", "parse", "--help"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "python -m spacy_npparse parse training/model-best" in result.stdout


@pytest.mark.parametrize("quote", "'\"")
def test_quotes_that_projects_keep_on_windows(monkeypatch, tmp_path, quote):
    monkeypatch.setattr("platform.system", lambda: "Windows")
    target = tmp_path / "it's.cfg"
    arguments = [f"{quote}{target}{quote}", "--parser", f"{quote}mh4{quote}"]
    result = CliRunner().invoke(app, ["init-config", *arguments])
    assert result.exit_code == 0, result.output
    assert 'factory = "mh4_parser"' in target.read_text(encoding="utf-8")


def test_importing_the_package_imports_no_framework():
    code = "import spacy_npparse, sys; print(sys.modules.keys() & {'spacy', 'torch', 'thinc'})"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout == "set()\n", result.stderr
