"""Reading of CoNLL-U sentence by sentence, from a file or from `TokenList`s of `conllu`.

This module splits the file at blank lines itself, because `conllu.parse_incr` does not count lines,
treats lines of spaces as blank and cannot continue after an error.
"""

from __future__ import annotations

import codecs
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

_BLANK_LINES = "missing or superfluous blank lines"


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
        deviations: Deviations from the format that are normalised, such as Windows line ends, with
            the number of the first line of each. The log reports them after the last sentence.
    """

    def __init__(
        self,
        source: ConlluSource,
        on_error: OnError = "raise",
        warn: Callable[[str], None] = logger.warning,
    ) -> None:
        if on_error not in ("raise", "skip"):
            raise ValueError(f"on_error is {on_error!r}: use 'raise' or 'skip'.")
        self.deviations: dict[str, int] = {}
        if isinstance(source, (str, Path)):
            path = Path(source)
            if not path.is_file():
                problem = "is a pipe or a device" if path.exists() else "no such file"
                problem = "is a folder" if path.is_dir() else problem
                raise FileNotFoundError(f"{path}: {problem}. Give the path of a .conllu file.")
            self.name = str(path)
            blocks: Iterator[_Block] = _blocks(path, self.deviations)
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
        if self.deviations:
            found = [f"{kind} (first at line {line})" for kind, line in self.deviations.items()]
            self._warn(
                f"{self.name}: {', '.join(found)}. That does no harm, but what is written has Unix "
                "line ends, no byte order mark, and one blank line after each sentence."
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
            raise ConlluError(
                self.path, line, "Mac line end (CR)", "Convert the file to Unix line ends (LF)"
            )
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as error:
            problem = f"not valid UTF-8 at byte {error.start + 1} of the line"
            remedy = "Convert the file to UTF-8"
            if self.path.suffix == ".spacy":
                remedy = "Convert a .spacy file to .conllu with 'npparse convert'"
            elif self.path.suffix in (".gz", ".xz", ".zst"):
                remedy = "Decompress the file"
            raise ConlluError(self.path, line, problem, remedy) from error


def conllu_blocks(
    file: Iterable[bytes], path: Path, deviations: dict[str, int] | None = None
) -> Iterator[ConlluBlock]:
    """Split a treebank into blocks of lines, one for each sentence, without reading these.

    Args:
        file: The lines with their ends, such as a file that is open for binary reading.
        path: The file, for messages.
        deviations: A dictionary to which deviations from the format that are normalised are added,
            with the numbers of their first lines.

    Yields:
        The blocks in order.
    """
    deviations = {} if deviations is None else deviations
    block: list[bytes] = []
    line = n_bytes = 0
    for line, raw in enumerate(file, 1):
        n_bytes += len(raw)
        # Files with byte order marks may have been concatenated.
        if not block and raw.startswith(codecs.BOM_UTF8):
            deviations.setdefault("byte order mark", line)
            raw = raw.removeprefix(codecs.BOM_UTF8)
        if raw.endswith(b"\r\n"):
            deviations.setdefault("Windows line ends", line)
            raw = raw.removesuffix(b"\r\n")
        raw = raw.removesuffix(b"\n")
        if raw:
            block.append(raw)
            continue
        if block:
            yield ConlluBlock(path, line - len(block), block, n_bytes)
            block = []
        else:
            deviations.setdefault(_BLANK_LINES, line)
    if block:
        deviations.setdefault(_BLANK_LINES, line + 1)
        yield ConlluBlock(path, line - len(block) + 1, block, n_bytes)


@dataclass(frozen=True)
class _TokenListBlock:
    tokens: TokenList
    number: int

    def __str__(self) -> str:
        return f"TokenList {self.number}"

    def parse(self) -> Sentence:
        return sentence_from_tokenlist(self.tokens, name=str(self))


def _blocks(path: Path, deviations: dict[str, int]) -> Iterator[ConlluBlock]:
    # Text mode would hide the position of invalid bytes and translate line ends.
    with path.open("rb") as file:
        yield from conllu_blocks(file, path, deviations)
