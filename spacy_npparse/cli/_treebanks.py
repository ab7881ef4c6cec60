"""Treebanks whose words a parser scores."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import typer

from spacy_npparse.cli._app import fail
from spacy_npparse.components.constraints.given import quoted
from spacy_npparse.treebank import Sentence
from spacy_npparse.treebank.contraction import uncut_tokens
from spacy_npparse.trees.missing import NO_HEAD


def without_uncut_tokens(sentences: Iterable[Sentence], path: Path) -> list[Sentence]:
    """Leave out sentences some of whose words are not tokens of a Doc, and print their number.

    Args:
        sentences: The sentences.
        path: The file that they come from.

    Returns:
        The other sentences.
    """
    kept: list[Sentence] = []
    left_out: list[str] = []
    for sentence in sentences:
        if uncut := uncut_tokens(sentence):
            name = f"sentence {sentence.sent_id}" if sentence.sent_id else quoted(sentence.text)
            left_out.append(f"{uncut[0].row.form!r} in {name}")
        else:
            kept.append(sentence)
    if left_out:
        typer.echo(
            f"⚠ {path}: {len(left_out):,} sentences are left out, because they contain a multiword "
            f"token with fewer characters than words ({left_out[0]})",
            err=True,
        )
    return kept


def check_no_treebank(folder: Path) -> None:
    """End the program with an error message if a folder to write to is a treebank.

    Args:
        folder: The folder.
    """
    if any(folder.glob("*-ud-*.conllu")):
        fail(
            f"{folder} is a treebank. The last argument is the folder to write to: give another "
            "one."
        )


def check_heads(sentences: Iterable[Sentence], path: Path) -> None:
    """End the program with an error message if no word has a head.

    Args:
        sentences: The sentences.
        path: The file that they come from.
    """
    # All sentences are read, so that malformed ones are found.
    if not sum(any(head != NO_HEAD for head in one.heads[1:]) for one in sentences):
        fail(f"{path}: no word with a head. Give a treebank in CoNLL-U.")
