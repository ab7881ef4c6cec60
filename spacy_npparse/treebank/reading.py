"""Reading of CoNLL-U sentence by sentence, from a file or from `TokenList`s of `conllu`.

This module splits the file at blank lines itself, because `conllu.parse_incr` does not count lines,
treats lines of spaces as blank and cannot continue after an error.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from conllu import TokenList

from spacy_npparse.treebank.parsing import parse_sentence
from spacy_npparse.treebank.sentence import ConlluError, Sentence
from spacy_npparse.treebank.tokenlists import sentence_from_tokenlist
from spacy_npparse.trees.missing import NO_HEAD

logger = logging.getLogger(__name__)

ConlluSource = str | Path | Iterable[TokenList]
OnError = Literal["raise", "skip"]


class _Block(Protocol):
    """The source of one sentence."""

    def parse(self) -> Sentence:
        """Read the sentence. Raises ConlluError."""

    def __str__(self) -> str:
        """The place of the sentence, for messages."""


class ConlluReader(Iterator[Sentence]):
    """An iterator over the sentences of a treebank; see `read_conllu`.

    Args:
        source: The path of a CoNLL-U file, or `TokenList`s of the `conllu` library.
        on_error: "raise" to stop at a malformed sentence, or "skip" to skip it.
        warn: A function that gets the warnings after the last sentence.

    Attributes:
        name: The name of the file, or "TokenLists", for messages.
        skipped: The errors of the sentences skipped so far (only with `on_error="skip"`).
        n_sentences: The number of sentences returned so far.
        n_odd_roots: The number of these that are fully annotated but have no root or several.
            CoNLL-U allows this, although UD does not. The log reports them after the last sentence.
        blank_line_errors: The numbers of the lines so far where a blank line is superfluous, has a
            Windows line end, or is missing at the end of the file. They are normalised, which the
            log reports after the last sentence.
    """

    def __init__(
        self,
        source: ConlluSource,
        on_error: OnError = "raise",
        warn: Callable[[str], None] = logger.warning,
    ) -> None:
        if on_error not in ("raise", "skip"):
            raise ValueError(f"on_error is {on_error!r}: use 'raise' or 'skip'.")
        self.blank_line_errors: list[int] = []
        if isinstance(source, (str, Path)):
            path = Path(source)
            if not path.is_file():
                problem = "is a pipe or a device" if path.exists() else "no such file"
                problem = "is a folder" if path.is_dir() else problem
                raise FileNotFoundError(f"{path}: {problem}. Give the path of a .conllu file.")
            self.name = str(path)
            blocks: Iterator[_Block] = _blocks(path, self.blank_line_errors)
        else:
            self.name = "TokenLists"
            blocks = (_TokenListBlock(tokens, i) for i, tokens in enumerate(source, 1))
        self.on_error = on_error
        self.skipped: list[ConlluError] = []
        self.n_sentences = 0
        self.n_odd_roots = 0
        self._first_odd = ""
        self._warn = warn
        self._sentences = self._read(blocks)

    def __next__(self) -> Sentence:
        return next(self._sentences)

    def _read(self, blocks: Iterator[_Block]) -> Iterator[Sentence]:
        for block in blocks:
            try:
                sentence = block.parse()
            except ConlluError as error:
                if self.on_error == "raise":
                    raise
                self.skipped.append(error)
                continue
            self.n_sentences += 1
            if sentence.n_roots != 1 and NO_HEAD not in sentence.heads[1:]:
                self._first_odd = self._first_odd or str(block)
                self.n_odd_roots += 1
            yield sentence
        self._report()

    def _report(self) -> None:
        if self.skipped:
            self._warn(
                f"{self.name}: {len(self.skipped)} malformed sentences skipped, "
                f"{self.n_sentences} read. The first: {self.skipped[0]}"
            )
        if self.n_odd_roots:
            self._warn(
                f"{self.name}: {self.n_odd_roots} sentences have no root or several roots, the "
                f"first at {self._first_odd}."
            )
        if self.blank_line_errors:
            self._warn(
                f"{self.name}: a blank line is missing or superfluous "
                f"{len(self.blank_line_errors)} times, first at line {self.blank_line_errors[0]}. "
                "That does no harm, but what is written has exactly one blank line after each "
                "sentence."
            )


def read_conllu(source: ConlluSource, *, on_error: OnError = "raise") -> ConlluReader:
    """Read a treebank.

    Args:
        source: The path of a CoNLL-U file, or `TokenList`s of the `conllu` library.
        on_error: "raise" to stop at the first malformed sentence; "skip" to skip malformed
            sentences, collect their errors in `ConlluReader.skipped` and log a warning at the end.

    Returns:
        An iterator over the sentences.

    Raises:
        ConlluError: A sentence is malformed. Raised while iterating.
        FileNotFoundError: The file does not exist.

    Examples:
        >>> from pathlib import Path
        >>> word = "1\\tGo\\tgo\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_"
        >>> _ = Path("go.conllu").write_text(f"# sent_id = 1\\n{word}\\n\\n")
        >>> [sentence.sent_id for sentence in read_conllu("go.conllu")]
        ['1']
    """
    return ConlluReader(source, on_error)


@dataclass(frozen=True)
class ConlluBlock:
    """The lines of a file between two blank lines.

    Attributes:
        path: The file, for messages.
        first_line: The number of the first of these lines in the file, from 1.
        lines: The lines, without their ends.
        n_bytes: The position of the next unread line, in bytes from where reading began.
    """

    path: Path
    first_line: int
    lines: list[bytes]
    n_bytes: int

    def __str__(self) -> str:
        return f"line {self.first_line}"

    def parse(self) -> Sentence:
        """Read the sentence.

        Raises:
            ConlluError: The sentence is malformed.
        """
        lines = [self._decode(raw, line) for line, raw in enumerate(self.lines, self.first_line)]
        return parse_sentence(lines, path=self.path, first_line=self.first_line)

    def _decode(self, raw: bytes, line: int) -> str:
        if raw.endswith(b"\r"):
            kind = "Mac (CR)" if b"\r" in raw[:-1] else "Windows"
            raise ConlluError(
                self.path, line, f"{kind} line end", "Convert the file to Unix line ends (LF)"
            )
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            problem = f"not valid UTF-8 at byte {error.start + 1} of the line"
            remedy = "Convert the file to UTF-8"
            if self.path.suffix == ".spacy":
                remedy = "Convert a .spacy file to .conllu with 'npparse convert'"
            raise ConlluError(self.path, line, problem, remedy) from error
        if text.startswith("\ufeff"):
            raise ConlluError(
                self.path, line, "byte order mark", "Save the file as UTF-8 without BOM"
            )
        return text


def conllu_blocks(
    file: Iterable[bytes], path: Path, blank_line_errors: list[int] | None = None
) -> Iterator[ConlluBlock]:
    """Split a treebank into blocks of lines, one for each sentence, without reading these.

    Args:
        file: The lines with their ends, such as a file that is open for binary reading.
        path: The file, for messages.
        blank_line_errors: A list to which the numbers of lines are added where a blank line is
            superfluous, missing, or has a Windows line end.

    Yields:
        The blocks in order.
    """
    errors = [] if blank_line_errors is None else blank_line_errors
    block: list[bytes] = []
    line = n_bytes = 0
    for line, raw in enumerate(file, 1):
        n_bytes += len(raw)
        raw = raw.rstrip(b"\n")
        if raw and raw != b"\r":
            block.append(raw)
            continue
        if raw or not block:
            errors.append(line)
        if block:
            yield ConlluBlock(path, line - len(block), block, n_bytes)
            block = []
    if block:
        errors.append(line + 1)
        yield ConlluBlock(path, line - len(block) + 1, block, n_bytes)


@dataclass(frozen=True)
class _TokenListBlock:
    tokens: TokenList
    number: int

    def __str__(self) -> str:
        return f"TokenList {self.number}"

    def parse(self) -> Sentence:
        return sentence_from_tokenlist(self.tokens, name=str(self))


def _blocks(path: Path, blank_line_errors: list[int]) -> Iterator[ConlluBlock]:
    # Text mode would hide the position of invalid bytes and translate line ends.
    with path.open("rb") as file:
        yield from conllu_blocks(file, path, blank_line_errors)
