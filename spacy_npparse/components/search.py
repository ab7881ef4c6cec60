"""Greedy and beam search: trees and their scores."""

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from spacy_npparse.components.sentences import SentenceBatch
from spacy_npparse.components.settings import DecoderSettings
from spacy_npparse.decoding import BeamResult, ScoreTables, decode_beam, decode_greedy
from spacy_npparse.models.parser_net import sentences_and_words
from spacy_npparse.trees.missing import NO_HEAD


class Found(NamedTuple):
    """Trees of some sentences, in descending order of their scores.

    Attributes:
        heads: int32 [n_trees, n_words], in the sentence; NO_HEAD where fewer trees were found.
        scores: float64 [n_trees, n_sentences], of each tree, -inf for none: its log-probability,
            or, if scores are not normalised, the score of its best derivation.
    """

    heads: NDArray[np.int32]
    scores: NDArray[np.float64]


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
        np.full((n_trees, n_words), NO_HEAD, dtype=np.int32),
        np.full((n_trees, len(sentences.lengths)), -np.inf),
    )


def found_by_arcs(arcs: Tensor, lengths: Tensor, heads: NDArray[np.int32]) -> Found:
    """Score trees by the scores of arcs alone.

    Args:
        arcs: Log-probabilities, see `ParserNet.score_arcs`.
        lengths: int64 [n_sentences], the number of words of each sentence.
        heads: int32 [n_words], in the sentence.

    Returns:
        The trees, with the sums of their log-probabilities.
    """
    sentence, word = sentences_and_words(lengths)
    by_arc = arcs[sentence, word, torch.from_numpy(heads).to(arcs.device).long()].cpu().numpy()
    totals = np.zeros(len(lengths))
    np.add.at(totals, sentence.cpu().numpy(), by_arc)
    return Found(heads[None], totals[None])


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
        The trees. Greedy search has no score of the tree (0).
    """
    lengths = sentences.lengths
    if settings.beam_width == 1:
        result = decode_greedy(system, tables, lengths)
        return Found(result.heads[None], np.zeros((1, len(lengths))))
    beam = decode_beam(system, tables, lengths, settings.beam_width, normalised)
    return _ranked(beam, sentences, settings.n_trees)


def _ranked(beam: BeamResult, sentences: SentenceBatch, n_trees: int) -> Found:
    """The best trees of a beam."""
    found = no_trees(n_trees, sentences)
    for sentence, words in enumerate(sentences.slices()):
        scores = beam.joint_scores[:, sentence]
        ranks = np.argsort(-scores, kind="stable")[: np.isfinite(scores).sum()]
        ranks = ranks[:n_trees]
        found.heads[: len(ranks), words] = beam.heads[ranks, words]
        found.scores[: len(ranks), sentence] = scores[ranks]
    return found
