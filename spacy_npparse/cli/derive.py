"""`derive`: how the tree of a sentence is built, step by step."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language
from spacy.tokens import Doc

from spacy_npparse.cli._app import app, fail, user_errors
from spacy_npparse.cli._pipeline import load_parser
from spacy_npparse.cli._texts import STDIN, check_lengths, read_texts
from spacy_npparse.components.dependency_parser import DependencyParser
from spacy_npparse.files import replacing
from spacy_npparse.systems import get_transition_system, transition_systems
from spacy_npparse.transitions import Derivation, UncoveredTree
from spacy_npparse.treebank import (
    Sentence,
    doc_from_sentences,
    read_conllu,
    sentence_derivation,
    unannotated_doc,
)
from spacy_npparse.trees import complete_heads
from spacy_npparse.visualisation import derivation_table, render_derivation

_DEFAULT_SYSTEM = "arc_hybrid_swap"


@app.command()
@user_errors
def derive(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="The sentences: .conllu; with --model also .txt, one text a line, or - for stdin.",
        ),
    ],
    sentence: Annotated[
        str, typer.Option(help="Which one: its number in the file, from 1, or its sent_id.")
    ] = "1",
    system: Annotated[
        str | None,
        typer.Option(help=f"Transition system of a gold derivation.  [default: {_DEFAULT_SYSTEM}]"),
    ] = None,
    oracle: Annotated[
        str | None,
        typer.Option(
            help="Oracle that gives the costs.  [default: the system's first, or the model's]"
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(help="Show how this pipeline's parser derives its tree, not the gold tree."),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(help="Write a page to step through, instead of printing a table."),
    ] = None,
) -> None:
    """Show the derivation of a sentence: configuration after configuration.

    Each line has stack, buffer and what else the system has, the transition that is taken, the arcs
    that it adds, and the alternatives with their oracle costs in brackets and, for a model, their
    probabilities or scores. With the trees of a .conllu file, a model's decisions have costs too.

    Examples:

    \b
      python -m spacy_npparse derive dev.conllu --sentence 7 --html derivation.html
      python -m spacy_npparse derive dev.conllu --system covington --oracle dynamic
      python -m spacy_npparse derive dev.conllu --sentence 7 --model training/model-best
      echo "Was glaubst du?" | python -m spacy_npparse derive - --model training/model-best
    """
    if model is None:
        if source.suffix != ".conllu":
            fail(f"{source} has no gold trees to derive. Give a .conllu file, or a --model.")
        found = _gold(_find(source, sentence), source, system or _DEFAULT_SYSTEM, oracle)
    else:
        if system is not None:
            fail("A model has a transition system of its own. Give --system or --model, not both.")
        found = _predicted(model, source, sentence, oracle)
    if html is None:
        width = shutil.get_terminal_size((200, 24)).columns
        typer.echo(derivation_table(found, width=width))
        return
    page = render_derivation(found)
    with replacing(html) as file:
        file.write(page.encode("utf-8"))
    typer.echo(f"{html}: {len(found.transitions):,} transitions", err=True)


def _find(path: Path, wanted: str) -> Sentence:
    """The sentence with this number or sent_id."""
    number = 0
    for number, sentence in enumerate(read_conllu(path), 1):
        if wanted == str(number) or wanted == sentence.sent_id:
            return sentence
    fail(
        f"{path}: no sentence {wanted!r} among {number:,} sentences. Give a number from 1 or a "
        "sent_id."
    )


def _gold(sentence: Sentence, path: Path, system: str, oracle: str | None) -> Derivation:
    try:
        return sentence_derivation(sentence, system, oracle)
    except UncoveredTree as error:
        heads = complete_heads(sentence.integer_heads)
        others = [name for name in sorted(transition_systems.get_all()) if _covers(name, heads)]
        fail(
            f"{path}: {error}. Take an oracle that explores, or a system that covers it: "
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


def _predicted(path: Path, source: Path, wanted: str, oracle: str | None) -> Derivation:
    """The derivation that a pipeline finds."""
    inputs: Iterable[tuple[Doc | str, Doc | None]]
    # Whatever is wrong with the input shows before the time to load is spent.
    if source.suffix == ".conllu":
        sentence = _find(source, wanted)
        parser, nlp = _load(path)
        doc = unannotated_doc([sentence], nlp.vocab, sentence_starts=True)
        inputs, wanted = [(doc, doc_from_sentences([sentence], nlp.vocab))], "1"
    elif source.suffix == ".txt" or source == STDIN:
        texts = read_texts(source)
        parser, nlp = _load(path)
        check_lengths(texts, source, nlp)
        inputs = ((text, None) for text in texts.values())
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
        fail(f"{path}: {error}")
    fail(f"{source}: no sentence {wanted!r} among {number:,} sentences. Give a number from 1.")


def _load(path: Path) -> tuple[DependencyParser, Language]:
    """A pipeline and its parser."""
    nlp = load_parser(path, -1)
    parsers = [pipe for _, pipe in nlp.pipeline if isinstance(pipe, DependencyParser)]
    if not parsers:
        fail(
            f"{path}: its parser shows no derivations. Give a pipeline with one parser of this "
            "package that has a transition system; of an ensemble, one of the members."
        )
    return parsers[-1], nlp
