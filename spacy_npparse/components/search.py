"""Greedy and beam search: trees, their scores, and the probabilities of arcs."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacy_npparse.components.sentences import SentenceBatch
from spacy_npparse.components.settings import DecoderSettings
from spacy_npparse.decoding import BeamResult, ScoreTables, decode_beam, decode_greedy
from spacy_npparse.trees.missing import MISSING


class Found(NamedTuple):
    """Trees of some sentences, in descending order of their scores.

    Attributes:
        heads: int32 [n_trees, n_words], in the sentence; MISSING where fewer trees were found.
        scores: float64 [n_trees, n_sentences], of each tree, -inf for none: its log-probability,
            or, if scores are not normalised, the score of its best derivation.
        probabilities: float32 [n_words], of the arc to each word in the best tree.
    """

    heads: NDArray[np.int32]
    scores: NDArray[np.float64]
    probabilities: NDArray[np.float32]


def no_trees(n_trees: int, sentences: SentenceBatch) -> Found:
    """Allocate the results of a search.

    Args:
        n_trees: Trees of each sentence.
        sentences: The sentences.

    Returns:
        No trees.
    """
    n_words = len(sentences.words)
    return Found(
        np.full((n_trees, n_words), MISSING, dtype=np.int32),
        np.full((n_trees, len(sentences.lengths)), -np.inf),
        np.ones(n_words, dtype=np.float32),
    )


def search(
    system: Any,
    tables: ScoreTables,
    sentences: SentenceBatch,
    settings: DecoderSettings,
    *,
    normalised: bool,
) -> Found:
    """Find the highest-scoring trees, greedily if the beam is of width 1.

    Args:
        system: See `decode_greedy`.
        tables: See `decode_greedy`.
        sentences: The sentences.
        settings: How to search.
        normalised: See `decode_beam`.

    Returns:
        The trees. Greedy search has the probability of each transition, but no score of the tree
        (0).
    """
    lengths = sentences.lengths
    if settings.beam_width == 1:
        result = decode_greedy(system, tables, lengths)
        return Found(result.heads[None], np.zeros((1, len(lengths))), result.probabilities)
    beam = decode_beam(system, tables, lengths, settings.beam_width, normalised)
    return _ranked(beam, sentences, settings.n_trees)


def _ranked(beam: BeamResult, sentences: SentenceBatch, n_trees: int) -> Found:
    """The best trees of a beam. The probability of an arc is the share of the beam's probability
    mass that belongs to trees with it."""
    found = no_trees(n_trees, sentences)
    for sentence, words in enumerate(sentences.slices()):
        scores = beam.joint_scores[:, sentence]
        ranks = np.argsort(-scores, kind="stable")[: np.isfinite(scores).sum()]
        trees = beam.heads[ranks, words]
        kept = min(n_trees, len(ranks))
        found.heads[:kept, words] = trees[:kept]
        found.scores[:kept, sentence] = scores[ranks[:kept]]
        shares = np.exp(scores[ranks] - scores[ranks[0]])
        found.probabilities[words] = shares @ (trees == trees[0]) / shares.sum()
    return found
