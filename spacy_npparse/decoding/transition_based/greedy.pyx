"""Greedy search, which takes the best legal transition in every configuration."""

from libcpp.vector cimport vector

import numpy as np

from spacy_npparse.decoding.transition_based.scoring cimport (
    Scorer, extract_features, score_transitions,
)
from spacy_npparse.transitions.configuration cimport KernelConfiguration
from spacy_npparse.transitions.system cimport KernelSystem

from spacy_npparse.decoding.transition_based.types import GreedyResult


def decode_greedy(KernelSystem system, tables, const int[::1] lengths):
    """Parse a batch of sentences greedily.

    Every sentence gets a tree, even if scores are NaN or infinite. Ties go to the first transition.

    Args:
        system: The transition system.
        tables: The tables of scores, ScoreTables.
        lengths: int32 [n_sentences], the number of words of each sentence.

    Returns:
        The trees, GreedyResult.

    Raises:
        ValueError: The shapes do not fit.
    """
    cdef Scorer scorer = Scorer(system, tables, lengths)
    cdef KernelConfiguration c = system.new_configuration()
    cdef int sentence, n, word
    cdef int root_row = 0
    cdef int first_word = 0
    cdef int[::1] heads, n_transitions
    cdef vector[char] legal
    result = GreedyResult(
        np.empty(scorer.n_words, dtype=np.int32), np.zeros(lengths.shape[0], dtype=np.int32)
    )
    heads, n_transitions = result
    legal.resize(system.n_transitions)
    with nogil:
        for sentence in range(<int>lengths.shape[0]):
            n = lengths[sentence]
            system.initialise(c, n)
            while not system.is_terminal(c):
                if system.mark_legal(c, legal.data()) > 1:
                    extract_features(scorer, system, c, sentence, root_row)
                    score_transitions(scorer)
                system.apply(c, best_legal(legal, scorer.scores))
                n_transitions[sentence] += 1
            for word in range(n):
                heads[first_word + word] = c.heads[word + 1]
            first_word += n
            root_row += n + 1
    return result


cdef int best_legal(const vector[char]& legal, const vector[float]& scores) noexcept nogil:
    """Find the legal transition with the highest score, the first one of several."""
    cdef int t
    cdef int best = -1
    for t in range(<int>legal.size()):
        if legal[t] and (best == -1 or scores[t] > scores[best]):
            best = t
    return best
