"""Pruning of the arcs that exact search considers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spacy_npparse.decoding.mh.search import decode_mh
from spacy_npparse.decoding.mh.types import MHScores


def improbable_arcs(
    log_probabilities: NDArray[np.float32], lengths: NDArray[np.int32], ratio: float
) -> NDArray[np.bool_]:
    """Find arcs that the search can probably do without.

    The most probable head of each word and the arcs of the most probable projective tree are kept,
    so that there is always a tree.

    Args:
        log_probabilities: float32 [n_sentences, size, size], the log-probabilities of heads, with
            the dependent in the second dimension. Node 0 is the root.
        lengths: int32 [n_sentences], the number of words of each sentence.
        ratio: The share of the probability of a word's most probable head below which an arc is
            improbable, above 0.

    Returns:
        bool [n_sentences, size, size], the improbable arcs by head and dependent.

    Source: Rush and Petrov (2012), coarse-to-fine pruning, there by max-marginals.
    """
    size = log_probabilities.shape[1]
    by_head = np.where(
        np.arange(size)[:, None] <= lengths[:, None, None],
        np.nan_to_num(log_probabilities.swapaxes(1, 2), nan=-np.inf, posinf=0.0, neginf=-np.inf),
        -np.inf,
    ).astype(np.float32, order="C")
    improbable = by_head < by_head.max(axis=1, keepdims=True) + np.log(ratio)
    arcs = np.pad(by_head, ((0, 0), (0, 1), (0, 1)))
    projective = decode_mh(MHScores.of_arcs(arcs), lengths, n_heads=3)
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    first_words = np.repeat(np.cumsum(lengths) - lengths, lengths)
    words = np.arange(len(sentence)) - first_words + 1
    improbable[sentence, projective.heads, words] = False
    return improbable
