"""Wheels of pipelines, built without network, and tried where nothing but the wheel is known."""

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
# LAS from plain text, between two processes of one machine.
_TOLERANCE = 0.001


def build_wheel(pipeline: Path, work: Path) -> Path:
    """Build the wheel of a pipeline: `spacy package`, and setuptools of this environment.

    Args:
        pipeline: Its folder; `meta.json` has the name of the package.
        work: Folder for what is built, and for logs.

    Returns:
        The wheel.

    Raises:
        FailedCommandError: A step has failed.
    """
    source, target = work / "source", work / "wheel"
    source.mkdir()
    command = ["spacy", "package", pipeline, source, "--build", "none"]
    run_module(command, work / "package.log")
    # spaCy would run the program `build`, which fetches setuptools for an environment of its own.
    [package] = source.iterdir()
    command = ["pip", "wheel", "--no-deps", "--no-build-isolation", *_QUIET, package]
    run_module([*command, "--wheel-dir", target], work / "wheel.log")
    [wheel] = target.glob("*.whl")
    return wheel


def try_wheel(wheel: Path, name: str, gold: Path, expected: Scores, work: Path) -> None:
    """Install a wheel in a new environment, and score it by its name from an empty folder.

    The environment sees the packages of the running interpreter, which have to be those that the
    wheel requires. Nothing is downloaded.

    Args:
        wheel: The wheel.
        name: Of the package.
        gold: CoNLL-U file whose plain text is parsed.
        expected: Its scores before the wheel was built.
        work: Folder for the environment, and for logs.

    Raises:
        FailedCommandError: It cannot be installed, loaded or run.
        ValueError: It has other scores.
    """
    environment, empty, result = work / "environment", work / "empty", work / "tried.json"
    venv.create(environment, symlinks=os.name != "nt")
    empty.mkdir()
    [site] = environment.glob("[Ll]ib/**/site-packages")
    # Installed packages come before these, because .pth files only append.
    visible = [Path(spacy_npparse.__file__).parents[1], *map(Path, sys.path)]
    paths = [path for path in visible if path == visible[0] or path.name == "site-packages"]
    (site / "dependencies.pth").write_text("".join(f"{path}\n" for path in paths))
    # Isolated from variables of the environment and from the user's own packages.
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
