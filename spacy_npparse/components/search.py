"""The search for trees, and how sure it is of them."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacy_npparse.components.gold import MISSING
from spacy_npparse.components.sentences import SentenceBatch
from spacy_npparse.components.settings import DecoderSettings
from spacy_npparse.decoding import BeamResult, ScoreTables, decode_beam, decode_greedy


class Found(NamedTuple):
    """Trees of some sentences, the best first.

    heads: int32 [n_trees, n_words], in the sentence; -1 where fewer trees were found.
    scores: float64 [n_trees, n_sentences], of each tree, -inf for none: its log-probability, or,
        if scores are not normalised, the score of its best derivation.
    probabilities: float32 [n_words], of the arc to each word in the best tree.
    """

    heads: NDArray[np.int32]
    scores: NDArray[np.float64]
    probabilities: NDArray[np.float32]


def no_trees(n_trees: int, sentences: SentenceBatch) -> Found:
    """What is known before the search."""
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
    """Find the best trees.

    system, tables: as in `decode_greedy`; normalised: as in `decode_beam`.

    Greedy search knows the probability of each transition, but no score of the tree (0).
    """
    lengths = sentences.lengths
    if settings.beam_width == 1:
        result = decode_greedy(system, tables, lengths)
        return Found(result.heads[None], np.zeros((1, len(lengths))), result.probabilities)
    beam = decode_beam(system, tables, lengths, settings.beam_width, normalised)
    return _merge(beam, sentences, settings.n_trees, np.logaddexp if normalised else max)


def _merge(
    beam: BeamResult,
    sentences: SentenceBatch,
    n_trees: int,
    join: Callable[[float, float], float],
) -> Found:
    """The trees of a beam. The probability of an arc is the share of the beam's probability that
    lies on trees with it.

    join: gives the score of a tree from those of two of its derivations.
    """
    found = no_trees(n_trees, sentences)
    for sentence, words in enumerate(sentences.slices()):
        scores: dict[tuple[int, ...], float] = {}
        for heads, score in zip(beam.heads[:, words], beam.scores[:, sentence], strict=True):
            if score > -np.inf:
                tree = tuple(heads.tolist())
                scores[tree] = float(join(scores[tree], score)) if tree in scores else float(score)
        ranked = sorted(scores, key=scores.__getitem__, reverse=True)
        trees = np.array(ranked, dtype=np.int32)
        values = np.array([scores[tree] for tree in ranked])
        kept = min(n_trees, len(ranked))
        found.heads[:kept, words] = trees[:kept]
        found.scores[:kept, sentence] = values[:kept]
        shares = np.exp(values - values[0])
        found.probabilities[words] = shares @ (trees == trees[0]) / shares.sum()
    return found
