"""The example package with a new transition system, used as its README describes."""

import re
import shutil
from pathlib import Path

import pytest
from brute_force import all_trees
from fresh_venv import FreshVenv
from tiny import write_part

import spacy_npparse
from spacy_npparse.trees import is_projective

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "new_system"
README = (EXAMPLE / "README.md").read_text(encoding="utf-8")
# The commands in the code blocks of the README: installation and tests, use, and checks in a clone.
INSTALL, USE, CHECK = (
    [line for line in block.splitlines() if line.startswith("python ")]
    for block in re.findall(r"```console\n(.*?)```", README, re.S)
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """Follow the README, and return the environment, the folder, and the printed output."""
    folder = tmp_path_factory.mktemp("new") / "new_system"
    tracked = shutil.ignore_patterns("build", "*.egg-info", "*.so", "*.cpp", "__pycache__")
    shutil.copytree(EXAMPLE, folder, ignore=tracked)
    for part in ("train", "dev"):
        write_part(part, folder / f"{part}.conllu", 10)
    environment = FreshVenv(
        tmp_path_factory.mktemp("venv"), [Path(spacy_npparse.__file__).parents[1]]
    )
    with pytest.MonkeyPatch.context() as patch:
        # Compile fast, because the speed of the result does not matter here.
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
    # The commands are not run here, because the tests of the example train a parser.
    assert train.startswith(f"python -m spacy train {config} ") and "attardi_hybrid" in leaderboard


@pytest.fixture(scope="module")
def copied(reader):
    """Copy the folder for a second system, which derives only some projective trees, and install it
    in the same environment."""
    environment, folder, _ = reader
    other = folder.parent / "head_final_system"
    (other / "head_final").mkdir(parents=True)
    names = {"attardi_hybrid": "head_final", "attardi-hybrid": "head-final"}
    names["AttardiHybrid"] = "HeadFinal"
    for path in ("pyproject.toml", "setup.py", "{}/__init__.py", "{}/factory.py"):
        text = (folder / path.format("attardi_hybrid")).read_text(encoding="utf-8")
        for old, new in names.items():
            text = text.replace(old, new)
        (other / path.format("head_final")).write_text(text, encoding="utf-8")
    shutil.copy(Path(__file__).parent / "head_final.pyx", other / "head_final" / "system.pyx")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CFLAGS", "-O0")
        environment.run(INSTALL[1], cwd=other)
    return environment, other


def test_a_system_may_derive_some_projective_trees_only(copied):
    environment, folder = copied
    trees = [
        tree[1:]
        for tree in all_trees(4)
        if is_projective(tree) and all(head == 0 or head > d for d, head in enumerate(tree) if d)
    ]
    script = f"""
import numpy as np, spacy, spacy_npparse
from spacy_npparse.transitions import derivable
kernel = spacy_npparse.get_transition_system("head_final").kernel
trees = np.array({[tree[1:] for tree in all_trees(4)]}, dtype="int32")
found = derivable(kernel, np.full(len(trees), 4, dtype="int32"), trees.ravel())
assert list(map(tuple, trees[found].tolist())) == {trees}
try:
    spacy.blank("xx").add_pipe("head_final_parser", config=dict(pseudo_projective="head"))
except ValueError as error:
    assert "pseudo_projective needs a projective system" in str(error)
else:
    raise AssertionError
"""
    (folder / "script.py").write_text(script, encoding="utf-8")
    environment.run("python", "script.py", cwd=folder)


@pytest.mark.skipif(
    Path(spacy_npparse.__file__).parents[1] != ROOT, reason="the clone is not what is installed"
)
def test_the_tests_of_all_systems_pass(copied):
    environment, _ = copied
    [command] = CHECK
    both = command.replace("-k attardi_hybrid", "-k 'attardi_hybrid or head_final'")
    result = environment.run(f"{both} -v -p no:cacheprovider", cwd=ROOT)
    for name in ("attardi_hybrid", "head_final"):
        assert len(re.findall(rf"\[{name}\b.* PASSED", result.stdout)) > 50
