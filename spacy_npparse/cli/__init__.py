"""The command line: `python -m spacy_npparse`, also as `python -m spacy npparse`."""

from . import convert, score  # noqa: F401  (importing a command adds it to the app)
from ._app import app


def main() -> None:
    """Run the program."""
    app(prog_name="python -m spacy_npparse")


__all__ = ["app", "main"]
