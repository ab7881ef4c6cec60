"""Tests of the option `--threads`."""

import inspect
import os

import pytest
import torch
from typer.main import get_command

from spacy_npparse.cli import app
from spacy_npparse.cli import parse as parse_command

COMMANDS = get_command(app).commands
COMPUTING = {
    *("annotate", "calibrate", "check", "derive", "evaluate", "leaderboard", "parse"),
    *("pipelines", "select", "serve", "sweep"),
}


def test_all_commands_that_compute_have_it():
    found = {
        name: option.default
        for name, command in COMMANDS.items()
        for option in command.params
        if "--threads" in option.opts
    }
    assert found == dict.fromkeys(COMPUTING, 1)
    with_models = {
        name
        for name, one in COMMANDS.items()
        if {"model", "updates"} & {p.name for p in one.params}
    }
    # `learn-rules` only loads the pipeline and saves it again.
    assert with_models - {"learn-rules"} == COMPUTING


@pytest.mark.parametrize("options, expected", [([], 1), (["--threads", 3], 3)])
def test_it_holds_while_the_command_runs(run, model, dev, tmp_path, monkeypatch, options, expected):
    """OMP_NUM_THREADS sets the threads of processes that the command starts."""
    module = inspect.getmodule(parse_command)
    load, used = module.load_parser, []

    def loading(*arguments):
        used.append((torch.get_num_threads(), os.environ["OMP_NUM_THREADS"]))
        return load(*arguments)

    monkeypatch.setattr(module, "load_parser", loading)
    monkeypatch.delenv("OMP_NUM_THREADS")
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        result = run("parse", model, dev, tmp_path / "out.conllu", *options)
        assert result.exit_code == 0, result.output
        assert used == [(expected, str(expected))]
        assert torch.get_num_threads() == 2 and "OMP_NUM_THREADS" not in os.environ
    finally:
        torch.set_num_threads(before)
