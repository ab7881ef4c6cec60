"""Models of UDPipe 1 that consist only of a tokenizer, as its trainer writes them."""

from __future__ import annotations

import lzma
import struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

# The beginning of a model: its kind and version, a tokenizer and no other part before it, and the
# kind and version of the tokenizer.
_BEGINNING = b"\x12morphodita_parsito\x03\x7f\x7f\x01\x03\x02"
# Between the tokenizer and its own multiword tokens, and after these: neither a tagger nor a
# parser.
_MIDDLE, _END = b"\x02", b"\x00\x00"
# The uncompressed and the compressed length of a part, a number that they determine, and the kind
# of compression.
_PART = struct.Struct("<III5s")
_LZMA = b"\x5d\x00\x00\x00\x01"
# The version of the recogniser of addresses, the length of a window, whether tokens may have white
# space inside, the version and the size of the network, and the number of characters.
_HEADER = struct.Struct("<BHBBBI")
_ADDRESSES, _NETWORK = 2, 1
_SHORTEST_WINDOW = 10
_SIZES = (16, 24, 64)
# A category of characters, as a power of two, and its most frequent character.
_SUBSTITUTE = struct.Struct("<II")
_CATEGORIES = (
    "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co Cn"
).split()


class GruParameters(NamedTuple):
    """The parameters of one direction of a GRU, whose sums are weights @ vector + bias.

    Attributes:
        input_weights: float32 [3, size, size], the weights of the candidate state, the reset gate
            and the update gate.
        input_bias: float32 [3, size], their biases.
        state_weights: float32 [3, size, size], the weights of the previous state.
        output_weights: float32 [3, size], the weights of no end, the end of a token, and the end of
            a sentence.
        output_bias: float32 [3], their biases.
    """

    input_weights: Floats
    input_bias: Floats
    state_weights: Floats
    output_weights: Floats
    output_bias: Floats


class TokenizerModel(NamedTuple):
    """A model of a tokenizer.

    Attributes:
        window: The number of characters that the network reads at once.
        allow_spaces: Whether tokens may have white space inside.
        embeddings: float32 [size] for each character.
        substitutes: The most frequent character of each category (such as "Lu").
        forward, backward: The parameters of the GRU.
    """

    window: int
    allow_spaces: bool
    embeddings: dict[str, Floats]
    substitutes: dict[str, str]
    forward: GruParameters
    backward: GruParameters


def read_model(model: bytes) -> TokenizerModel:
    """Read a model.

    Args:
        model: The model in UDPipe's format.

    Returns:
        The model.

    Raises:
        ValueError: The model is damaged, or not of this kind.
    """
    try:
        parts = _parts(model)
        return _read(parts[0])
    except (lzma.LZMAError, struct.error, ValueError, OverflowError) as error:
        raise ValueError("its model is damaged or is not a model") from error


def _parts(model: bytes) -> list[bytes]:
    """Split a model into its compressed parts."""
    place = 0
    parts = []
    for expected in (_BEGINNING, _MIDDLE):
        part, place = _part(model, _behind(expected, model, place))
        parts.append(part)
    if _behind(_END, model, place) != len(model):
        raise ValueError
    return parts


def _behind(expected: bytes, model: bytes, place: int) -> int:
    if not model.startswith(expected, place):
        raise ValueError
    return place + len(expected)


def _part(model: bytes, place: int) -> tuple[bytes, int]:
    """Read the compressed part that begins at a place, and find where it ends."""
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
    return found, end


def _read(data: bytes) -> TokenizerModel:
    addresses, window, allow_spaces, version, size, n_characters = _HEADER.unpack_from(data)
    if (addresses, version) != (_ADDRESSES, _NETWORK) or size not in _SIZES:
        raise ValueError
    if window < _SHORTEST_WINDOW:
        raise ValueError
    place = _HEADER.size
    kind = np.dtype([("character", "<u4"), ("embedding", "<f4", size)])
    rows = np.frombuffer(data, kind, n_characters, place)
    place += rows.nbytes
    # Three matrices with biases for the characters and three for the states, in each direction;
    # then the output layers of both directions.
    n_gru, n_output = 6 * (size + 1) * size, 3 * (size + 1)
    numbers = np.frombuffer(data, "<f4", 2 * (n_gru + n_output), place)
    place += numbers.nbytes
    forward, backward, out_forward, out_backward = np.split(
        numbers, np.cumsum([n_gru, n_gru, n_output])
    )
    (n_substitutes,) = data[place : place + 1]
    place += 1
    if len(data) != place + n_substitutes * _SUBSTITUTE.size:
        raise ValueError
    return TokenizerModel(
        window,
        bool(allow_spaces),
        {chr(code): row for code, row in zip(rows["character"], rows["embedding"], strict=True)},
        {
            _CATEGORIES[flag.bit_length() - 2]: chr(code)
            for flag, code in _SUBSTITUTE.iter_unpack(data[place:])
        },
        _parameters(forward, out_forward, size),
        _parameters(backward, out_backward, size),
    )


def _parameters(gru: Floats, output: Floats, size: int) -> GruParameters:
    weights, biases = np.split(gru.reshape(2, 3, size + 1, size), [size], axis=2)
    return GruParameters(
        weights[0], biases[0, :, 0], weights[1], output[:-3].reshape(3, size), output[-3:]
    )
