"""The command `derive`, which shows the derivation of a sentence."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language
from spacy.tokens import Doc

from spacy_npparse.cli._app import app, fail, provenance_of, user_errors
from spacy_npparse.cli._outputs import check_outputs, pipeline_files
from spacy_npparse.cli._pipeline import Code, Treebank, load_parser
from spacy_npparse.cli._report import as_json, print_result, progress, report, write_text
from spacy_npparse.cli._texts import STDIN, check_text, read_file, rereadable
from spacy_npparse.cli._threads import Threads
from spacy_npparse.cli._treebanks import check_heads
from spacy_npparse.components.dependency_parser import DependencyParser
from spacy_npparse.evaluation.repairs import count_repairs
from spacy_npparse.imported_code import import_code
from spacy_npparse.systems import get_transition_system, transition_systems
from spacy_npparse.transitions import Derivation, UncoveredTree
from spacy_npparse.treebank import (
    Paragraph,
    Sentence,
    doc_from_sentences,
    read_conllu,
    sentence_derivation,
    unannotated_doc,
)
from spacy_npparse.trees import complete_heads
from spacy_npparse.visualisation import derivation_table, render_derivation

_DEFAULT_SYSTEM = "arc_hybrid_swap"


_Source = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="A .conllu file; with --model also .txt, or - for text on stdin."
    ),
]
_SentenceOption = Annotated[
    str | None,
    typer.Option(help="Number of the sentence, from 1, or its sent_id.  [default: 1]"),
]
_System = Annotated[
    str | None,
    typer.Option(help=f"Transition system of a gold derivation.  [default: {_DEFAULT_SYSTEM}]"),
]
_Oracle = Annotated[
    str | None,
    typer.Option(
        help="Oracle whose costs are shown.  [default: static, or eager for arc_standard_swap; "
        "with --model, that of its training]"
    ),
]
_Model = Annotated[
    str | None,
    typer.Option(
        help="Show the derivation that the parser of this pipeline predicts (a folder or an "
        "installed package)."
    ),
]
_Html = Annotated[
    Path | None,
    typer.Option(help="Write a page for stepping through the derivation, instead of a table."),
]
_Repairs = Annotated[
    bool,
    typer.Option(
        "--repairs",
        help="Instead of showing a derivation, count the repairs that non-monotonic transitions "
        "of --model make in all sentences.",
    ),
]
_Json = Annotated[
    Path | None, typer.Option("--json", help="With --repairs, write the counts to this file.")
]


@app.command()
@user_errors
def derive(
    context: typer.Context,
    source: _Source,
    sentence: _SentenceOption = None,
    system: _System = None,
    oracle: _Oracle = None,
    model: _Model = None,
    html: _Html = None,
    repairs: _Repairs = False,
    json_path: _Json = None,
    threads: Threads = 1,
    treebank: Treebank = None,
    code: Code = None,
) -> None:
    """Show the derivation of a sentence step by step.

    Each row shows the configuration, the transition that is taken, the arcs that it adds, and all
    legal transitions with their oracle costs in brackets. With --model, it also shows the
    probabilities or scores of the transitions, and shows the costs only if the file contains gold
    trees.

    With --repairs, the command counts the heads that non-monotonic transitions replace, remove or
    add to revise an earlier decision, and how many of these become correct or wrong.

    Examples:

    \b
      python -m spacy_npparse derive dev.conllu --sentence 7 --html derivation.html
      python -m spacy_npparse derive dev.conllu --system covington --oracle dynamic
      python -m spacy_npparse derive dev.conllu --sentence 7 --model training/model-best
      python -m spacy_npparse derive dev.conllu --model training/model-best --repairs
      echo "Was glaubst du?" | python -m spacy_npparse derive - --model training/model-best
    """
    check_outputs([html, json_path], [source, code, *pipeline_files(model)])
    import_code(code)
    if json_path is not None and not repairs:
        fail("--json is for counts. Give --repairs with it.")
    if repairs:
        if model is None or source.suffix != ".conllu":
            fail("--repairs compares a parser with gold trees. Give --model and a .conllu file.")
        if any(option is not None for option in (sentence, system, oracle, html)):
            fail(
                "--repairs counts in all sentences and shows no costs. Combine it only with --json."
            )
        _count_repairs(context, model, source, json_path, treebank)
        return
    if model is None and treebank is not None:
        fail("--treebank is for a parser of several treebanks. Give --model with it.")
    if model is None:
        found = _gold(source, sentence or "1", system or _DEFAULT_SYSTEM, oracle)
    elif system is not None:
        fail("A model has a transition system of its own. Give --system or --model, not both.")
    else:
        found = _predicted(model, source, sentence or "1", oracle, treebank)
    if html is None:
        width = shutil.get_terminal_size((200, 24)).columns
        print_result(derivation_table(found, width=width))
        return
    write_text(render_derivation(found), html)
    typer.echo(f"{html}: {len(found.transitions):,} transitions", err=True)


def _count_repairs(
    context: typer.Context,
    model: str,
    source: Path,
    json_path: Path | None,
    treebank: str | None,
) -> None:
    """Count the repairs that the parser of the pipeline makes, and report them."""
    # Find errors in the input before the pipeline is loaded.
    sentences = list(read_conllu(source))
    parser, nlp = _load(model, treebank)

    def derivations() -> Iterator[Derivation]:
        for sentence in progress(sentences, "sentence"):
            doc = unannotated_doc([sentence], nlp.vocab)
            gold = doc_from_sentences([sentence], nlp.vocab)
            yield from parser.derivations(nlp(doc), gold=gold)

    try:
        found = count_repairs(derivations())
    except ValueError as error:
        fail(f"{source}, {model}: {error}")
    source_of = provenance_of(context, [source])
    report(found.table(), (json_path, lambda: as_json(found.as_dict(), source_of)))


def _find(path: Path, wanted: str) -> Sentence:
    """Find the sentence with this number, or otherwise with this sent_id."""
    number, with_id = 0, None
    for number, sentence in enumerate(read_conllu(path), 1):
        if wanted == str(number):
            return sentence
        if with_id is None and wanted == sentence.sent_id:
            with_id = sentence
    if with_id is not None:
        return with_id
    fail(
        f"{path}: no sentence {wanted!r} among {number:,} sentences. Give a number from 1 or a "
        "sent_id."
    )


def _gold(path: Path, wanted: str, system: str, oracle: str | None) -> Derivation:
    """Find the derivation of a gold tree."""
    if path.suffix != ".conllu":
        fail(f"{path} has no gold trees to derive. Give a .conllu file, or a --model.")
    sentence = _find(path, wanted)
    check_heads([sentence], path)
    try:
        return sentence_derivation(sentence, system, oracle)
    except UncoveredTree as error:
        heads = complete_heads(sentence.heads)
        others = [name for name in sorted(transition_systems.get_all()) if _covers(name, heads)]
        fail(
            f"{path}: {error}. Give a dynamic oracle, or a system that covers it: "
            f"{', '.join(others)}."
        )
    except ValueError as error:
        fail(str(error))


def _covers(system: str, heads: list[int]) -> bool:
    found = get_transition_system(system)
    try:
        found.oracle(found.oracles[0], heads).derivation()
    except UncoveredTree:
        return False
    return True


def _predicted(
    model: str, source: Path, wanted: str, oracle: str | None, treebank: str | None
) -> Derivation:
    """Find the derivation that a pipeline predicts."""
    inputs: Iterable[tuple[Doc | str, Doc | None]]
    # Find errors in the input before the pipeline is loaded.
    if source.suffix == ".conllu":
        sentence = _find(source, wanted)
        parser, nlp = _load(model, treebank)
        doc = unannotated_doc([sentence], nlp.vocab)
        inputs, wanted = [(doc, doc_from_sentences([sentence], nlp.vocab))], "1"
    elif source.suffix == ".txt" or source == STDIN:
        if oracle is not None:
            fail("--oracle is for costs, which only sentences with gold trees have.")
        with rereadable(source) as path:
            known = check_text(path, source)
            parser, nlp = _load(model, treebank)
            known.check_lengths(nlp)
            found = [unit.content for unit in read_file(path, source)]
            inputs = [(one.text, None) for one in found if isinstance(one, Paragraph)]
    else:
        fail(f"Cannot read {source}. Give a .conllu file, a .txt file, or - for text on stdin.")
    number = 0
    try:
        for given, gold in inputs:
            for derivation in parser.derivations(nlp(given), gold=gold, oracle=oracle):
                number += 1
                if wanted == str(number):
                    return derivation
    except ValueError as error:
        fail(f"{model}: {error}")
    fail(f"{source}: no sentence {wanted!r} among {number:,} sentences. Give a number from 1.")


def _load(name: str, treebank: str | None) -> tuple[DependencyParser, Language]:
    """Load a pipeline, and find its parser."""
    nlp = load_parser(name, -1, None, treebank)
    parsers = [pipe for _, pipe in nlp.pipeline if isinstance(pipe, DependencyParser)]
    if not parsers:
        fail(
            f"{name}: its parser has no derivations. Give a pipeline with a parser of this package "
            "that has a transition system; instead of an ensemble, one of its members."
        )
    return parsers[-1], nlp
