"""Wheels of pipelines, built without network access and tried in a new environment."""

from __future__ import annotations

import os
import sys
import venv
from pathlib import Path

import spacy_npparse
from spacy_npparse.evaluation import Metric, Scores
from spacy_npparse.laboratory.commands import run_module
from spacy_npparse.workfolder import read_json

_QUIET = ("--disable-pip-version-check", "--no-input")
# The greatest difference of LAS from plain text between two processes on one machine.
_TOLERANCE = 0.001


def build_wheel(pipeline: Path, work: Path) -> Path:
    """Build the wheel of a pipeline with `spacy package` and this environment's setuptools.

    Args:
        pipeline: The folder of the pipeline. Its `meta.json` names the package.
        work: The folder for build files and logs.

    Returns:
        The path of the wheel.

    Raises:
        FailedCommandError: A build step failed.
    """
    source, target = work / "source", work / "wheel"
    source.mkdir()
    command = ["spacy", "package", pipeline, source, "--build", "none"]
    run_module(command, work / "package.log")
    # `spacy package` would build it with the program `build`, which downloads setuptools.
    [package] = source.iterdir()
    command = ["pip", "wheel", "--no-deps", "--no-build-isolation", *_QUIET, package]
    run_module([*command, "--wheel-dir", target], work / "wheel.log")
    [wheel] = target.glob("*.whl")
    return wheel


def try_wheel(wheel: Path, name: str, gold: Path, expected: Scores, work: Path) -> None:
    """Install a wheel in a new environment, and score the package from an empty folder.

    Nothing is downloaded: the environment can import the packages of the running interpreter, which
    must meet the requirements of the wheel.

    Args:
        wheel: The path of the wheel.
        name: The name of the package.
        gold: The CoNLL-U file whose plain text the package parses.
        expected: The scores before the wheel was built.
        work: The folder for the environment and logs.

    Raises:
        FailedCommandError: The package cannot be installed, loaded or run.
        ValueError: The LAS differs from the expected one.
    """
    environment, empty, result = work / "environment", work / "empty", work / "tried.json"
    venv.create(environment, symlinks=os.name != "nt")
    empty.mkdir()
    [site] = environment.glob("[Ll]ib/**/site-packages")
    # Installed packages come before these, because .pth files only append.
    visible = [Path(spacy_npparse.__file__).parents[1], *map(Path, sys.path)]
    paths = [path for path in visible if path == visible[0] or path.name == "site-packages"]
    (site / "dependencies.pth").write_text("".join(f"{path}\n" for path in paths))
    # -I ignores environment variables and the user's own packages.
    python = (environment / ("Scripts" if os.name == "nt" else "bin") / "python", "-I")
    command = ["pip", "install", "--no-index", *_QUIET, wheel]
    run_module(command, work / "install.log", python=python, cwd=empty)
    command = ["spacy_npparse", "evaluate", name, gold, "--raw", "--json", str(result)]
    run_module(command, work / "trial.log", python=python, cwd=empty)
    found = read_json(result)["official"][Metric.LAS]["f1"]
    if abs(found - expected.official[Metric.LAS].f1) > _TOLERANCE:
        raise ValueError(
            f"{wheel}, installed, has {found:.2%} LAS from plain text, but had "
            f"{expected.official[Metric.LAS].f1:.2%} before it was built"
        )
