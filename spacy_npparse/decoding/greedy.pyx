"""Greedy decoding: the best legal transition in every configuration."""

from libc.math cimport exp

import numpy as np

from spacy_npparse.decoding.scoring cimport Scorer, look_up, score_transitions
from spacy_npparse.transitions.configuration cimport Configuration
from spacy_npparse.transitions.system cimport TransitionSystem

from spacy_npparse.decoding.results import GreedyResult


def decode_greedy(TransitionSystem system, tables, const int[::1] lengths):
    """Parse a batch of sentences.

    A tree comes out whatever the scores are, numbers or not; ties go to the first transition.

    system: the transition system.
    tables: a ScoreTables.
    lengths: [sentences] number of words of each sentence.

    Returns a GreedyResult. Raises ValueError if shapes do not fit.
    """
    cdef Scorer scorer = Scorer(system, tables, lengths)
    cdef Configuration c = system.new_configuration()
    cdef int sentence, n, t, word
    cdef int root_row = 0
    cdef int first_word = 0
    cdef int[::1] heads
    cdef bint chosen
    cdef int[::1] n_transitions
    cdef float[::1] probabilities
    result = GreedyResult(
        np.empty(scorer.n_words, dtype=np.int32),
        np.ones(scorer.n_words, dtype=np.float32),
        np.zeros(lengths.shape[0], dtype=np.int32),
    )
    heads = result.heads
    probabilities = result.probabilities
    n_transitions = result.n_transitions
    with nogil:
        for sentence in range(<int>lengths.shape[0]):
            n = lengths[sentence]
            system.initialise(c, n)
            while not system.is_terminal(c):
                t = only_legal(system, c)
                chosen = t == -1
                if chosen:
                    look_up(scorer, system, c, sentence, root_row)
                    score_transitions(scorer)
                    t = best_legal(system, c, scorer.scores.data())
                word = system.dependent(c, t)
                if word != -1:
                    probabilities[first_word + word - 1] = (
                        probability(system, c, scorer.scores.data(), t) if chosen else 1.0
                    )
                system.apply(c, t)
                n_transitions[sentence] += 1
            for word in range(n):
                heads[first_word + word] = c.heads[word + 1]
            first_word += n
            root_row += n + 1
    return result


cdef int only_legal(TransitionSystem system, Configuration c) noexcept nogil:
    """The legal transition if there is exactly one, else -1."""
    cdef int t
    cdef int only = -1
    for t in range(system.n_transitions):
        if system.is_legal(c, t):
            if only != -1:
                return -1
            only = t
    return only


cdef int best_legal(TransitionSystem system, Configuration c, const float* scores) noexcept nogil:
    """The first of the legal transitions with the highest score."""
    cdef int t
    cdef int best = -1
    for t in range(system.n_transitions):
        if system.is_legal(c, t) and (best == -1 or scores[t] > scores[best]):
            best = t
    return best


cdef float probability(
    TransitionSystem system, Configuration c, const float* scores, int chosen
) noexcept nogil:
    """Of the chosen transition among the legal ones: a softmax of their scores."""
    cdef int t
    cdef double total = 0.0
    for t in range(system.n_transitions):
        if system.is_legal(c, t):
            total += exp(scores[t] - scores[chosen])
    return <float>(1.0 / total)
