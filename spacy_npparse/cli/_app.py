"""The command-line program, and the handling of errors in its commands."""

from __future__ import annotations

import errno
import functools
import platform
import re
import shlex
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from threading import RLock
from typing import Annotated, Any, NoReturn, ParamSpec, TypeVar

import typer
from tqdm import tqdm
from typer.core import TyperGroup

import spacy_npparse
from spacy_npparse.errors import UserError
from spacy_npparse.evaluation.provenance import Provenance
from spacy_npparse.files import WriteError, checksum
from spacy_npparse.scaling import cleaning_up_on_termination

P = ParamSpec("P")
R = TypeVar("R")
_ARGUMENTS = "spacy_npparse.arguments"
_QUOTED = re.compile(r"(['\"])(.*)\1", re.DOTALL)


class _Commands(TyperGroup):
    """A group of commands that records the command line for the provenance of results."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if platform.system() == "Windows":
            # Projects of spaCy pass arguments with the quotes around them on Windows.
            args = [found[2] if (found := _QUOTED.fullmatch(one)) else one for one in args]
        ctx.meta[_ARGUMENTS] = list(args)
        return list(super().parse_args(ctx, args))


app = typer.Typer(
    name="npparse",
    cls=_Commands,
    help="Non-projective dependency parsing: prepare treebanks, parse texts, and evaluate and "
    "compare parsers. To train a pipeline, use spacy train.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


class OnErrorChoice(str, Enum):
    """What to do with malformed sentences."""

    RAISE = "raise"
    SKIP = "skip"


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"spacy_npparse {spacy_npparse.__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


def provenance_of(context: typer.Context, files: Iterable[Path]) -> Provenance:
    """Record where the results of the running command come from.

    Args:
        context: The context of the command.
        files: The files that the command reads.

    Returns:
        The command line, the version, and the checksums of the files.
    """
    checksums = {str(path): checksum(path) for path in files}
    return Provenance(command_line(context), spacy_npparse.__version__, checksums)


def command_line(context: typer.Context) -> str:
    """Quote the running command for a shell.

    Args:
        context: The context of the command.
    """
    return shlex.join(["python", "-m", "spacy_npparse", *context.meta[_ARGUMENTS]])


@contextmanager
def resumable(context: typer.Context) -> Iterator[None]:
    """Say how to continue the running command if it is interrupted in the block.

    Args:
        context: The context of the command.
    """
    try:
        yield
    except KeyboardInterrupt:
        command = command_line(context)
        typer.echo(f"⚠ Interrupted. To continue, run the command again: {command}", err=True)
        raise


def fail(message: str) -> NoReturn:
    """End the program with an error message and exit code 1.

    Args:
        message: The problem and its remedy.

    Raises:
        typer.Exit: Always.
    """
    typer.secho(f"✘ {message}", fg=typer.colors.RED, err=True)
    raise typer.Exit(1)


def user_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Make a command end with a message, not a traceback, on errors that its user can correct.

    These are `UserError` and errors of the operating system. A command that is terminated also
    removes its temporary files.

    Args:
        command: The command.

    Returns:
        The decorated command.
    """

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        # tqdm's default lock is shared by processes, and Python 3.14 warns if one is terminated.
        tqdm.set_lock(RLock())
        try:
            with cleaning_up_on_termination():
                return command(*args, **kwargs)
        except (UserError, WriteError) as error:
            if isinstance(error.__cause__, BrokenPipeError):
                # The program that has stopped reading, such as head, needs no message.
                raise typer.Exit(1) from None
            fail(str(error))
        except OSError as error:
            if error.errno == errno.ENOSPC and not error.filename:
                folder = tempfile.gettempdir()
                fail(
                    f"{folder}: {error.strerror}. Free some space, or set TMPDIR to another folder."
                )
            # The message of such an error begins with a number, and ends with the file.
            fail(f"{error.filename}: {error.strerror}." if error.filename else str(error))

    return wrapped
