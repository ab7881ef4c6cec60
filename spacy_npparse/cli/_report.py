"""Progress bars, gold files, and the output of results to the terminal and to files."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from tqdm import tqdm

from spacy_npparse.cli._app import fail
from spacy_npparse.evaluation import Scores, Validation
from spacy_npparse.evaluation.provenance import Provenance
from spacy_npparse.files import naming, replacing
from spacy_npparse.tables import text
from spacy_npparse.treebank import Sentence, read_conllu

T = TypeVar("T")

GoldFile = Annotated[
    Path, typer.Argument(metavar="GOLD", help="CoNLL-U file with the gold annotation.")
]
ScoresFile = Annotated[
    Path | None, typer.Option("--json", help="Write all scores and counts to this file.")
]
Validate = Annotated[
    bool,
    typer.Option("--validate", help="Also count the errors that the UD validator finds."),
]


def read_gold(path: Path, purpose: str) -> list[Sentence]:
    """Read a gold file.

    Args:
        path: The CoNLL-U file.
        purpose: The purpose of its sentences, as a phrase for the error message.

    Returns:
        Its sentences, at least one.

    Raises:
        ConlluError: The file is malformed.
        typer.Exit: The file has no sentences.
    """
    sentences = list(read_conllu(path))
    if not sentences:
        fail(f"{path}: no sentence to {purpose}. Give a treebank in CoNLL-U.")
    return sentences


def progress(
    items: Iterable[T], unit: str, total: int | None = None, *, quiet: bool = False, title: str = ""
) -> Iterable[T]:
    """Show a progress bar while items are iterated over, if stderr is a terminal.

    Args:
        items: The items.
        unit: The noun for an item.
        total: The number of items, if it is known.
        quiet: Whether to hide the progress bar.
        title: The text before the bar.

    Returns:
        The same items.
    """
    # disable=None: no bar where stderr is no terminal.
    bar: Iterable[T] = tqdm(items, title, total=total, unit=unit, disable=quiet or None)
    return bar


def report_scores(
    scores: Scores,
    json_path: Path | None,
    source: Provenance,
    validation: Validation | None = None,
) -> None:
    """Print the table of scores, and write rates and counts to a JSON file.

    Args:
        scores: The scores.
        json_path: The JSON file; None to write none.
        source: The provenance of the scores.
        validation: The errors in gold and predicted trees; None if they were not counted.
    """
    shown, result = scores.table(), scores.as_dict()
    if validation is not None:
        shown = text(shown, validation.text())
        result["validation"] = validation.as_dict()
    report(shown, (json_path, lambda: as_json(result, source)))


def report(result: str, *files: tuple[Path | None, Callable[[], str]], page: bool = False) -> None:
    """Print a result, and write it to files, even if it cannot be printed.

    Args:
        result: The text of the result.
        *files: Pairs of a path, or None, and a function that returns the content of the file.
        page: Whether to print the name of the last file, which is a page.
    """
    try:
        print_result(result)
    finally:
        for path, content in files:
            if path is not None:
                write_text(content(), path)
        if page:
            typer.echo(f"{files[-1][0]}", err=True)


def print_result(result: str) -> None:
    """Print to standard output.

    Args:
        result: The text to print.

    Raises:
        WriteError: The text cannot be written, for example to a file on a full disk.
        typer.Exit: The text goes to a program that has stopped reading, such as head, so that no
            message is needed.
    """
    try:
        with naming("standard output"):
            typer.echo(result)
    except OSError as error:
        # The rest of the buffer would fail again when the program ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error.__cause__, BrokenPipeError):
            raise typer.Exit(1) from None
        raise


def as_json(result: dict[str, Any], source: Provenance) -> str:
    """Write a result and its provenance as JSON.

    Args:
        result: The result.
        source: The provenance.
    """
    data = {"provenance": asdict(source), **result}
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def write_text(content: str, path: Path) -> None:
    """Write a text file in UTF-8.

    Args:
        content: The text.
        path: The file, whose folder is created if necessary.
    """
    with replacing(path) as file:
        file.write(content.encode("utf-8"))
