"""The syntax errors that the official validator of Universal Dependencies finds in trees.

Its program is called, not imported: its licence is another one. A sentence is given to it with what
its tests of trees are about, that is FORM, UPOS, FEATS, HEAD and DEPREL of the words, and whether
white space follows. So gold and predicted trees are tested alike, whatever else their files have.

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
from spacy_npparse.treebank.sentence import EMPTY

_OPTIONS = ("--level", "3", "--lang", "ud", "--max-err", "0")
# An error as the program prints it: sentence, level, class and test.
_ERROR = re.compile(r"\[Line [^]]* Sent (\d+)\]: \[L(\d) ([A-Z]+) ([^\] ]+)\]")
# The program complains of the missing text of each sentence, and does so just before it looks at
# the tree: after all the tests at which it gives a sentence up.
_REACHED = "missing-text"
_SUMMARY = re.compile(r"^\*\*\* (PASSED|FAILED) \*\*\*", re.MULTILINE)
_NO_SPACE = "SpaceAfter=No"


class ValidatorError(UserError, RuntimeError):
    """The validator does not run; the message has what it says last."""


@dataclass(frozen=True)
class TreeErrors:
    """The errors in the trees of some sentences.

    Attributes:
        by_test: Number of errors by the name of the test, tests without errors left out.
        n_words: Number of words of the sentences that are validated.
        n_sentences: Number of all sentences.
        n_incomplete: Number of those with words without UPOS, HEAD or DEPREL, which cannot be
            validated.
        n_refused: Number of other sentences that the validator gives up: they have several roots
            or malformed FEATS, or it fails.
    """

    by_test: Mapping[str, int]
    n_words: int
    n_sentences: int
    n_incomplete: int
    n_refused: int

    @property
    def n_errors(self) -> int:
        """Number of errors."""
        return sum(self.by_test.values())

    def per_1000_words(self, n_errors: int) -> float | None:
        """A number of errors per 1,000 words, None without words.

        Args:
            n_errors: How many errors.
        """
        return 1000 * n_errors / self.n_words if self.n_words else None

    def as_dict(self) -> dict[str, Any]:
        """All counts, for JSON."""
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
        validator: The validator and its version.
        gold: Those in the gold trees.
        predicted: Those in the predicted trees.
    """

    validator: str
    gold: TreeErrors
    predicted: TreeErrors

    def as_dict(self) -> dict[str, Any]:
        """All counts, for JSON."""
        return {
            "validator": self.validator,
            "gold": self.gold.as_dict(),
            "predicted": self.predicted.as_dict(),
        }

    def table(self) -> Table:
        """Number of errors by test, the most frequent in predicted trees first, and of all."""
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
        """The table, what it counts, and what the counts leave out."""
        notes = [_notes("gold", self.gold), _notes("predicted", self.predicted)]
        title = f"Validator of Universal Dependencies ({self.validator}), syntax, level 3:"
        return text(title, self.table(), "\n".join(chain.from_iterable(notes)))

    def _row(self, test: str, gold: int, predicted: int) -> list[Any]:
        rates = self.gold.per_1000_words(gold), self.predicted.per_1000_words(predicted)
        return [test, gold, predicted, *rates]


def validate_sentences(gold: Iterable[Sentence], predicted: Iterable[Sentence]) -> Validation:
    """Count the syntax errors of level 3 in gold and predicted trees: too many subjects, a conjunct
    before its head, a relation that does not go with UPOS, a dependent of a function word.

    The tests are those for all languages.

    Args:
        gold: The gold sentences.
        predicted: The predicted sentences; their segmentation may be another one.

    Raises:
        MissingExtraError: The validator is not installed.
        ValidatorError: It does not run.
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
    """Whether there is what the tests read: the program fails at words without UPOS or DEPREL."""
    return all(EMPTY not in (word.upos, word.head, word.deprel) for word in sentence.words)


def _validated(sentences: list[Sentence]) -> Iterator[tuple[Sentence, list[str]]]:
    """The sentences whose trees the program tests, with the tests that fail."""
    begin = 0
    while begin < len(sentences):
        found, is_finished = _run(sentences[begin:])
        # It fails at the sentence that it has said something of last.
        end = len(sentences) if is_finished else begin + max(found)
        for number, errors in sorted(found.items()):
            if begin + number < end and (2, "METADATA", _REACHED) in errors:
                yield (
                    sentences[begin + number],
                    [test for level, kind, test in errors if (level, kind) == (3, "SYNTAX")],
                )
        begin = end + 1


def _run(sentences: list[Sentence]) -> tuple[dict[int, list[tuple[int, str, str]]], bool]:
    """Level, class and test of each error by number of the sentence, and whether the program has
    come to the end."""
    conllu = "".join(map(_tree, range(len(sentences)), sentences))
    # By its module, so that it is that of this environment.
    command = [sys.executable, "-X", "utf8", "-m", "udtools.cli", *_OPTIONS, "-"]
    result = subprocess.run(command, input=conllu.encode("utf-8"), capture_output=True)
    output = result.stderr.decode("utf-8", "replace")
    found: dict[int, list[tuple[int, str, str]]] = {}
    for line in output.split("\n"):
        if match := _ERROR.match(line):
            number, level, test_class, test = match.groups()
            found.setdefault(int(number), []).append((int(level), test_class, test))
    # The exit code of a traceback is that of a treebank with errors, too.
    is_finished = _SUMMARY.search(output) is not None
    if not found and not is_finished:
        last = output.strip().split("\n")[-1]
        raise ValidatorError(
            f"The validator does not run ({last or 'no message'}). Install udtools again, or do "
            "without --validate."
        )
    return found, is_finished


def _tree(number: int, sentence: Sentence) -> str:
    """The CoNLL-U of a sentence that is validated."""
    rows = (
        word._replace(
            lemma=EMPTY,
            xpos=EMPTY,
            deps=EMPTY,
            misc=_NO_SPACE if _NO_SPACE in word.misc.split("|") else EMPTY,
        )
        for word in sentence.words
    )
    conllu = "\n".join([f"# sent_id = {number}", *map("\t".join, rows), "\n"])
    # Of characters that are not, the program tells the names, and fails if they have none.
    return unicodedata.normalize("NFC", conllu)


def _notes(side: str, errors: TreeErrors) -> Iterator[str]:
    """Notes on what the counts of gold or predicted trees do not tell."""
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
