"""Tests of pipelines that are installed packages, and of pipelines that need custom code."""

import subprocess
import sys

import catalogue
import pytest
import spacy
from spacy.cli.package import package

CODE = """
from spacy.language import Language


@Language.component("test_cli_witness")
def witness(doc):
    doc.user_data["seen"] = True
    return doc
"""


@pytest.fixture(scope="module")
def site(model, tmp_path_factory):
    """Return a folder with the installed package xx_sample, which `spacy package` has made."""
    built, target = (tmp_path_factory.mktemp(name) for name in ("built", "site"))
    package(model, built, name="sample", version="0.0.1", create_sdist=False)
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--target", target]
    command = [sys.executable, "-m", "pip", "install", *options, built / "xx_sample-0.0.1"]
    subprocess.run(list(map(str, command)), check=True)
    return target


def test_commands_take_installed_packages(run, site, model, dev, tmp_path, monkeypatch):
    result = run("evaluate", "xx_sample", dev)
    assert result.exit_code == 1 and "xx_sample: no such pipeline" in result.output
    monkeypatch.syspath_prepend(site)
    monkeypatch.chdir(tmp_path)
    of_package, of_folder = (run("evaluate", name, dev) for name in ("xx_sample", model))
    assert of_package.exit_code == 0, of_package.output
    assert of_package.stdout == of_folder.stdout
    assert run("parse", "xx_sample", dev, "parsed.conllu").exit_code == 0
    assert run("derive", dev, "--model", "xx_sample").exit_code == 0


@pytest.fixture
def forget():
    """Return a function that unregisters the component of CODE, as if it was never imported."""

    def pop():
        catalogue.REGISTRY.pop(("spacy", "internal_factories", "test_cli_witness"), None)

    yield pop
    pop()


def test_code_is_imported_first(run, model, dev, tmp_path, forget):
    code, needy = tmp_path / "code.py", tmp_path / "model"
    code.write_text(CODE)
    spacy.util.import_file("python_code", code)
    nlp = spacy.load(model)
    nlp.add_pipe("test_cli_witness")
    nlp.to_disk(needy)
    for command in [
        ("evaluate", needy, dev),
        ("parse", needy, dev, tmp_path / "parsed.conllu"),
        ("derive", dev, "--model", needy),
    ]:
        forget()
        # Each command needs a new file, because a file is imported only once.
        code = code.rename(tmp_path / f"{command[0]}.py")
        without = run(*command)
        assert without.exit_code == 1 and "test_cli_witness" in without.output
        assert "give --code if it was trained" in without.output
        result = run(*command, "--code", code)
        assert result.exit_code == 0, result.output


def test_code_that_cannot_be_imported(run, model, dev, tmp_path):
    code = tmp_path / "code.py"
    code.write_text("import no_such_module")
    result = run("evaluate", model, dev, "--code", code)
    assert result.exit_code == 1 and "Traceback" not in result.output
    assert f"{code}: cannot be imported (ModuleNotFoundError: No module named" in result.output
