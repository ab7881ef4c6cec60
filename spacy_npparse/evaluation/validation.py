"""Counts of the syntax errors that the official validator of Universal Dependencies finds.

The validator is called as a program, not imported, because its licence differs. It gets only the
parts of a sentence that its tests of trees read: FORM, UPOS, FEATS, HEAD and DEPREL, and whether
white space follows. Gold and predicted trees are thus tested alike, whatever else their files
contain.

Source: https://universaldependencies.org/contributing/validation.html
"""

from __future__ import annotations

import re
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from spacy_npparse.errors import UserError
from spacy_npparse.extras import UDTOOLS, optional_version
from spacy_npparse.tables import Column, Table, columns, count, text
from spacy_npparse.treebank import Sentence
from spacy_npparse.treebank.docs import has_no_space_after
from spacy_npparse.treebank.sentence import EMPTY

_OPTIONS = ("--level", "3", "--lang", "ud", "--max-err", "0")
# An error in the program's output: sentence, level, class and test.
_ERROR = re.compile(r"\[Line [^]]* Sent (\d+)\]: \[L(\d) ([A-Z]+) ([^\] ]+)\]")
# The program reports the missing text of each sentence just before it tests the tree, and after all
# tests that make it give up a sentence.
_REACHED = "missing-text"
_SUMMARY = re.compile(r"^\*\*\* (PASSED|FAILED) \*\*\*", re.MULTILINE)


class ValidatorError(UserError, RuntimeError):
    """A failure of the validator. The message has the end of its output."""


@dataclass(frozen=True)
class TreeErrors:
    """The errors in the trees of some sentences.

    Attributes:
        by_test: The number of errors by the name of the test, without tests that have none.
        n_words: The number of words of the validated sentences.
        n_sentences: The number of all sentences.
        n_incomplete: The number of sentences with words without UPOS, HEAD or DEPREL, which cannot
            be validated.
        n_refused: The number of other sentences that the validator gives up, because they have
            several roots or malformed FEATS, or because it fails.
    """

    by_test: Mapping[str, int]
    n_words: int
    n_sentences: int
    n_incomplete: int
    n_refused: int

    @property
    def n_errors(self) -> int:
        """The number of errors."""
        return sum(self.by_test.values())

    def per_1000_words(self, n_errors: int) -> float | None:
        """Compute the number of errors per 1,000 words; None without words.

        Args:
            n_errors: The number of errors.
        """
        return 1000 * n_errors / self.n_words if self.n_words else None

    def as_dict(self) -> dict[str, Any]:
        """Convert all counts to JSON."""
        return {
            "errors": self.n_errors,
            "errors_per_1000_words": self.per_1000_words(self.n_errors),
            "by_test": dict(self.by_test),
            "words": self.n_words,
            "sentences": self.n_sentences,
            "sentences_incomplete": self.n_incomplete,
            "sentences_refused": self.n_refused,
        }


@dataclass(frozen=True)
class Validation:
    """The errors in gold and predicted trees.

    Attributes:
        validator: The name and the version of the validator.
        gold: The errors in the gold trees.
        predicted: The errors in the predicted trees.
    """

    validator: str
    gold: TreeErrors
    predicted: TreeErrors

    def as_dict(self) -> dict[str, Any]:
        """Convert all counts to JSON."""
        return {
            "validator": self.validator,
            "gold": self.gold.as_dict(),
            "predicted": self.predicted.as_dict(),
        }

    def table(self) -> Table:
        """Make the table of errors by test, the most frequent in predicted trees first, and in
        total."""
        gold, predicted = self.gold.by_test, self.predicted.by_test
        tests = sorted(
            {*gold, *predicted},
            key=lambda test: (-predicted.get(test, 0), -gold.get(test, 0), test),
        )
        rows = [self._row(test, gold.get(test, 0), predicted.get(test, 0)) for test in tests]
        rows.append(self._row("All", self.gold.n_errors, self.predicted.n_errors))
        return Table(
            "Syntax errors",
            [
                Column("Syntax errors"),
                *columns(("Gold", "Predicted"), count),
                *columns(("Gold/1,000 words", "Predicted/1,000 words"), "{:.2f}".format),
            ],
            rows,
        )

    def text(self) -> str:
        """Write the table, and notes on what it counts and leaves out."""
        notes = [_notes("gold", self.gold), _notes("predicted", self.predicted)]
        title = f"Validator of Universal Dependencies ({self.validator}), syntax, level 3:"
        return text(title, self.table(), "\n".join(chain.from_iterable(notes)))

    def _row(self, test: str, gold: int, predicted: int) -> list[Any]:
        rates = self.gold.per_1000_words(gold), self.predicted.per_1000_words(predicted)
        return [test, gold, predicted, *rates]


