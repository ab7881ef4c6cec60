"""One CoNLL-U sentence: its lines, checked, kept as they were written.

The lines are split and checked here and not by the `conllu` library: that library accepts rows
with missing columns, duplicate ids and heads out of range, its errors name no line, and it
normalises fields that have to survive unchanged (FEATS order, spaces in MISC).
Format: https://universaldependencies.org/format.html
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

MISSING = "_"


class ConlluError(ValueError):
    """CoNLL-U that cannot be read. The message names the file, the line and the remedy.

    path: the file, or None when the text came from elsewhere.
    line: number of the offending line, counted from 1.
    """

    def __init__(self, path: str | Path | None, line: int, problem: str, remedy: str) -> None:
        super().__init__(f"{path or 'CoNLL-U text'}, line {line}: {problem}. {remedy}.")
        self.path = path
        self.line = line


class Row(NamedTuple):
    """The ten columns of a line, as written."""

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
    """A surface token that stands for the words `first`..`last` (counted from 1, inclusive)."""

    first: int
    last: int
    row: Row


@dataclass(frozen=True)
class Sentence:
    """A sentence of a treebank.

    comments: the comment lines with their `#`.
    rows: all lines in file order, multiword tokens and empty nodes included.
    words: the rows of the syntactic words 1..n.
    heads: n + 1 entries, `heads[d]` is the head of word d, 0 the root, None missing;
        heads[0] is None.
    multiword_tokens: in order.
    """

    comments: tuple[str, ...]
    rows: tuple[Row, ...]
    words: tuple[Row, ...]
    heads: tuple[int | None, ...]
    multiword_tokens: tuple[MultiwordToken, ...]

    def __str__(self) -> str:
        """The sentence as CoNLL-U, without the blank line that ends it in a file."""
        return "\n".join([*self.comments, *("\t".join(row) for row in self.rows)])

    @property
    def n_roots(self) -> int:
        """Number of words whose head is the root."""
        return self.heads.count(0)

    def has_comment(self, key: str) -> bool:
        """Whether there is a comment `# key` or `# key = …`, or `# key id = …`."""
        return any(comment.lstrip("# \t").split(" ", 1)[0] == key for comment in self.comments)


def parse_sentence(
    lines: Sequence[str], *, path: str | Path | None = None, first_line: int = 1
) -> Sentence:
    """Split and check the lines of one sentence.

    lines: comment and word lines without line ends and without the blank line after them.
    path, first_line: where the lines stand, for error messages.
    raises: ConlluError at the first line that breaks the format.
    """
    n_comments = 0
    while n_comments < len(lines) and lines[n_comments].startswith("#"):
        n_comments += 1
    if n_comments == len(lines):
        raise ConlluError(
            path, first_line, "comments without a sentence", "Remove the blank line after them"
        )
    rows: list[Row] = []
    for number, line in enumerate(lines[n_comments:], first_line + n_comments):
        columns = line.split("\t")
        if len(columns) != 10:
            raise _column_error(path, number, line, len(columns))
        if not columns[1].strip():
            raise ConlluError(path, number, "FORM is empty", "Write the word, or _ for unknown")
        rows.append(Row(*columns))
    first_row = first_line + n_comments
    word_lines, multiword_tokens = _check_ids(rows, path, first_row)
    words = tuple(rows[index] for index in word_lines)
    heads = _check_heads(words, path, [first_row + index for index in word_lines])
    return Sentence(tuple(lines[:n_comments]), tuple(rows), words, heads, tuple(multiword_tokens))


def _column_error(path: str | Path | None, number: int, line: str, n_columns: int) -> ConlluError:
    if line.startswith("#"):
        return ConlluError(
            path,
            number,
            "comment inside a sentence",
            "Move it above the first word, or end the sentence before it with a blank line",
        )
    if not line.strip():
        return ConlluError(
            path, number, "line of spaces", "Leave the line between two sentences quite empty"
        )
    return ConlluError(
        path,
        number,
        f"{n_columns} columns instead of 10",
        "Separate the ten columns by single tabs and write _ where a value is missing",
    )


def _check_ids(
    rows: Sequence[Row], path: str | Path | None, first_row: int
) -> tuple[list[int], list[MultiwordToken]]:
    """Check the ID column; return the indices of the word rows, and the multiword tokens."""
    word_rows: list[int] = []
    tokens: list[MultiwordToken] = []
    token_line = n_empty = token_end = 0
    for index, row in enumerate(rows):
        n_words = len(word_rows)
        if row.id == str(n_words + 1):
            word_rows.append(index)
            n_empty = 0
        elif "-" in row.id:
            first, last = _two_numbers(row.id, "-", path, first_row + index)
            if first != n_words + 1 or last < first or first <= token_end:
                raise ConlluError(
                    path,
                    first_row + index,
                    f"multiword token {row.id} does not fit before word {n_words + 1}",
                    "Put it right before its first word, as FIRST-LAST, with no overlap",
                )
            token_end, token_line = last, first_row + index
            tokens.append(MultiwordToken(first, last, row))
        elif "." in row.id:
            anchor, place = _two_numbers(row.id, ".", path, first_row + index)
            n_empty += 1
            if (anchor, place) != (n_words, n_empty):
                raise ConlluError(
                    path,
                    first_row + index,
                    f"empty node {row.id} stands where {n_words}.{n_empty} is expected",
                    "Number empty nodes N.1, N.2, … after word N",
                )
        else:
            raise ConlluError(
                path,
                first_row + index,
                f"id {row.id!r} stands where {n_words + 1} is expected",
                "Number the words 1, 2, 3, … without gaps or repeats, "
                "and put a blank line between sentences",
            )
    if not word_rows:
        raise ConlluError(path, first_row, "sentence without words", "Remove it")
    if token_end > len(word_rows):
        raise ConlluError(
            path,
            token_line,
            f"multiword token ends at word {token_end} of a sentence of {len(word_rows)} words",
            "Correct the range or add the missing words",
        )
    return word_rows, tokens


def _two_numbers(value: str, separator: str, path: str | Path | None, line: int) -> tuple[int, int]:
    first, _, second = value.partition(separator)
    if not (first.isascii() and first.isdigit() and second.isascii() and second.isdigit()):
        raise ConlluError(
            path,
            line,
            f"id {value!r} is not understood",
            "Use N for words, FIRST-LAST for multiword tokens, N.M for empty nodes",
        )
    return int(first), int(second)


def _check_heads(
    words: Sequence[Row], path: str | Path | None, lines: Sequence[int]
) -> tuple[int | None, ...]:
    """Check the HEAD column; return the heads of words 0..n (see Sentence)."""
    n = len(words)
    heads: list[int | None] = [None]
    for dependent, word in enumerate(words, 1):
        value = word.head
        if value == MISSING:
            heads.append(None)
            continue
        if not (value.isascii() and value.isdigit()):
            raise ConlluError(
                path,
                lines[dependent - 1],
                f"head {value!r} is not a number",
                "Write the id of the head word, 0 for the root or _ for missing",
            )
        head = int(value)
        if head > n or head == dependent:
            problem = "is the word itself" if head == dependent else f"is none of the {n} words"
            raise ConlluError(
                path,
                lines[dependent - 1],
                f"head {head} {problem}",
                "Write the id of another word of the sentence, 0 for the root or _ for missing",
            )
        heads.append(head)
    cycle = find_cycle(heads)
    if cycle:
        path_of_cycle = " → ".join(str(word) for word in [*cycle, cycle[0]])
        raise ConlluError(
            path,
            lines[cycle[0] - 1],
            f"the heads form a cycle: {path_of_cycle}",
            "Attach one of these words outside the cycle",
        )
    return tuple(heads)


def find_cycle(heads: Sequence[int | None]) -> list[int]:
    """The words of one cycle, each followed by its head, from the lowest on; [] if there is none.

    heads: n + 1 entries; heads[0] is ignored, None ends a path as the root does.
    """
    checked = [False] * len(heads)
    for start in range(1, len(heads)):
        on_path: dict[int, None] = {}
        node: int | None = start
        while node and not checked[node]:
            if node in on_path:
                nodes = list(on_path)
                cycle = nodes[nodes.index(node) :]
                lowest = cycle.index(min(cycle))
                return cycle[lowest:] + cycle[:lowest]
            on_path[node] = None
            node = heads[node]
        for visited in on_path:
            checked[visited] = True
    return []
