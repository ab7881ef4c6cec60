"""The command `statistics`, which counts non-projective trees and the coverage of systems."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from spacy_npparse.cli._app import app, fail, provenance_of, user_errors
from spacy_npparse.cli._outputs import check_outputs
from spacy_npparse.cli._report import as_json, report
from spacy_npparse.treebank import ConlluError, read_conllu
from spacy_npparse.treebank.statistics import treebank_statistics
from spacy_npparse.visualisation import render_statistics


@app.command()
@user_errors
def statistics(
    context: typer.Context,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="CoNLL-U files of one treebank.")
    ],
    json_path: Annotated[
        Path | None, typer.Option("--json", help="Write all counts to this file.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page with plots to this file.")] = None,
) -> None:
    """Describe the trees of a treebank.

    The command counts non-projective sentences and arcs, gap degrees and edge degrees, and the
    trees that are projective, MH4, one-endpoint-crossing or well-nested. For each transition
    system, it counts the sentences that its static oracles derive, and the transitions and
    reorderings of the derivations. It also lists the rules that the labels follow.

    Examples:

    \b
      python -m spacy_npparse statistics train.conllu
      python -m spacy_npparse statistics train.conllu dev.conllu --json statistics.json
      python -m spacy_npparse statistics train.conllu --html statistics.html
    """
    check_outputs([json_path, html], files)
    sentences = chain.from_iterable(map(read_conllu, files))
    try:
        found = treebank_statistics(sentences)
    except ConlluError:
        raise
    except ValueError as error:
        fail(f"{', '.join(map(str, files))}: {error}")
    source = provenance_of(context, files)
    title = f"Statistics of {', '.join(path.name for path in files)}"
    report(
        found.table(),
        (json_path, lambda: as_json(found.as_dict(), source)),
        (html, lambda: render_statistics(found, source, title=title)),
    )
