"""Progress bars, and results on the terminal and in files."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import typer
from tqdm import tqdm

from spacy_npparse.evaluation import Scores
from spacy_npparse.evaluation.provenance import Provenance
from spacy_npparse.files import naming, replacing

T = TypeVar("T")


def progress(
    items: Iterable[T], unit: str, total: int | None = None, *, quiet: bool = False, title: str = ""
) -> Iterable[T]:
    """Show a progress bar while items are iterated over, if stderr is a terminal.

    Args:
        items: The items.
        unit: What one item is called.
        total: Number of items, if it is known.
        quiet: No progress bar.
        title: Text before the bar.

    Returns:
        The same items.
    """
    # disable=None: no bar where stderr is no terminal.
    bar: Iterable[T] = tqdm(items, title, total=total, unit=unit, disable=quiet or None)
    return bar


def report_scores(scores: Scores, json_path: Path | None, source: Provenance) -> None:
    """Print the table of scores, and write rates and counts to a JSON file.

    Args:
        scores: The scores.
        json_path: The file; None for no file.
        source: The provenance of the scores.
    """
    try:
        print_result(scores.table())
    finally:
        if json_path is not None:
            write_json(scores.as_dict(), json_path, source)


def print_result(text: str) -> None:
    """Print to standard output.

    Args:
        text: What to print.

    Raises:
        WriteError: It cannot be written, because it goes to a file on a full disk, for example.
        typer.Exit: It goes to a program that reads no more, such as head: no message is needed.
    """
    try:
        with naming("standard output"):
            typer.echo(text)
    except OSError as error:
        # What is left in the buffer would fail again when the program ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error.__cause__, BrokenPipeError):
            raise typer.Exit(1) from None
        raise


def write_json(result: dict[str, Any], path: Path, source: Provenance) -> None:
    """Write a result and its provenance to a JSON file.

    Args:
        result: The result.
        path: The file.
        source: The provenance.
    """
    data = {"provenance": asdict(source), **result}
    write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", path)


def write_text(content: str, path: Path) -> None:
    """Write a text file in UTF-8.

    Args:
        content: The text.
        path: The file; its folder is created.
    """
    with replacing(path) as file:
        file.write(content.encode("utf-8"))
