"""Showing scores."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from ..evaluation import Scores
from ..treebank.files import replacing


def report_scores(scores: Scores, json_path: Path | None) -> None:
    """Print the table of scores; write rates and counts to a JSON file if one is given."""
    typer.echo(scores.table())
    if json_path is not None:
        with replacing(json_path) as file:
            file.write(json.dumps(scores.as_dict(), indent=2).encode("utf-8") + b"\n")
