"""The example package with a transition system of its own, used as its README says."""

import re
import shutil
from pathlib import Path

import pytest
from fresh_venv import FreshVenv
from tiny import write_part

import spacy_npparse

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "new_system"
README = (EXAMPLE / "README.md").read_text(encoding="utf-8")
# The commands of the README's code blocks: installing and testing, then using.
INSTALL, USE = (
    [line for line in block.splitlines() if line.startswith("python ")]
    for block in re.findall(r"```console\n(.*?)```", README, re.S)
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """An environment where a reader has followed the README, the folder, and what was printed."""
    folder = tmp_path_factory.mktemp("new") / "new_system"
    tracked = shutil.ignore_patterns("build", "*.egg-info", "*.so", "*.cpp", "__pycache__")
    shutil.copytree(EXAMPLE, folder, ignore=tracked)
    for part in ("train", "dev"):
        write_part(part, folder / f"{part}.conllu", 10)
    environment = FreshVenv(
        tmp_path_factory.mktemp("venv"), [Path(spacy_npparse.__file__).parents[1]]
    )
    with pytest.MonkeyPatch.context() as patch:
        # The compiler's time is not the claim.
        patch.setenv("CFLAGS", "-O0")
        printed = [environment.run(command, cwd=folder).stdout for command in INSTALL]
    return environment, folder, printed


def test_its_own_tests(reader):
    assert INSTALL[-1] == "python -m pytest" and "6 passed" in reader[2][-1]


def test_commands_know_it(reader):
    environment, folder, _ = reader
    statistics, derive, init, train, leaderboard = USE
    assert "attardi_hybrid static" in environment.run(statistics, cwd=folder).stdout
    assert "attardi_hybrid: the static oracle" in environment.run(derive, cwd=folder).stdout
    environment.run(init, cwd=folder)
    config = init.split("init-config ")[1].split()[0]
    assert 'factory = "attardi_hybrid_parser"' in (folder / config).read_text()
    # Not trained here: its own tests train it.
    assert train.startswith(f"python -m spacy train {config} ") and "attardi_hybrid" in leaderboard


@pytest.mark.skipif(
    Path(spacy_npparse.__file__).parents[1] != ROOT, reason="the clone is not what is installed"
)
def test_the_tests_of_all_systems_find_it(reader):
    environment, folder, _ = reader
    command = re.search(r"`python (-m pytest tests/systems -k attardi_hybrid)`", README).group(1)
    options = ("-q", "-p", "no:cacheprovider")
    result = environment.run("python", *command.split(), *options, cwd=ROOT)
    assert re.search(r"\b[1-9]\d* passed", result.stdout)
