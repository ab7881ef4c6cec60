"""Errors that users can correct."""

from collections.abc import Iterator
from contextlib import contextmanager

REMEDY_FOR_FILES = (
    "Copy the whole folder of the pipeline again from where it was trained, with its config.cfg, "
    "or train it again."
)


class UserError(Exception):
    """An error in a file, a setting or a library that the user can correct. The message names the
    problem, the place and the remedy. Commands show it without a traceback."""


class DocError(UserError, ValueError):
    """A Doc that CoNLL-U cannot represent. The message names the sentence, the word if there is
    one, and the remedy. In `write_conllu`, it also names the Doc."""


class MismatchError(ValueError):
    """A saved component that cannot be loaded. The message names the reason and the remedy."""


@contextmanager
def loading(part: str, source: str) -> Iterator[None]:
    """Convert errors in loading a part of a pipeline to an error that names the part, the source
    and the remedy.

    Args:
        part: A noun for the part, with its name.
        source: The file or folder that the part is loaded from, or a noun for it.

    Raises:
        ValueError: Instead of any other exception except a `UserError`.
    """
    where = f"Cannot load {part} from {source}"
    try:
        yield
    except MismatchError as error:
        raise ValueError(f"{where}: {error}") from error
    except UserError:  # names another file, and the remedy
        raise
    except Exception as error:  # damaged files raise almost any kind
        reason = f"{error}".rstrip(".") or type(error).__name__
        raise ValueError(f"{where}: {reason}. {REMEDY_FOR_FILES}") from error
