"""What has to be in step with the version and with the commands of the Makefile."""

import re
from pathlib import Path

import spacy_npparse

ROOT = Path(__file__).parents[2]


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_one_version():
    version = re.escape(spacy_npparse.__version__)
    assert re.search(rf"^version: {version}$", read("CITATION.cff"), re.M)
    headings = re.findall(r"^## (.*)$", read("CHANGELOG.md"), re.M)
    assert re.fullmatch(rf"\[{version}\] - (unreleased|\d{{4}}-\d\d-\d\d)", headings[0])


def test_workflows_call_targets_of_the_makefile():
    """Nothing in them that a clone could not run by itself."""
    targets = re.findall(r"^([a-z-]+):", read("Makefile"), re.M)
    workflows = list((ROOT / ".github" / "workflows").glob("*.yml"))
    assert {"lint.yml", "tests.yml", "docs.yml", "wheels.yml"} <= {path.name for path in workflows}
    for path in workflows:
        commands = re.findall(r"run: (.*)", path.read_text(encoding="utf-8"))
        assert commands
        for command in commands:
            program, target, *variables = command.split()
            assert program == "make" and target in targets, f"{path.name}: {command}"
            assert all("=" in variable for variable in variables)
