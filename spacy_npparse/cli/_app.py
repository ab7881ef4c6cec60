"""The command-line program, and how its commands fail."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from enum import Enum
from pathlib import Path
from typing import Any, NoReturn, ParamSpec, TypeVar

import typer
from typer.core import TyperGroup

from spacy_npparse.evaluation import SentenceMismatchError, TextMismatchError
from spacy_npparse.evaluation.provenance import Provenance, provenance
from spacy_npparse.laboratory import ExperimentMismatchError
from spacy_npparse.treebank import ConlluError

P = ParamSpec("P")
R = TypeVar("R")
_ARGUMENTS = "spacy_npparse.arguments"
_USER_ERRORS = (
    OSError,
    ConlluError,
    ExperimentMismatchError,
    SentenceMismatchError,
    TextMismatchError,
)


class _Commands(TyperGroup):
    """Keeps what was written on the command line, for reports to name it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta[_ARGUMENTS] = list(args)
        return list(super().parse_args(ctx, args))


app = typer.Typer(
    name="npparse",
    cls=_Commands,
    help="Non-projective dependency parsing: treebanks, parsing and evaluation.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)


class OnErrorChoice(str, Enum):
    """What to do with malformed sentences."""

    RAISE = "raise"
    SKIP = "skip"


@app.callback()
def _commands() -> None:
    # With a callback typer asks for the command's name even while there is only one.
    pass


def provenance_of(context: typer.Context, files: Iterable[Path]) -> Provenance:
    """What the running command makes its results from, these files among it."""
    return provenance(context.meta[_ARGUMENTS], files)


def fail(message: str) -> NoReturn:
    """End the program with this message and exit code 1."""
    typer.secho(f"✘ {message}", fg=typer.colors.RED, err=True)
    raise typer.Exit(1)


def user_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Decorate a command: what its user can put right ends it with a message, not a traceback.

    That is: files that are missing or cannot be written, malformed CoNLL-U, texts or experiments
    that do not match.
    """

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except _USER_ERRORS as error:
            fail(str(error))

    return wrapped
