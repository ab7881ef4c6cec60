"""The content of wheel and sdist, and the use of the wheel without a clone.

The tests use the extension modules of this environment and compile nothing. `make wheel-test`
builds from a clean clone.
"""

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from fresh_venv import FreshVenv
from tiny import write_part

import spacy_npparse

ROOT = Path(__file__).parents[2]
PACKAGE = Path(spacy_npparse.__file__).parent
BINARIES = {".so", ".pyd"}
# This runs setup.py without Cython.
SETUP = (
    "import runpy, sys, Cython.Build; Cython.Build.cythonize = lambda modules, **options: modules; "
    "sys.argv[0] = 'setup.py'; runpy.run_path('setup.py')"
)

pytestmark = pytest.mark.slow


def files(folder):
    """Return the relative names of the files in a folder."""
    paths = (path for path in folder.rglob("*") if "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix() for path in paths if path.is_file()}


def sources(folder):
    return {name for name in files(folder) if Path(name).suffix not in BINARIES}


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """Copy all files from which the package is built, without extension modules."""
    folder = tmp_path_factory.mktemp("clone").resolve()
    ignored = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    for name in ("spacy_npparse", "configs"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for path in ROOT.iterdir():
        if path.is_file() and path.name != ".git":
            shutil.copy(path, folder)
    return folder


@pytest.fixture(scope="module")
def built(clone, tmp_path_factory):
    """Build wheel and sdist, and return their folder."""
    source, lib, dist = (tmp_path_factory.mktemp(name) for name in ("source", "lib", "dist"))
    shutil.copytree(clone, source, dirs_exist_ok=True)
    (source / "setup.cfg").write_text(f"[build]\nbuild_lib = {lib}\n")

    def setup(*arguments):
        command = [sys.executable, "-c", SETUP, "-q", *map(str, arguments)]
        subprocess.run(command, cwd=source, check=True)

    setup("sdist", "--dist-dir", dist, "build_py")
    for name in files(PACKAGE) - sources(PACKAGE):
        shutil.copy(PACKAGE / name, lib / "spacy_npparse" / name)
    setup("bdist_wheel", "--skip-build", "--dist-dir", dist)
    return dist


def test_the_wheel_has_all_files(built):
    [path] = built.glob("*.whl")
    with zipfile.ZipFile(path) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
        expected = {f"spacy_npparse/{name}" for name in files(PACKAGE)}
        configs = {f"spacy_npparse/configs/{name}" for name in files(ROOT / "configs")}
        assert names == expected | configs and len(configs) >= 4
        for name in configs:
            assert wheel.read(name) == (ROOT / "configs" / Path(name).name).read_bytes()


def test_the_sdist_has_what_a_build_needs(built):
    [path] = built.glob("*.tar.gz")
    with tarfile.open(path) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    expected = {f"spacy_npparse/{name}" for name in sources(PACKAGE)}
    expected |= {f"configs/{name}" for name in files(ROOT / "configs")}
    expected |= {"setup.py", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md"}
    assert expected <= names
    assert not {one for one in names if one.startswith(("build", "tests")) or one.endswith(".cpp")}


def test_the_wheel_works_from_any_folder(built, clone, tmp_path):
    environment = FreshVenv(tmp_path / "venv")
    empty = tmp_path / "empty"
    empty.mkdir()
    # The wheel is installed even if this package is also among the dependencies.
    options = ("--quiet", "--no-index", "--no-deps", "--ignore-installed")
    environment.run("python", "-m", "pip", "install", *options, *built.glob("*.whl"), cwd=empty)
    # All dependencies of the wheel are installed.
    checked = environment.run("python -m pip check", cwd=empty, check=False)
    assert "spacy-npparse" not in checked.stdout
    config = environment.run("npparse init-config - --parser mh4 --lang hu", cwd=empty).stdout
    assert 'factory = "mh4_parser"' in config
    part = write_part("dev", tmp_path / "dev.conllu", 5)
    arguments = (part, part, "board", "--parsers", "none")
    command = ("python", "-m", "spacy_npparse", "leaderboard", *arguments)
    # The error shows that the command has found its default config.
    assert "there is no parser 'none'" in environment.run(*command, cwd=empty, check=False).stderr
    # In a clone, Python imports the uncompiled package, except in programs of the environment.
    hidden = environment.run("python -m spacy_npparse --version", cwd=clone, check=False)
    assert f"ImportError: The Cython modules of spacy_npparse in {clone} are not" in hidden.stderr
    version = environment.run("npparse --version", cwd=clone).stdout
    assert version == f"spacy_npparse {spacy_npparse.__version__}\n"
