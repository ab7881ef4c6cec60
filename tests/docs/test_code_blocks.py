"""Run every code block of the README and the documentation in the folder of a user."""

import argparse
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
import srsly
from documentation import PAGES, ROOT, blocks, commands, split_command
from small_pipeline import overrides, smallest
from spacy.cli import app as spacy_app
from spacy.cli.init_config import init_config
from thinc.api import Config
from typer.main import get_command
from typer.testing import CliRunner

from spacy_npparse.cli import app
from spacy_npparse.laboratory import contestant

# The beginnings of commands that are not run here, and the reasons. Their options are checked
# where that is possible.
NOT_RUN = {
    "make demo": "five minutes; tests/project runs its workflow",
    "make test": "runs these tests",
    "python -m pip": "changes the environment of the tests",
    "python -m pytest": "runs these tests",
    "python -m spacy project": "trains for minutes; tests/project runs the workflows",
    "python -m spacy_npparse leaderboard": "trains for hours; tests/laboratory runs it",
    "python -m spacy_npparse check": "trains for minutes; tests/cli runs it",
    "python -m spacy_npparse serve": "serves until it is terminated; tests/serving runs it",
    "python -m spacy_npparse sweep": "trains for hours; tests/cli runs it",
    "python -m spacy_npparse annotate": "needs a corpus; tests/cli and tests/scaling run it",
    "python -m spacy train configs/accuracy.cfg --output training/student": "a small parser is "
    "sure of no sentence; tests/cli trains with one",
    "python -m spacy_npparse init-config encoder.cfg": "needs an encoder; tests/cli has a tiny one",
    "python -m spacy train encoder.cfg": "likewise",
    "python -m spacy train transformer.cfg": "needs a GPU and a download",
    "python -m spacy_npparse evaluate got_proiel_accuracy": "needs the wheel to be installed",
    "python -m spacy_npparse pipelines": "trains for hours; tests/packaging runs it",
    "python -m spacy debug data": "refuses so small a treebank",
    "curl": "asks a server; tests/serving asks the same",
    "sed": "edits a config for hours of training",
    "python benchmarks/": "measures for minutes",
}
PROGRAMS = {"spacy": spacy_app, "spacy_npparse": app}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_blocks(page, clone):
    namespace: dict = {}
    problems = []
    for block in blocks(page.read_text(encoding="utf-8")):
        try:
            CHECKS[block.language](block, namespace)
        except Exception as error:
            where = f"{page.relative_to(ROOT)}, line {block.line}"
            problems.append(f"{where}: {type(error).__name__}: {error}")
    assert not problems, "\n".join(problems)


def check_script(block, namespace):
    """Check a script for a scheduler without running it."""
    subprocess.run(["bash", "-n", "-c", block.code], check=True)
    for command in commands(block):
        if command.startswith("python"):
            check_command(command.replace("$SLURM_ARRAY_TASK_ID", "3"))


def check_python(block, namespace):
    exec(compile(block.code, f"line {block.line}", "exec"), namespace)


def check_console(block, namespace):
    for command in commands(block):
        if any(command.startswith(beginning) for beginning in NOT_RUN):
            check_command(command)
            continue
        stdin, _, last = command.rpartition(" | ")
        words = split_command(last)
        if words[0] == "mkdir":
            Path(words[1]).mkdir()
        else:
            run_command(words, split_command(stdin)[-1] if stdin else None)


def run_command(words, stdin):
    """Run a command in this process, with the shortest possible training."""
    assert words[:2] == ["python", "-m"], f"{' '.join(words)}: neither run nor excepted"
    program, arguments = words[2], words[3:]
    if program == "spacy" and arguments[0] in ("train", "pretrain"):
        if arguments[0] == "train":
            # The output is a link to the shared pipeline, which must not change.
            output = Path(arguments[arguments.index("--output") + 1])
            (output / "model-best").unlink(missing_ok=True)
        config = Config().from_disk(arguments[1], interpolate=False)
        arguments = arguments + overrides(smallest(config))
    if program == "spacy" and arguments[0] == "package":
        # A wheel is built with tools that pip fetches.
        arguments[arguments.index("wheel")] = "none"
    result = CliRunner().invoke(PROGRAMS[program], arguments, input=stdin)
    assert result.exit_code == 0, f"{' '.join(words)}: {result.output} {result.exception!r}"


