"""The command line: `python -m spacy_npparse`, or `python -m spacy npparse`."""

# Importing a module adds its command to the app.
from spacy_npparse.cli import (  # noqa: F401
    annotate,
    calibrate,
    check,
    compare,
    convert,
    derive,
    evaluate,
    init_config,
    leaderboard,
    learn_rules,
    parse,
    pipelines,
    prepare,
    score,
    select,
    serve,
    statistics,
    sweep,
)
from spacy_npparse.cli._app import app


def main() -> None:
    """Run the program."""
    app(prog_name="python -m spacy_npparse")


__all__ = ["app", "main"]
