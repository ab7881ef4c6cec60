"""spaCy's binary format, read and written Doc by Doc.

`DocBin` keeps all Docs in memory. The format has the tokens of all Docs in one part, their user
data in another, and so on, so that reader and writer keep the parts in temporary files.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import islice, repeat
from pathlib import Path
from tempfile import SpooledTemporaryFile, gettempdir
from typing import IO, Any

import numpy as np
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from srsly.msgpack import Packer, Unpacker

from spacy_npparse.files import naming

# A lossless file has all attributes that are columns of CoNLL-U, and user data.
ATTRIBUTES = ["ORTH", "NORM", "TAG", "POS", "MORPH", "LEMMA", "HEAD", "DEP", "SENT_START"]
# The parts in the order of the format. The arrays are single values, and each of the lists has a
# value for every Doc.
_ARRAYS = ("tokens", "spaces", "lengths")
_LISTS: dict[str, Any] = {"cats": None, "flags": {}, "span_groups": b"", "user_data": None}
_PARTS = ("version", "attrs", *_ARRAYS, "strings", *_LISTS)
# The first byte of binary values, and the number of bytes that their length takes.
_BINARY = {0xC4: 1, 0xC5: 2, 0xC6: 4}
# The number of bytes of a part that are kept in memory, and that are read at once.
_IN_MEMORY = 2**16


class DocBinWriter:
    """A writer of a .spacy file, which is the same as that of a `DocBin` with the same Docs.

    Args:
        file: A file that is open for binary writing.

    Attributes:
        n_docs: The number of Docs so far.
        n_tokens: The number of their tokens.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        # Making a packer takes long, because it looks for plugins.
        self._packer = Packer(use_bin_type=True)
        self._parts = {name: SpooledTemporaryFile(_IN_MEMORY) for name in (*_ARRAYS, *_LISTS)}
        self._strings: set[str] = set()
        self.n_docs = self.n_tokens = 0

    def add(self, doc: Doc) -> None:
        """Add a Doc. One that cannot be serialized leaves nothing behind.

        Args:
            doc: The Doc.

        Raises:
            WriteError: A temporary file cannot be written. The file is then useless.
        """
        one = _doc_bin()
        one.add(doc)
        values = [self._packer.pack(getattr(one, name)[0]) for name in _LISTS]
        arrays = one.tokens[0], one.spaces[0], np.array([len(doc)], dtype=np.int32)
        packed = [*(array.tobytes() for array in arrays), *values]
        with naming(gettempdir()):
            for part, value in zip(self._parts.values(), packed, strict=True):
                part.write(value)
        self._strings |= one.strings
        self.n_docs += 1
        self.n_tokens += len(doc)

    def close(self) -> None:
        """Write the file."""
        packer, compressor = self._packer, zlib.compressobj()

        def write(value: bytes) -> None:
            self._file.write(compressor.compress(value))

        others = {**vars(_doc_bin()), "strings": sorted(self._strings)}
        write(packer.pack_map_header(len(_PARTS)))
        for name in _PARTS:
            write(packer.pack(name))
            part = self._parts.get(name)
            if part is None:
                write(packer.pack(others[name]))
                continue
            is_array = name in _ARRAYS
            write(_binary(part.tell()) if is_array else packer.pack_array_header(self.n_docs))
            part.seek(0)
            while block := part.read(_IN_MEMORY):
                write(block)
            part.close()
        self._file.write(compressor.flush())