def check_command(command):
    """Check a command that is not run."""
    if not command.startswith(("python", "make")):
        return
    words = split_command(command)
    if words[:3] == ["python", "-m", "spacy_npparse"]:
        name, *arguments = words[3:]
        context = get_command(app).commands[name].make_context(name, arguments)
        for parser in (context.params.get("parsers") or "").split():
            contestant(parser)
    elif words[:4] == ["python", "-m", "spacy", "project"]:
        check_project_command(words[4:])
    elif words[1].startswith("benchmarks/"):
        check_benchmark(words[1:])
    elif words[0] == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.M)
    elif words[2] == "pip":
        project = (ROOT / "pyproject.toml").read_text()
        for extra in re.findall(r"\.\[(\w+)\]", command):
            assert f"\n{extra} = [" in project, command


def check_project_command(words):
    project = srsly.read_yaml(ROOT / "project.yml")
    if words[0] == "run":
        names = {*project["workflows"], *(command["name"] for command in project["commands"])}
        assert words[1] in names, words
    else:
        assert words[0] == "assets"
    options = [word for word in words if word.startswith("--")]
    assert {option.removeprefix("--vars.") for option in options} <= set(project["vars"])


def check_benchmark(words):
    """Run a benchmark until it has read its command line."""
    parse_args = argparse.ArgumentParser.parse_args

    class Parsed(Exception):
        pass

    def parse(*arguments):
        parse_args(*arguments)
        raise Parsed

    with pytest.MonkeyPatch.context() as patch, pytest.raises(Parsed):
        patch.setattr(argparse.ArgumentParser, "parse_args", parse)
        patch.setattr(sys, "argv", words)
        runpy.run_path(str(ROOT / words[0]), run_name="__main__")


def check_config(block, namespace):
    """Check a part of a config that replaces the same part of configs/accuracy.cfg, or of a config
    with spaCy's own encoder and parser."""
    if "${components.tok2vec.model.encode." in block.code:
        config = init_config(lang="de", pipeline=["tagger", "parser"], optimize="efficiency")
        config["components"]["parser"] = {}
    else:
        config = Config().from_disk(ROOT / "configs" / "accuracy.cfg", interpolate=False)
    sections = re.findall(r"^\[(.+)\]", block.code, re.M)
    part = Config().from_str(with_parents(block.code, sections), interpolate=False)
    for name in sections:
        # Another architecture, or a trained component, does not have the settings of this model.
        parent, _, last = name.rpartition(".")
        if last == "model" or "source" in section(part, name):
            section(config, parent).pop(last, None)
    config = config.merge(part)
    names = config["nlp"]["pipeline"]
    config["components"] = {name: config["components"][name] for name in names}
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    assert nlp.pipe_names == names


def section(config, path):
    for name in path.split("."):
        config = config[name]
    return config


def with_parents(code, sections):
    """Prepend the headers of all parent sections that a part of a config leaves out."""
    parts = [
        name.split(".")[:depth] for name in sections for depth in range(1, name.count(".") + 1)
    ]
    missing = dict.fromkeys(".".join(part) for part in parts if ".".join(part) not in sections)
    return "".join(f"[{name}]\n" for name in missing) + code


def check_entry_points(block, namespace):
    project = (ROOT / "examples" / "new_system" / "pyproject.toml").read_text()
    assert all(line in project for line in block.code.splitlines())


CHECKS = {
    "python": check_python,
    "bash": check_script,
    "console": check_console,
    "ini": check_config,
    "toml": check_entry_points,
}
