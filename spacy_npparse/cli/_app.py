"""The command-line program, and how its commands fail."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, NoReturn, ParamSpec, TypeVar

import typer
from typer.core import TyperGroup

import spacy_npparse
from spacy_npparse.components import ConstraintError
from spacy_npparse.components.posteriors import PosteriorError
from spacy_npparse.evaluation import EnhancedDependencyError, TextMismatchError
from spacy_npparse.evaluation.provenance import Provenance, provenance
from spacy_npparse.imported_code import CodeError
from spacy_npparse.laboratory import ExperimentMismatchError, FolderInUseError
from spacy_npparse.models import UnknownTreebankError
from spacy_npparse.scaling import ClusterError, cleaning_up_on_termination
from spacy_npparse.scaling.execution import NoWorkerError
from spacy_npparse.scaling.extras import MissingExtraError
from spacy_npparse.scaling.inputs import InputError
from spacy_npparse.scaling.locks import CorpusInUseError
from spacy_npparse.scaling.manifest import CorpusMismatchError
from spacy_npparse.treebank import ConlluError, DocError, TreebankFolderError

P = ParamSpec("P")
R = TypeVar("R")
_ARGUMENTS = "spacy_npparse.arguments"
_USER_ERRORS = (
    OSError,
    ClusterError,
    CodeError,
    ConlluError,
    ConstraintError,
    CorpusInUseError,
    CorpusMismatchError,
    DocError,
    EnhancedDependencyError,
    ExperimentMismatchError,
    FolderInUseError,
    InputError,
    MissingExtraError,
    NoWorkerError,
    PosteriorError,
    TextMismatchError,
    TreebankFolderError,
    UnknownTreebankError,
)


class _Commands(TyperGroup):
    """Keeps the arguments of the command line for the provenance of results."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta[_ARGUMENTS] = list(args)
        return list(super().parse_args(ctx, args))


app = typer.Typer(
    name="npparse",
    cls=_Commands,
    help="Non-projective dependency parsing: treebanks, training configs, parsing, evaluation.",
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
    """The provenance of the running command's results.

    Args:
        context: The context of the command.
        files: The files that it reads.

    Returns:
        Command line, version and checksums.
    """
    return provenance(context.meta[_ARGUMENTS], files)


def fail(message: str) -> NoReturn:
    """End the program with an error message and exit code 1.

    Args:
        message: What is wrong, and the remedy.

    Raises:
        typer.Exit: Always.
    """
    typer.secho(f"✘ {message}", fg=typer.colors.RED, err=True)
    raise typer.Exit(1)


def user_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Make a command end with a message, not a traceback, on errors that its user can correct.

    These are files or treebanks that are missing, files that cannot be written, malformed CoNLL-U
    or DEPS, Docs that CoNLL-U cannot represent, code that cannot be imported, texts, experiments or
    corpora that do not match, a folder in use, libraries, workers or a cluster that are missing. A
    command that is terminated removes its temporary files first.

    Args:
        command: The command.

    Returns:
        The decorated command.
    """

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            with cleaning_up_on_termination():
                return command(*args, **kwargs)
        except _USER_ERRORS as error:
            fail(str(error))

    return wrapped
