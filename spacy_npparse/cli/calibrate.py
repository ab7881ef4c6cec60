"""The command `calibrate`, which fits temperatures for the probabilities of a parser."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language

from spacy_npparse.annotation.calibration import Predictions, read_gold
from spacy_npparse.annotation.posteriors import encode_sentences, parser_of
from spacy_npparse.cli._app import app, provenance_of, user_errors
from spacy_npparse.cli._outputs import check_new_folder, check_outputs, pipeline_files
from spacy_npparse.cli._pipeline import BatchSize, Code, GpuId, Model, Treebank, load_parser
from spacy_npparse.cli._report import as_json, progress, report
from spacy_npparse.cli._threads import Threads
from spacy_npparse.cli._treebanks import check_heads, without_uncut_tokens
from spacy_npparse.evaluation.reliability import CalibrationComparison, reliability
from spacy_npparse.files import replacing_folder
from spacy_npparse.models import assume_treebank
from spacy_npparse.treebank import Sentence, read_conllu
from spacy_npparse.treebank_names import treebank_name
from spacy_npparse.visualisation import render_calibration

# The rows of the table, in the order of `Predictions.reliabilities`.
_NAMES = ("heads", "labels of correct heads", "labelled arcs")


@app.command()
@user_errors
def calibrate(
    context: typer.Context,
    model: Model,
    dev: Annotated[
        Path,
        typer.Argument(
            metavar="DEV", help="CoNLL-U file with gold trees that are not training data."
        ),
    ],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="New folder for the pipeline.")],
    test: Annotated[
        Path | None,
        typer.Option(
            help="CoNLL-U file to evaluate on.  [default: DEV; the result is then optimistic]"
        ),
    ] = None,
    json_path: Annotated[
        Path | None, typer.Option("--json", help="Write all numbers to this file.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="Write a page with reliability diagrams to this file.")
    ] = None,
    gpu_id: GpuId = -1,
    batch_size: BatchSize = None,
    threads: Threads = 1,
    treebank: Treebank = None,
    code: Code = None,
) -> None:
    """Calibrate the probabilities of a parser.

    The command fits one temperature for heads and one for labels to DEV, and saves them with the
    pipeline in OUT. Scores are divided by the temperatures before they are converted to
    probabilities. Trees do not change. The table shows the expected calibration error, which is the
    mean absolute difference between probability and accuracy over 15 bins. By default, a
    pipeline of several treebanks parses in the style that it was saved with, or else that of DEV.

    Examples:

    \b
      python -m spacy_npparse calibrate training/model-best dev.conllu training/calibrated
      python -m spacy_npparse calibrate training/model-best dev.conllu training/calibrated \\
          --test test.conllu --html calibration.html
    """
    check_new_folder(output, model)
    check_outputs([output, json_path, html], [dev, test, code, *pipeline_files(model)])
    trees = {path: _read(path) for path in (dev, test) if path is not None}
    nlp = load_parser(model, gpu_id, code, treebank)
    if treebank is None:
        assume_treebank(nlp, treebank_name(dev))
    predictions = {path: _predict(nlp, gold, path, batch_size) for path, gold in trees.items()}
    found = _calibrate(nlp, predictions[dev], predictions[test or dev])
    with replacing_folder(output) as folder:
        nlp.to_disk(folder)
    source = provenance_of(context, trees)
    title = f"Calibration on {(test or dev).name}"
    report(
        found.table(),
        (json_path, lambda: as_json(found.as_dict(), source)),
        (html, lambda: render_calibration(found, source, title=title)),
    )


def _calibrate(
    nlp: Language, predictions: Predictions, measured: Predictions
) -> CalibrationComparison:
    """Fit the temperatures of the parser to predictions, and evaluate them on others."""
    parser = parser_of(nlp)
    before, found = parser.temperatures, measured.reliabilities()
    parser.temperatures = after = predictions.fit_temperatures()
    return CalibrationComparison(
        {"heads": (before.heads, after.heads), "labels": (before.labels, after.labels)},
        {
            name: (reliability(*one), reliability(*other))
            for name, one, other in zip(_NAMES, found, measured.reliabilities(), strict=True)
            if one.size
        },
    )


def _read(path: Path) -> list[Sentence]:
    """Read a file that must have at least one gold arc."""
    sentences = without_uncut_tokens(read_conllu(path), path)
    check_heads(sentences, path)
    return sentences


def _predict(
    nlp: Language, sentences: Sequence[Sentence], path: Path, batch_size: int | None
) -> Predictions:
    labels = parser_of(nlp).label_data
    gold = read_gold(sentences, labels)
    if gold.unknown:
        n_unknown = sum(
            head > 0 and word.deprel in gold.unknown
            for one in sentences
            for head, word in zip(one.heads[1:], one.words, strict=True)
        )
        typer.echo(
            f"⚠ {path}: {n_unknown} words have labels that the parser does not know, and are left "
            f"out where labels are measured: {', '.join(gold.unknown)}",
            err=True,
        )
    shown = progress(sentences, "sentence", len(sentences), title=path.name)
    return Predictions(encode_sentences(nlp, shown, batch_size or nlp.batch_size), gold)
