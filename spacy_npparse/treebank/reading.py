"""Reading CoNLL-U files sentence by sentence."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from spacy_npparse.treebank.sentence import ConlluError, Sentence, parse_sentence

logger = logging.getLogger(__name__)

OnError = Literal["raise", "skip"]


class ConlluReader(Iterator[Sentence]):
    """Iterator over the sentences of a file.

    skipped: the errors of the sentences left out so far (only with on_error="skip").
    n_sentences: sentences returned so far.
    n_odd_roots: of these, the fully annotated ones with no root or several (legal here, though
        not in UD: they are read, and reported at the end of the file).
    """

    def __init__(self, path: str | Path, on_error: OnError = "raise") -> None:
        if on_error not in ("raise", "skip"):
            raise ValueError(f"on_error is {on_error!r}: use 'raise' or 'skip'.")
        self.path = Path(path)
        if not self.path.is_file():
            raise FileNotFoundError(f"{self.path}: no such file. Give the path of a .conllu file.")
        self.on_error = on_error
        self.skipped: list[ConlluError] = []
        self.n_sentences = 0
        self.n_odd_roots = 0
        self._first_odd_line = 0
        self._sentences = self._read()

    def __next__(self) -> Sentence:
        return next(self._sentences)

    def _read(self) -> Iterator[Sentence]:
        for first_line, block in self._blocks():
            try:
                lines = [self._decode(raw, line) for line, raw in enumerate(block, first_line)]
                sentence = parse_sentence(lines, path=self.path, first_line=first_line)
            except ConlluError as error:
                if self.on_error == "raise":
                    raise
                self.skipped.append(error)
                continue
            self.n_sentences += 1
            if sentence.n_roots != 1 and None not in sentence.heads[1:]:
                self._first_odd_line = self._first_odd_line or first_line
                self.n_odd_roots += 1
            yield sentence
        self._report()

    def _blocks(self) -> Iterator[tuple[int, list[bytes]]]:
        """Number of the first line, and the lines, of everything between blank lines."""
        block: list[bytes] = []
        line = 0
        # Binary: text mode would hide wrong bytes' positions and translate line ends.
        with self.path.open("rb") as file:
            for line, raw in enumerate(file, 1):
                raw = raw.rstrip(b"\n")
                if raw and raw != b"\r":
                    block.append(raw)
                elif block:
                    yield line - len(block), block
                    block = []
        if block:
            yield line - len(block) + 1, block

    def _decode(self, raw: bytes, line: int) -> str:
        if raw.endswith(b"\r"):
            raise ConlluError(
                self.path, line, "Windows line end", "Convert the file to Unix line ends (LF)"
            )
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ConlluError(
                self.path,
                line,
                f"not valid UTF-8 at byte {error.start + 1} of the line",
                "Convert the file to UTF-8",
            ) from error
        if text.startswith("\ufeff"):
            raise ConlluError(
                self.path, line, "byte order mark", "Save the file as UTF-8 without BOM"
            )
        return text

    def _report(self) -> None:
        if self.skipped:
            logger.warning(
                "%s: %d malformed sentences skipped, %d read. The first: %s",
                self.path,
                len(self.skipped),
                self.n_sentences,
                self.skipped[0],
            )
        if self.n_odd_roots:
            logger.warning(
                "%s: %d sentences have no root or several roots, the first at line %d.",
                self.path,
                self.n_odd_roots,
                self._first_odd_line,
            )


def read_conllu(path: str | Path, *, on_error: OnError = "raise") -> ConlluReader:
    """Read a CoNLL-U file.

    path: the file.
    on_error: "raise" stops at the first malformed sentence; "skip" leaves malformed sentences
        out, counts them in `ConlluReader.skipped` and logs a warning at the end of the file.
    returns: an iterator over the sentences.
    raises: ConlluError (while iterating), FileNotFoundError.
    """
    return ConlluReader(path, on_error)
