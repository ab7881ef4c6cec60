"""Files that have to match the version and the targets of the Makefile."""

import os
import re
from itertools import product
from pathlib import Path

import pytest
import srsly

import spacy_npparse

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def heading():
    """Find the version and the release date in the first heading of the changelog."""
    return re.search(r"^## \[(.*)\] - (unreleased|\d{4}-\d\d-\d\d)$", read("CHANGELOG.md"), re.M)


def test_one_version():
    version = spacy_npparse.__version__
    assert f"\nversion: {version}\n" in read("CITATION.cff")
    assert re.search(r"^## (.*)$", read("CHANGELOG.md"), re.M)[0] == heading()[0]
    assert heading()[1] == version


@pytest.mark.skipif(os.environ.get("GITHUB_REF_TYPE") != "tag", reason="no workflow of a release")
def test_a_tag_is_that_of_a_dated_version():
    assert os.environ["GITHUB_REF_NAME"] == f"v{spacy_npparse.__version__}"
    assert heading()[2] != "unreleased"


def commands(job):
    """Yield the words of the command of each step of a job, for each combination in its matrix."""
    matrix = job.get("strategy", {}).get("matrix", {})
    for values in product(*matrix.values()):
        for step in job.get("steps", []):
            command = step.get("run", "")
            for name, value in zip(matrix, values, strict=True):
                command = command.replace(f"${{{{ matrix.{name} }}}}", value)
            yield command.split()


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_call_targets_of_the_makefile(path):
    """Everything except the release on GitHub can also be run in a clone."""
    targets = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.M))
    found = [words for job in srsly.read_yaml(path)["jobs"].values() for words in commands(job)]
    assert any(found)
    for program, *arguments in filter(None, found):
        called = {word for word in arguments if not word.startswith("-") and "=" not in word}
        assert (program == "make" and called and called <= targets) or program == "gh", arguments
