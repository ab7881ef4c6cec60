"""The search for trees, and how sure it is of them."""

from collections import defaultdict
from itertools import pairwise
from typing import Any, NamedTuple

import numpy
from numpy.typing import NDArray

from ..decoding import BeamResult, ScoreTables, decode_beam, decode_greedy
from .gold import MISSING
from .settings import DecoderSettings


class Found(NamedTuple):
    """Trees of some sentences, the best first.

    heads: int32 [n_trees, n_words], in the sentence; -1 where fewer trees were found.
    scores: float64 [n_trees, n_sentences], log-probability of each tree, up to a constant if scores
        are not normalised; -inf for none.
    probabilities: float32 [n_words], of the arc to each word in the best tree.
    """

    heads: NDArray[numpy.int32]
    scores: NDArray[numpy.float64]
    probabilities: NDArray[numpy.float32]


def no_trees(n_trees: int, lengths: NDArray[numpy.int32]) -> Found:
    """What is known before the search. lengths: words of each sentence."""
    n_words = int(lengths.sum())
    return Found(
        numpy.full((n_trees, n_words), MISSING, dtype=numpy.int32),
        numpy.full((n_trees, len(lengths)), -numpy.inf),
        numpy.ones(n_words, dtype=numpy.float32),
    )


def search(
    system: Any,
    tables: ScoreTables,
    lengths: NDArray[numpy.int32],
    settings: DecoderSettings,
    *,
    normalised: bool,
) -> Found:
    """Find the best trees.

    system, tables, lengths: as in `decode_greedy`; normalised: as in `decode_beam`.

    Greedy search knows the probability of each transition, but no score of the tree (0).
    """
    if settings.beam_width == 1 and not settings.k_best:
        result = decode_greedy(system, tables, lengths)
        return Found(result.heads[None], numpy.zeros((1, len(lengths))), result.probabilities)
    beam = decode_beam(system, tables, lengths, settings.beam_width, normalised)
    return _merge(beam, lengths, settings.n_trees)


def _merge(beam: BeamResult, lengths: NDArray[numpy.int32], n_trees: int) -> Found:
    """The trees of a beam. The probability of a tree is the sum of those of its derivations; that
    of an arc is the share of the beam's probability that lies on trees with it."""
    found = no_trees(n_trees, lengths)
    bounds = numpy.concatenate([[0], numpy.cumsum(lengths)]).tolist()
    for sentence, (start, end) in enumerate(pairwise(bounds)):
        scores: dict[tuple[int, ...], float] = defaultdict(lambda: -numpy.inf)
        for heads, score in zip(beam.heads[:, start:end], beam.scores[:, sentence], strict=True):
            if score > -numpy.inf:
                tree = tuple(heads.tolist())
                scores[tree] = float(numpy.logaddexp(scores[tree], score))
        ranked = sorted(scores, key=scores.__getitem__, reverse=True)
        trees = numpy.array(ranked, dtype=numpy.int32)
        values = numpy.array([scores[tree] for tree in ranked])
        kept = min(n_trees, len(ranked))
        found.heads[:kept, start:end] = trees[:kept]
        found.scores[:kept, sentence] = values[:kept]
        shares = numpy.exp(values - values[0])
        found.probabilities[start:end] = shares @ (trees == trees[0]) / shares.sum()
    return found
