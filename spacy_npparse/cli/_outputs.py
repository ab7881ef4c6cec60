"""Checks of the files that a command will write."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

from spacy_npparse.cli._app import fail
from spacy_npparse.cli._texts import STDIN
from spacy_npparse.files import are_same, check_writable, is_stream
from spacy_npparse.scaling.pipelines import files_of_pipeline

# A shell may have redirected these to a file that is also an output.
_STANDARD_STREAMS = (Path("/dev/stdout"), Path("/dev/stderr"))


def check_outputs(outputs: Iterable[Path | None], inputs: Iterable[Path | None]) -> None:
    """End the program with an error message if an output cannot be written, or would overwrite an
    input or another output, or if the name of a file is not valid UTF-8.

    Args:
        outputs: The files that the command writes; None is ignored.
        inputs: The files that the command reads; None is ignored.

    Raises:
        WriteError: An output cannot be written.
        typer.Exit: An output would overwrite an input or another output, or a name is not UTF-8.
    """
    written = [path for path in outputs if path is not None]
    read = [Path("/dev/stdin") if path == STDIN else path for path in inputs if path is not None]
    for path in (*written, *read):
        try:
            str(path).encode()
        except UnicodeEncodeError:
            fail(f"{str(path)!r}: the name is not valid UTF-8, and outputs contain it. Rename it.")
    for output in written:
        check_writable(output)
        for path in read:
            if are_same(output, path):
                fail(
                    f"{output} would overwrite {path}, which this command reads. Give another "
                    "file to write."
                )
        for stream in _STANDARD_STREAMS:
            if not is_stream(output) and are_same(output, stream):
                fail(f"{output} would overwrite what goes to {stream}. Give another file to write.")
    for output, other in combinations(written, 2):
        if are_same(output, other):
            fail(f"{output} and {other} are one file. Give each output a file of its own.")


def check_new_folder(folder: Path, model: str) -> None:
    """End the program with an error message if a folder has content, is in the folder of the
    pipeline, or cannot be written.

    Args:
        folder: The folder, which may not exist yet.
        model: The folder of the pipeline, or the name of an installed package.

    Raises:
        WriteError: Files in the folder cannot be written.
        typer.Exit: The folder has content, or is in that of the pipeline.
    """
    check_outside(folder, Path(model))
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        fail(f"{folder} exists and would be overwritten. Give a new folder.")
    check_writable(folder / "meta.json")


def check_outside(folder: Path, pipeline: Path) -> None:
    """End the program with an error message if a folder is in the folder of the pipeline.

    Args:
        folder: The folder, which may not exist yet.
        pipeline: The folder of the pipeline.

    Raises:
        typer.Exit: The folder is in that of the pipeline.
    """
    if folder.resolve().is_relative_to(pipeline.resolve()):
        fail(f"{folder} is in the folder of the pipeline. Give a folder outside of it.")


def pipeline_files(model: str | None) -> list[Path]:
    """List the files of a pipeline, which are inputs of a command.

    Args:
        model: The folder of the pipeline, or the name of an installed package; None if there is no
            pipeline.

    Returns:
        The files that belong to the pipeline. Empty for a package.
    """
    if model is None or not Path(model).is_dir():
        return []
    return files_of_pipeline(Path(model))
