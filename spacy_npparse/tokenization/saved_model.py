"""The model of a tokenizer as it is saved: behind a checksum, since UDPipe ends the whole process
when it loads some damaged models, and loads others."""

from __future__ import annotations

import lzma
import struct
from hashlib import sha256

_MARK = b"spacy_npparse tokenizer model, SHA-256 "
_LENGTH_OF_CHECKSUM = 64
# How UDPipe's models of a single tokenizer begin: the kind and version of the model, a tokenizer
# and no other part before it, its kind and version.
_BEGINNING = b"\x12morphodita_parsito\x03\x7f\x7f\x01\x03\x02"
# Between the tokenizer and its own multiword tokens, and behind these: no tagger and no parser.
_MIDDLE, _END = b"\x02", b"\x00\x00"
# Lengths of a part, uncompressed and compressed, a number that they determine, and how it is
# compressed.
_PART = struct.Struct("<III5s")
_LZMA = b"\x5d\x00\x00\x00\x01"


def seal(model: bytes) -> bytes:
    """Put a checksum before a model.

    Args:
        model: The model in UDPipe's format, empty if the tokenizer has not been trained.

    Returns:
        What is saved.
    """
    return _MARK + _checksum(model) + b"\n" + model


def unseal(saved: bytes) -> bytes:
    """Check that a saved model is as it was saved.

    Models that were saved without a checksum, as early ones of version 0.2 were, are accepted if
    they have the structure of UDPipe's models of tokenizers, and if what is compressed in them can
    be decompressed.

    Args:
        saved: What `seal` returned.

    Returns:
        The model.

    Raises:
        ValueError: It is not.
    """
    if not saved:
        raise ValueError("its model is empty")
    if not saved.startswith(_MARK):
        _check_structure(saved)
        return saved
    known, _, model = saved[len(_MARK) :].partition(b"\n")
    if len(known) != _LENGTH_OF_CHECKSUM:
        raise ValueError("its model has lost its checksum")
    if known != _checksum(model):
        raise ValueError("its model is not as it was saved")
    return model


def _checksum(model: bytes) -> bytes:
    return sha256(model).hexdigest().encode()


def _check_structure(model: bytes) -> None:
    place = 0
    try:
        for expected in (_BEGINNING, _MIDDLE):
            place = _end_of_part(model, _behind(expected, model, place))
        if _behind(_END, model, place) == len(model):
            return
    except (lzma.LZMAError, struct.error, ValueError):
        pass
    raise ValueError("its model is damaged, or is none")


def _behind(expected: bytes, model: bytes, place: int) -> int:
    if not model.startswith(expected, place):
        raise ValueError
    return place + len(expected)


def _end_of_part(model: bytes, place: int) -> int:
    """Where a compressed part ends that begins at a place."""
    length, compressed, check, properties = _PART.unpack_from(model, place)
    if check != (19991 * length + 199999991 * compressed + 1234567890) % 2**32:
        raise ValueError
    if properties != _LZMA:
        raise ValueError
    begin = place + _PART.size
    end = begin + compressed
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_ALONE)
    found = decompressor.decompress(
        properties + struct.pack("<Q", length) + model[begin:end], length
    )
    if len(found) < length or not decompressor.eof or decompressor.unused_data:
        raise ValueError
    return end
