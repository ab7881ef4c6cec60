"""Parsing and validation of a CoNLL-U sentence.

The library `conllu` reads the comments. It accepts rows with missing columns, duplicate ids and
heads out of range, it also splits rows at two spaces, which FORM and MISC may contain, and its
errors name no line. Therefore this module checks the format itself, and raises `ConlluError` at the
first line that violates it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from conllu import Metadata, parse_token_and_metadata

from spacy_npparse.treebank.sentence import (
    EMPTY,
    NUMBER,
    ConlluError,
    MultiwordToken,
    Row,
    Sentence,
    shortened,
)
from spacy_npparse.trees.missing import NO_HEAD

_N_COLUMNS = len(Row._fields)
# Ten columns. ID begins with a digit, and FORM is not blank.
_ROW = re.compile(r"[0-9][^\t]*\t(?![^\S\t]*\t)[^\t]+(?:\t[^\t]*){8}")
_FEATS = re.compile(r"_?|[^=|]+=[^=|]*(?:\|[^=|]+=[^=|]*)*")
# Keeps comments without a value, which conllu drops by default.
_METADATA_PARSERS = {"__fallback__": lambda key, value: (key, value)}


def parse_sentence(
    lines: Sequence[str], *, path: str | Path | None = None, first_line: int = 1
) -> Sentence:
    """Parse and validate a sentence.

    Args:
        lines: Comment and token lines, without line ends and without the final blank line.
        path: The file that the lines come from, for error messages.
        first_line: The number of the first line in that file, for error messages.

    Raises:
        ConlluError: A line violates the format.

    Examples:
        >>> word = "1\\tGo\\tgo\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_"
        >>> sentence = parse_sentence(["# sent_id = 1", word])
        >>> sentence.sent_id, sentence.words[0].form, sentence.heads
        ('1', 'Go', (-1, 0))
    """
    n_comments = 0
    while n_comments < len(lines) and lines[n_comments].startswith("#"):
        n_comments += 1
    if n_comments == len(lines):
        raise ConlluError(
            path, first_line, "comments without a sentence", "Remove the blank line after them"
        )
    text = "\n".join(lines)
    if text.count("\n") >= len(lines):
        number = next(number for number, line in enumerate(lines, first_line) if "\n" in line)
        raise ConlluError(path, number, "line end inside a line", "Split the text at its line ends")
    first_row = first_line + n_comments
    for number, line in enumerate(lines[n_comments:], first_row):
        if not _ROW.fullmatch(line):
            raise _row_error(path, number, line)
    rows = [Row._make(line.split("\t")) for line in lines[n_comments:]]
    for number, row in enumerate(rows, first_row):
        if not _FEATS.fullmatch(row.feats):
            raise ConlluError(
                path,
                number,
                f"FEATS {shortened(row.feats)!r} is not understood",
                "Write Name=Value pairs separated by |, or _ for none",
            )
    comments = lines[:n_comments]
    return validated(rows, comments, _metadata(comments), text, path, first_row)


def validated(
    rows: Sequence[Row],
    comments: Sequence[str],
    metadata: Metadata,
    text: str,
    path: str | Path | None = None,
    first_row: int = 1,
) -> Sentence:
    """Make a sentence, and check its ids and heads.

    Args:
        rows: The rows of all lines, including multiword tokens and empty nodes.
        comments: The comment lines.
        metadata: The comments by key.
        text: The CoNLL-U of the sentence.
        path: The file, for error messages.
        first_row: The number of the line of the first row, for error messages.

    Raises:
        ConlluError: The ids or heads violate the format.
    """
    word_lines, multiword_tokens = _check_ids(rows, path, first_row)
    words = tuple(rows[index] for index in word_lines)
    heads = _check_heads(words, path, [first_row + index for index in word_lines])
    return Sentence(
        text=text,
        comments=tuple(comments),
        metadata=metadata,
        rows=tuple(rows),
        words=words,
        heads=heads,
        multiword_tokens=tuple(multiword_tokens),
    )


def _metadata(comments: Sequence[str]) -> Metadata:
    if not comments:
        return Metadata()
    parsed = parse_token_and_metadata("\n".join(comments), metadata_parsers=_METADATA_PARSERS)
    return parsed.metadata


def _row_error(path: str | Path | None, number: int, line: str) -> ConlluError:
    if line.startswith("#"):
        return ConlluError(
            path,
            number,
            "comment inside a sentence",
            "Move it above the first word, or end the sentence before it with a blank line",
        )
    if not line.strip():
        return ConlluError(
            path, number, "line of spaces", "Leave the line between two sentences empty"
        )
    columns = line.split("\t")
    if len(columns) != _N_COLUMNS:
        return ConlluError(
            path,
            number,
            f"{len(columns)} columns instead of {_N_COLUMNS}",
            "Separate the ten columns by single tabs and write _ where a value is missing",
        )
    if not columns[1].strip():
        characters = " ".join(f"U+{ord(character):04X}" for character in columns[1])
        problem = (
            f"FORM is white space ({shortened(characters)})" if characters else "FORM is empty"
        )
        return ConlluError(path, number, problem, "Write the word, or _ for unknown")
    return _id_error(path, number, columns[0])


def _id_error(path: str | Path | None, number: int, value: str) -> ConlluError:
    return ConlluError(
        path,
        number,
        f"id {shortened(value)!r} is not understood",
        "Use N for words, FIRST-LAST for multiword tokens, N.M for empty nodes",
    )


def _check_ids(
    rows: Sequence[Row], path: str | Path | None, first_row: int
) -> tuple[list[int], list[MultiwordToken]]:
    """Check the ID column. Returns the indices of the words' rows, and the multiword tokens."""
    if [row.id for row in rows] == list(map(str, range(1, len(rows) + 1))):
        return list(range(len(rows))), []
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
                    f"multiword token {shortened(row.id)} does not fit before word {n_words + 1}",
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
                    f"empty node {shortened(row.id)} stands where {n_words}.{n_empty} is expected",
                    "Number empty nodes N.1, N.2, … after word N",
                )
        else:
            raise ConlluError(
                path,
                first_row + index,
                f"id {shortened(row.id)!r} stands where {n_words + 1} is expected",
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
    if not (NUMBER.fullmatch(first) and NUMBER.fullmatch(second)):
        raise _id_error(path, line, value)
    return int(first), int(second)


def _check_heads(
    words: Sequence[Row], path: str | Path | None, lines: Sequence[int]
) -> tuple[int, ...]:
    """Check the HEAD column. Returns the heads of words 0..n, see `Sentence`."""
    n = len(words)
    numbers = dict(zip(map(str, range(n + 1)), range(n + 1), strict=True))
    heads = [NO_HEAD]
    for dependent, word in enumerate(words, 1):
        value = word.head
        if numbers.get(value, dependent) != dependent:
            heads.append(numbers[value])
            continue
        if value == EMPTY:
            heads.append(NO_HEAD)
            continue
        if not (value.isascii() and value.isdigit()):
            raise ConlluError(
                path,
                lines[dependent - 1],
                f"head {shortened(value)!r} is not a number",
                "Write the id of the head word, 0 for the root or _ for missing",
            )
        head = int(value) if NUMBER.fullmatch(value) else n + 1
        if head > n or head == dependent:
            problem = "is the word itself" if head == dependent else f"is none of the {n} words"
            raise ConlluError(
                path,
                lines[dependent - 1],
                f"head {shortened(value)} {problem}",
                "Write the id of another word of the sentence, 0 for the root or _ for missing",
            )
        heads.append(head)
    cycle = find_cycle(heads)
    if cycle:
        path_of_cycle = shortened(" → ".join(str(word) for word in [*cycle, cycle[0]]))
        raise ConlluError(
            path,
            lines[cycle[0] - 1],
            f"the heads form a cycle: {path_of_cycle}",
            "Attach one of these words outside the cycle",
        )
    return tuple(heads)


def find_cycle(heads: Sequence[int]) -> list[int]:
    """Find the words of a cycle, each followed by its head, starting with the lowest; [] if there
    is none.

    Args:
        heads: n + 1 heads. `heads[0]` is ignored, and NO_HEAD ends a path like the root.
    """
    checked = [False] * len(heads)
    for start in range(1, len(heads)):
        on_path: dict[int, None] = {}
        node = start
        while node > 0 and not checked[node]:
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
