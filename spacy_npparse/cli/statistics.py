"""`statistics`: what the trees of a treebank are like."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from ..treebank import read_conllu
from ..treebank.files import replacing
from ..treebank.statistics import treebank_statistics
from ._app import app, fail, user_errors


@app.command()
@user_errors
def statistics(
    files: Annotated[list[Path], typer.Argument(help="CoNLL-U files, counted together.")],
    json_path: Annotated[
        Path | None, typer.Option("--json", help="Write all counts to this file.")
    ] = None,
) -> None:
    """Show how often the trees of a treebank cross, and which parsers can build them.

    Non-projective sentences and arcs, gap degree and edge degree; how many sentences are
    projective, MH4, 1-endpoint-crossing and well-nested; and for each transition system how many
    sentences its static oracles derive, in how many transitions, reordering how often.

    Examples:

    \b
      python -m spacy_npparse statistics train.conllu
      python -m spacy_npparse statistics train.conllu dev.conllu --json statistics.json
    """
    sentences = list(chain.from_iterable(map(read_conllu, files)))
    try:
        found = treebank_statistics(sentences)
    except ValueError as error:
        fail(f"{', '.join(map(str, files))}: {error}")
    typer.echo(found.table())
    if json_path is not None:
        with replacing(json_path) as file:
            file.write(json.dumps(found.as_dict(), indent=2).encode())
