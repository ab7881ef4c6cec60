"""Showing and writing results."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from spacy_npparse.evaluation import Scores
from spacy_npparse.evaluation.provenance import Provenance
from spacy_npparse.files import replacing


def report_scores(scores: Scores, json_path: Path | None, source: Provenance) -> None:
    """Print the table of scores; write rates and counts to a JSON file if one is given."""
    typer.echo(scores.table())
    if json_path is not None:
        write_json(scores.as_dict(), json_path, source)


def write_json(result: dict[str, Any], path: Path, source: Provenance) -> None:
    """Write a result to a JSON file, with what it was made from."""
    data = {"provenance": asdict(source), **result}
    write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", path)


def write_text(content: str, path: Path) -> None:
    """Write a text file."""
    with replacing(path) as file:
        file.write(content.encode("utf-8"))
