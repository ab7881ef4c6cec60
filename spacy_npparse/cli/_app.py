"""The command-line program, and how its commands fail."""

from __future__ import annotations

import functools
from collections.abc import Callable
from enum import Enum
from typing import NoReturn, ParamSpec, TypeVar

import typer

from ..evaluation import TextMismatchError
from ..treebank import ConlluError

P = ParamSpec("P")
R = TypeVar("R")

app = typer.Typer(
    name="npparse",
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


def fail(message: str) -> NoReturn:
    """End the program with this message and exit code 1."""
    typer.secho(f"✘ {message}", fg=typer.colors.RED, err=True)
    raise typer.Exit(1)


def user_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Decorate a command: what its user can put right ends it with a message, not a traceback.

    That is: files that are missing or cannot be written, malformed CoNLL-U, texts that do not
    match.
    """

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except (OSError, ConlluError, TextMismatchError) as error:
            fail(str(error))

    return wrapped
