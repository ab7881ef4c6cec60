"""The command `check`, which lists the arcs of a treebank that its own parsers contradict."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from spacy_npparse.annotation.contradictions import (
    FoundContradictions,
    contradiction_table,
    ranked,
    with_contradictions,
)
from spacy_npparse.cli._app import app, fail, provenance_of, user_errors
from spacy_npparse.cli._outputs import check_outputs
from spacy_npparse.cli._pipeline import Code
from spacy_npparse.cli._report import print_result, progress, write_text
from spacy_npparse.cli._runs import find_config
from spacy_npparse.cli._threads import Threads
from spacy_npparse.cli._treebanks import check_heads, without_uncut_tokens
from spacy_npparse.laboratory import (
    BareParser,
    FailedCommandError,
    Task,
    config_path,
    contestant,
    contradictions_by_fold,
)
from spacy_npparse.treebank import Sentence, read_conllu
from spacy_npparse.treebank.sentence import conllu_text
from spacy_npparse.visualisation import render_contradictions

# The default number of listed arcs, as a share of the words.
_SHARE = 0.01

_Parser = Annotated[str, typer.Option(help="Factory without `_parser`, optionally with settings.")]
_Config = Annotated[
    Path | None,
    typer.Option(
        help="Training config whose encoder and parser are trained.  [default: this package's "
        "fast.cfg]"
    ),
]


@app.command()
@user_errors
def check(
    context: typer.Context,
    treebank: Annotated[
        Path, typer.Argument(metavar="TREEBANK", help="CoNLL-U file with the trees to check.")
    ],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="Folder to write to.")],
    parser: _Parser = "arc_hybrid_swap",
    config: _Config = None,
    updates: Annotated[int, typer.Option(min=1, help="Updates of each training.")] = 2000,
    folds: Annotated[int, typer.Option(min=3, help="Number of parts of the treebank.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the trainings.")] = 0,
    arcs: Annotated[
        int | None, typer.Option(min=1, help="Number of arcs to list.  [default: 1 % of the words]")
    ] = None,
    threads: Threads = 1,
    code: Code = None,
) -> None:
    """List probable errors of a treebank.

    The command splits the treebank into parts. For each part, it trains and calibrates a parser on
    the other parts. It lists the arcs of the part for which this parser considers another head or
    label more probable, if the sentence remains a tree with that arc. The list is sorted by the
    ratio of the two probabilities. OUT contains the list (contradictions.tsv), the trees
    (contradictions.html), and the treebank with a note in MISC for each arc of the list
    (contradictions.conllu).

    Examples:

    \b
      python -m spacy_npparse check train.conllu checked
      python -m spacy_npparse check train.conllu checked --folds 10 --updates 4000 --arcs 500
    """
    targets = {suffix: output / f"contradictions.{suffix}" for suffix in ("tsv", "conllu", "html")}
    check_outputs(targets.values(), [treebank, config, code])
    sentences = list(read_conllu(treebank))
    check_heads(without_uncut_tokens(sentences, treebank), treebank)
    if len(sentences) < folds:
        fail(f"{treebank}: {len(sentences)} sentences are too few for {folds} folds.")
    task = Task(treebank, treebank, find_config(config or config_path("fast"), code), updates, code)
    found = _find(sentences, parser, task, folds, seed)
    n_words = sum(one.n_words for one in found)
    contradicted = ranked(arc for one in found for arc in one.contradictions)
    listed = contradicted[: arcs or max(1, round(_SHARE * n_words))]
    source = provenance_of(context, [treebank])
    title = f"Contradicted arcs of {treebank.name}"
    noted = with_contradictions(listed, sentences)
    write_text(contradiction_table(listed, sentences), targets["tsv"])
    write_text(conllu_text(noted), targets["conllu"])
    write_text(render_contradictions(listed, sentences, source, title=title), targets["html"])
    print_result(
        f"{n_words:,} arcs, {len(contradicted):,} of them contradicted, the {len(listed):,} most "
        f"confident ones in {output}"
    )
    if n_unknown := sum(one.n_unknown for one in found):
        typer.echo(
            f"⚠ {n_unknown:,} words have labels that their parser had not seen: only their heads "
            "were compared.",
            err=True,
        )


def _find(
    sentences: Sequence[Sentence], parser: str, task: Task, folds: int, seed: int
) -> list[FoundContradictions]:
    """Find the contradictions in each fold."""
    try:
        named = contestant(parser)
        if named.is_peer or "pseudo_projective" in parser:
            raise ValueError(
                f"--parser {parser}: check needs a parser of this package with probabilities of "
                "the arcs that it predicts. Give a factory without `_parser`, no pseudo-projective "
                "one."
            )
        named.check(task)
        results = contradictions_by_fold(sentences, BareParser(named.name), task, folds, seed)
        return list(progress(results, "fold", folds))
    except (FailedCommandError, ValueError) as error:
        fail(str(error))
