"""The command `learn-rules`, which sets the label rules of a trained pipeline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spacy_npparse.cli._app import app, fail, user_errors
from spacy_npparse.cli._outputs import check_new_folder
from spacy_npparse.cli._pipeline import Code, Model, load_parser
from spacy_npparse.cli._report import print_result, read_gold
from spacy_npparse.cli._treebanks import check_heads
from spacy_npparse.components import DependencyParser
from spacy_npparse.files import replacing_folder
from spacy_npparse.tables import text
from spacy_npparse.treebank.label_rules import rules_table, treebank_rules


@app.command()
@user_errors
def learn_rules(
    model: Model,
    treebank: Annotated[
        Path,
        typer.Argument(metavar="TREEBANK", help="CoNLL-U file that the parser was trained on."),
    ],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="New folder for the pipeline.")],
    code: Code = None,
) -> None:
    """Set the label rules of a trained pipeline.

    The command learns the rules that the labels in TREEBANK follow, such as one subject for each
    verb, and sets them in all parsers of the pipeline, instead of the rules that they have. Weights
    do not change. Parsers learn rules in training, so you need this command only for pipelines that
    were trained with a version before 0.3, or trained further on another treebank. The setting
    label_rules of a parser determines how it uses them.

    Examples:

    \b
      python -m spacy_npparse learn-rules training/model-best train.conllu training/with-rules
    """
    check_new_folder(output, model)
    sentences = read_gold(treebank, "learn from")
    check_heads(sentences, treebank)
    rules = treebank_rules(sentences)
    nlp = load_parser(model, -1, code)
    parsers = [pipe for _, pipe in nlp.components if isinstance(pipe, DependencyParser)]
    if not parsers:
        fail(
            f"{model}: this pipeline has no parser of spacy_npparse, only: "
            f"{', '.join(nlp.component_names)}. Give a pipeline with such a parser."
        )
    for parser in parsers:
        parser.label_rules = rules
    with replacing_folder(output) as folder:
        nlp.to_disk(folder)
    print_result(text(rules_table(rules)) if rules else "The labels follow no rules.")