def validate_sentences(gold: Iterable[Sentence], predicted: Iterable[Sentence]) -> Validation:
    """Count the syntax errors of level 3 in gold and predicted trees, such as too many subjects, a
    conjunct before its head, a relation that does not fit UPOS, or a dependent of a function word.

    The tests are those that apply to all languages.

    Args:
        gold: The gold sentences.
        predicted: The predicted sentences, which may have other tokens and boundaries.

    Raises:
        MissingExtraError: The validator is not installed.
        ValidatorError: The validator does not run.
    """
    version = optional_version(UDTOOLS)
    return Validation(f"udtools {version}", _errors(list(gold)), _errors(list(predicted)))


def _errors(sentences: list[Sentence]) -> TreeErrors:
    complete = [one for one in sentences if _is_complete(one)]
    by_test: Counter[str] = Counter()
    n_words = n_validated = 0
    for sentence, found in _validated(complete):
        n_words += len(sentence.words)
        n_validated += 1
        by_test.update(found)
    return TreeErrors(
        by_test=dict(by_test.most_common()),
        n_words=n_words,
        n_sentences=len(sentences),
        n_incomplete=len(sentences) - len(complete),
        n_refused=len(complete) - n_validated,
    )


def _is_complete(sentence: Sentence) -> bool:
    """Check that a sentence has what the tests read. The program fails at words without UPOS or
    DEPREL."""
    return all(EMPTY not in (word.upos, word.head, word.deprel) for word in sentence.words)


def _validated(sentences: list[Sentence]) -> Iterator[tuple[Sentence, list[str]]]:
    """Find the sentences whose trees the program tests, with the tests that fail."""
    begin = 0
    while begin < len(sentences):
        found, is_finished = _run(sentences[begin:])
        # The program fails at the sentence that it reported on last.
        end = len(sentences) if is_finished else begin + max(found)
        for number, errors in sorted(found.items()):
            if begin + number < end and (2, "METADATA", _REACHED) in errors:
                yield (
                    sentences[begin + number],
                    [test for level, kind, test in errors if (level, kind) == (3, "SYNTAX")],
                )
        begin = end + 1


def _run(sentences: list[Sentence]) -> tuple[dict[int, list[tuple[int, str, str]]], bool]:
    """Find the level, class and test of each error by the number of the sentence, and whether the
    program finished."""
    conllu = "".join(map(_tree, range(len(sentences)), sentences))
    # The module of this environment, not a program on the path.
    command = [sys.executable, "-X", "utf8", "-m", "udtools.cli", *_OPTIONS, "-"]
    result = subprocess.run(command, input=conllu.encode("utf-8"), capture_output=True)
    output = result.stderr.decode("utf-8", "replace")
    found: dict[int, list[tuple[int, str, str]]] = {}
    for line in output.split("\n"):
        if match := _ERROR.match(line):
            number, level, test_class, test = match.groups()
            found.setdefault(int(number), []).append((int(level), test_class, test))
    # The exit code does not distinguish a traceback from errors in the treebank.
    is_finished = _SUMMARY.search(output) is not None
    if not found and not is_finished:
        last = output.strip().split("\n")[-1]
        raise ValidatorError(
            f"The validator does not run ({last or 'no message'}). Install udtools again, or "
            "leave out --validate."
        )
    return found, is_finished


def _tree(number: int, sentence: Sentence) -> str:
    """Write a sentence for the validator as CoNLL-U."""
    rows = (
        word._replace(
            lemma=EMPTY,
            xpos=EMPTY,
            deps=EMPTY,
            misc="SpaceAfter=No" if has_no_space_after(word) else EMPTY,
        )
        for word in sentence.words
    )
    conllu = "\n".join([f"# sent_id = {number}", *map("\t".join, rows), "\n"])
    # The program prints the names of characters that are not normalised, and fails if they have
    # none.
    return unicodedata.normalize("NFC", conllu)


def _notes(side: str, errors: TreeErrors) -> Iterator[str]:
    """Explain what the counts of gold or predicted trees leave out."""
    of = f"Of {errors.n_sentences:,} {side} sentences"
    if errors.n_incomplete:
        yield (
            f"{of}, {errors.n_incomplete:,} have words without UPOS, HEAD or DEPREL: they cannot "
            "be validated and are not counted."
        )
    if errors.n_refused:
        yield (
            f"{of}, {errors.n_refused:,} are given up by the validator and are not counted; "
            "`udvalidate --lang ud --level 3` says why."
        )