class DocBinReader:
    """A reader of a .spacy file.

    Args:
        path: The file.

    Attributes:
        n_docs: The number of Docs.
        n_tokens: The number of their tokens.

    Raises:
        FileNotFoundError: The file does not exist.
        Exception: The file has another format or is incomplete.
    """

    def __init__(self, path: Path) -> None:
        self._file = _decompressed(path)
        self._starts: dict[str, int] = {}
        sizes = self._find_parts()
        self._attributes: list[int] = self._unpacker(self._starts["attrs"]).unpack()
        lengths = _Window(self._file, self._starts["lengths"]).read(sizes["lengths"])
        self._lengths = np.frombuffer(lengths, dtype=np.int32)
        self.n_docs, self.n_tokens = len(self._lengths), int(self._lengths.sum())
        widths = {"tokens": 8 * len(self._attributes), "spaces": 1}
        if any(sizes[name] != self.n_tokens * width for name, width in widths.items()):
            raise ValueError("the numbers of tokens differ")

    def docs(self, vocab: Vocab) -> Iterator[Doc]:
        """Read the Docs.

        Args:
            vocab: The vocabulary of the Docs.

        Raises:
            Exception: A Doc is damaged.
        """
        for string in self._unpacker(self._starts["strings"]).unpack():
            vocab[string]
        tokens, spaces = (_Window(self._file, self._starts[name]) for name in _ARRAYS[:2])
        lists = {name: self._values(name) for name in _LISTS}
        width = len(self._attributes)
        for length in self._lengths.tolist():
            one = DocBin()
            one.attrs = self._attributes  # type: ignore[assignment]
            found = np.frombuffer(tokens.read(8 * width * length), dtype=np.uint64)
            one.tokens = [found.reshape(length, width)]
            one.spaces = [np.frombuffer(spaces.read(length), dtype=bool)]
            for name, values in lists.items():
                setattr(one, name, [*islice(values, 1)])
            yield from one.get_docs(vocab)

    def _find_parts(self) -> dict[str, int]:
        """Find where the parts start. Returns the sizes of binary ones in bytes."""
        sizes = {}
        unpacker = self._unpacker(0)
        n_parts, place = unpacker.read_map_header(), unpacker.tell()
        for _ in range(n_parts):
            unpacker = self._unpacker(place)
            name = unpacker.unpack()
            place += unpacker.tell()
            window = _Window(self._file, place)
            width = _BINARY.get(window.read(1)[0])
            if width is None:
                self._starts[name] = place
                unpacker = self._unpacker(place)
                unpacker.skip()
                place += unpacker.tell()
            else:
                # An unpacker would read the whole value.
                sizes[name] = int.from_bytes(window.read(width), "big")
                self._starts[name] = place + 1 + width
                place += 1 + width + sizes[name]
        if place != self._file.seek(0, 2):
            raise ValueError("the file is incomplete")
        return sizes

    def _unpacker(self, place: int) -> Any:
        window = _Window(self._file, place)
        return Unpacker(window, read_size=_IN_MEMORY, raw=False, max_buffer_size=2**31 - 1)

    def _values(self, name: str) -> Iterator[Any]:
        """Read the values of a list. Some files lack some lists."""
        if name not in self._starts and name != "cats":
            return repeat(_LISTS[name])
        unpacker = self._unpacker(self._starts[name])
        n_values = unpacker.read_array_header()
        return (unpacker.unpack() for _ in range(n_values))


class _Window:
    """A file from a place on, with a position of its own."""

    def __init__(self, file: IO[bytes], place: int) -> None:
        self._file = file
        self._place = place

    def read(self, size: int) -> bytes:
        self._file.seek(self._place)
        data = self._file.read(size)
        self._place += len(data)
        return data


def _doc_bin() -> DocBin:
    return DocBin(attrs=ATTRIBUTES, store_user_data=True)


def _binary(size: int) -> bytes:
    """Write the beginning of a binary value of this size in bytes."""
    for code, width in _BINARY.items():
        if size < 256**width:
            return bytes([code]) + size.to_bytes(width, "big")
    raise ValueError(f"spaCy's format cannot contain {size} bytes of tokens. Convert fewer.")


def _decompressed(path: Path) -> IO[bytes]:
    content: IO[bytes] = SpooledTemporaryFile(_IN_MEMORY)
    decompressor = zlib.decompressobj()
    with path.open("rb") as file:
        while block := file.read(_IN_MEMORY):
            while block:
                content.write(decompressor.decompress(block, _IN_MEMORY))
                block = decompressor.unconsumed_tail
    content.write(decompressor.flush())
    if not decompressor.eof:
        raise ValueError("the file is incomplete")
    return content
