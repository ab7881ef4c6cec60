"""The vectors of words in passages, computed by a pretrained encoder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from spacy_npparse.models.transformer.encoder_net import EncoderNet
from spacy_npparse.models.transformer.pieces import PassagePieces, Pieces
from spacy_npparse.models.upload import upload
from spacy_npparse.models.windows import cut_into_windows
from spacy_npparse.passages import Passage

# The maximum number of pieces in a batch, including padding. Larger batches are not faster on CPU.
_BATCH, _BATCH_OF_GPU = 2048, 32_768
# In a batch, the longest passage has at most this multiple of the pieces of the shortest one, plus
# this number. A GPU is faster with more padding and fewer batches.
_SIMILAR, _SIMILAR_ON_GPU = (1.2, 4), (4.0, 64)


def passage_vectors(
    net: EncoderNet, pieces: Pieces, layers: Sequence[int], passages: Sequence[Passage]
) -> list[Tensor]:
    """Encode passages.

    The vector of a word is the mean of those of its pieces, or zeros if it has none. A passage with
    more pieces than the encoder has positions is read in overlapping windows.

    Args:
        net: The encoder.
        pieces: The tokenizer of the encoder.
        layers: The numbers of the layers whose vectors are returned, in ascending order.
        passages: The passages.

    Returns:
        float32 [n_words, n_layers, hidden], the vectors of the words of each passage, on the device
        of the encoder. Their gradients reach the tuned layers.
    """
    cut = [pieces.cut(passage) for passage in passages]
    found = [torch.empty(0)] * len(cut)
    for batch in passage_batches(np.array([len(one.pieces) for one in cut]), net.positions.device):
        lengths = [len(passages[number]) for number in batch]
        vectors = _encode(net, pieces.ends, layers, [cut[number] for number in batch], lengths)
        for number, part in zip(batch, vectors.split(lengths), strict=True):
            found[number] = part
    return found


def _most_pieces(device: torch.device) -> int:
    return _BATCH if device.type == "cpu" else _BATCH_OF_GPU


def passage_batches(lengths: NDArray[np.int64], device: torch.device) -> Iterator[list[int]]:
    """Divide passages into batches that are encoded at once.

    Args:
        lengths: int64 [n_passages], the number of pieces of each passage.
        device: The device of the encoder.

    Yields:
        The numbers of the passages in a batch.
    """
    ratio, more = _SIMILAR if device.type == "cpu" else _SIMILAR_ON_GPU
    batch: list[int] = []
    for number in np.argsort(lengths, kind="stable").tolist():
        longest = lengths[number]
        if batch and (
            (len(batch) + 1) * longest > _most_pieces(device)
            or longest > ratio * lengths[batch[0]] + more
        ):
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def _encode(
    net: EncoderNet,
    ends: tuple[int, int],
    layers: Sequence[int],
    passages: Sequence[PassagePieces],
    n_words: Sequence[int],
) -> Tensor:
    """Compute the vectors of the words in a batch of passages, [n_words, n_layers, hidden]."""
    device, width = net.positions.device, net.positions.shape[1]
    sums = torch.zeros(sum(n_words), len(layers), width, device=device)
    words = _joined([passage.words for passage in passages], n_words)
    lengths = [len(passage.pieces) for passage in passages]
    places = _joined([passage.places for passage in passages], lengths)
    if len(words):
        numbers = np.concatenate([passage.pieces for passage in passages])
        n_pieces = [n for n in lengths if n]
        for rows, centre, first in _windows(n_pieces, len(net.positions) - 2, device):
            vectors = _encode_windows(net, ends, layers, [numbers[row] for row in rows])
            kept = torch.cat([v[c] for v, c in zip(vectors, centre, strict=True)])
            pairs = slice(*np.searchsorted(places, [first, first + len(kept)]))
            targets = upload(words[pairs], device)
            sources = upload(places[pairs] - first, device)
            sums.index_add_(0, targets, kept[sources])
    counts = upload(np.bincount(words, minlength=len(sums)), device)
    return sums / counts.clamp_min(1)[:, None, None]


def _joined(numbers: Sequence[NDArray[np.int64]], sizes: Sequence[int]) -> NDArray[np.int64]:
    """Convert numbers within passages to numbers within all of them."""
    offsets = np.cumsum(sizes) - sizes
    return np.concatenate([part + offset for part, offset in zip(numbers, offsets, strict=True)])


def _windows(
    lengths: Sequence[int], longest: int, device: torch.device
) -> Iterator[tuple[list[NDArray[np.int64]], list[slice], int]]:
    """Cut passages into windows of up to `longest` pieces, and group them. Returns the pieces of
    each window, the slice that is read with context on both sides, and the number of the first of
    these."""
    cut = cut_into_windows(lengths, longest // 2, longest // 4)
    bounds = np.cumsum([0, *cut.lengths])
    # The beginning of the centre of each window. All centres together are all pieces.
    window = np.searchsorted(bounds, cut.centres, side="right") - 1
    first_piece = np.searchsorted(window, np.arange(len(cut.lengths) + 1))
    at_once = max(1, _most_pieces(device) // max(cut.lengths))
    for start in range(0, len(cut.lengths), at_once):
        some = range(start, min(start + at_once, len(cut.lengths)))
        centres = [
            cut.centres[first_piece[number] : first_piece[number + 1]] - bounds[number]
            for number in some
        ]
        yield (
            [cut.rows[bounds[number] : bounds[number + 1]] for number in some],
            [slice(centre[0], centre[-1] + 1) for centre in centres],
            int(first_piece[start]),
        )


def _encode_windows(
    net: EncoderNet,
    ends: tuple[int, int],
    layers: Sequence[int],
    windows: Sequence[NDArray[np.int64]],
) -> list[Tensor]:
    """Compute the vectors of the pieces of each window, [n_pieces, n_layers, hidden]."""
    lengths = [len(window) + 2 for window in windows]
    padded = np.zeros((len(windows), max(lengths)), dtype=np.int64)
    for row, window in zip(padded, windows, strict=True):
        row[: len(window) + 2] = [ends[0], *window, ends[1]]
    device = net.positions.device
    vectors = net(upload(padded, device), torch.tensor(lengths), layers)
    return [row[1 : length - 1] for row, length in zip(vectors, lengths, strict=True)]
