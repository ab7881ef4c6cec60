"""A CoNLL-U sentence, and the error for a malformed one.

Format: https://universaldependencies.org/format.html
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from conllu import Metadata

from spacy_npparse.errors import UserError

EMPTY = "_"
# Some treebanks are distributed without forms, because their texts are not free.
WITHOUT_TEXT = (
    "every FORM is _, because the treebank comes without its text. Merge the text into it, as its "
    "README describes."
)
# The label of a root.
UD_ROOT = "root"
SPACY_ROOT = "ROOT"
# Python cannot read numbers of more than 4,300 digits, and no sentence has 10^18 words.
NUMBER = re.compile(r"[0-9]{1,18}")
_LONGEST_QUOTATION = 60


class ConlluError(UserError, ValueError):
    """A malformed part of CoNLL-U. The message names the file, the line and the remedy.

    Attributes:
        path: The file or other source of the sentence; None if unknown.
        line: The number of the malformed line, from 1.
        problem: The problem on that line.
        remedy: The remedy.
    """

    def __init__(self, path: str | Path | None, line: int, problem: str, remedy: str) -> None:
        super().__init__(f"{path or 'CoNLL-U text'}, line {line}: {problem}. {remedy}.")
        self.path = path
        self.line = line
        self.problem = problem
        self.remedy = remedy

    def __reduce__(self) -> tuple[Any, ...]:
        # Makes the error picklable, because other processes raise it, too.
        return type(self), (self.path, self.line, self.problem, self.remedy)


class Row(NamedTuple):
    """The ten columns of a word, multiword token or empty node, as written."""

    id: str
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: str
    deprel: str
    deps: str
    misc: str


class MultiwordToken(NamedTuple):
    """A surface token that consists of several syntactic words.

    Attributes:
        first: The number of its first word, from 1.
        last: The number of its last word, inclusive.
        row: The row of its line.
    """

    first: int
    last: int
    row: Row


@dataclass(frozen=True)
class Sentence:
    """A sentence of a treebank.

    Attributes:
        text: The CoNLL-U, without the blank line at the end of the sentence.
        comments: The comment lines with their `#`.
        metadata: The comments by key, as `conllu` reads them. The value of a comment without `=` is
            None.
        rows: All lines in file order, including multiword tokens and empty nodes.
        words: The rows of the syntactic words 1..n.
        heads: n + 1 heads. `heads[d]` is the head of word d, 0 for the root, NO_HEAD (-1) if it is
            missing; `heads[0]` is NO_HEAD.
        multiword_tokens: The multiword tokens in file order.
    """

    text: str
    comments: tuple[str, ...]
    metadata: Metadata
    rows: tuple[Row, ...]
    words: tuple[Row, ...]
    heads: tuple[int, ...]
    multiword_tokens: tuple[MultiwordToken, ...]

    def __str__(self) -> str:
        return self.text

    @property
    def sent_id(self) -> str | None:
        """The value of `# sent_id`; None without one."""
        return self.metadata.get("sent_id")

    @property
    def n_words(self) -> int:
        """The number of syntactic words."""
        return len(self.words)

    @property
    def begins_document(self) -> bool:
        """Whether the sentence has a `# newdoc` or `# newdoc id`."""
        return any(is_boundary(key, "newdoc") for key in self.metadata)

    @property
    def begins_paragraph(self) -> bool:
        """Whether the sentence has a `# newpar` or `# newpar id`."""
        return any(is_boundary(key, "newpar") for key in self.metadata)

    @property
    def opening(self) -> dict[str, str | None]:
        """The comments that begin a document or a paragraph: `# newdoc` and `# newpar`, by key."""
        return {k: v for k, v in self.metadata.items() if is_boundary(k, "newdoc", "newpar")}

    @property
    def n_roots(self) -> int:
        """The number of words whose head is the root."""
        return self.heads.count(0)


def conllu_text(sentences: Iterable[Sentence]) -> str:
    """Write sentences as CoNLL-U, with a blank line after each.

    Args:
        sentences: The sentences.
    """
    return "".join(f"{sentence}\n\n" for sentence in sentences)


def comment_key(comment: str) -> str:
    """Find the key of a comment: `sent_id` of `# sent_id = s1`, and `newpar` of `# newpar`."""
    return comment.removeprefix("#").partition("=")[0].strip()


def is_boundary(key: str, *names: str) -> bool:
    """Check whether the key of a comment is one of `names`, with or without `id`."""
    return key.split(" ", 1)[0] in names


def shortened(text: str) -> str:
    """Shorten a text that is too long for an error message."""
    return text if len(text) <= _LONGEST_QUOTATION else text[: _LONGEST_QUOTATION - 1] + "…"
