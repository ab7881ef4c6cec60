"""Greedy decoding: the best legal transition in every configuration."""

from libc.math cimport exp
from libcpp.vector cimport vector

import numpy as np

from spacy_npparse.decoding.transition_based.scoring cimport (
    Scorer, extract_features, score_transitions,
)
from spacy_npparse.transitions.configuration cimport KernelConfiguration
from spacy_npparse.transitions.system cimport KernelSystem
from spacy_npparse.trees.partial_trees cimport NO_WORD

from spacy_npparse.decoding.transition_based.types import GreedyResult


def decode_greedy(KernelSystem system, tables, const int[::1] lengths):
    """Parse a batch of sentences greedily.

    Every sentence gets a tree, even if scores are NaN or infinite. Ties go to the first transition.

    Args:
        system: The transition system.
        tables: ScoreTables.
        lengths: int32 [n_sentences], the number of words of each sentence.

    Returns:
        GreedyResult.

    Raises:
        ValueError: If shapes do not fit.
    """
    cdef Scorer scorer = Scorer(system, tables, lengths)
    cdef KernelConfiguration c = system.new_configuration()
    cdef int sentence, n, t, word
    cdef int root_row = 0
    cdef int first_word = 0
    cdef int[::1] heads
    cdef bint is_choice
    cdef bint implicit_root = not (system.root_on_stack or system.root_in_buffer)
    cdef vector[char] legal
    cdef int[::1] n_transitions
    cdef float[::1] probabilities
    result = GreedyResult(
        np.empty(scorer.n_words, dtype=np.int32),
        np.ones(scorer.n_words, dtype=np.float32),
        np.zeros(lengths.shape[0], dtype=np.int32),
    )
    legal.resize(system.n_transitions)
    heads = result.heads
    probabilities = result.probabilities
    n_transitions = result.n_transitions
    with nogil:
        for sentence in range(<int>lengths.shape[0]):
            n = lengths[sentence]
            system.initialise(c, n)
            while not system.is_terminal(c):
                is_choice = system.mark_legal(c, legal.data()) > 1
                if is_choice:
                    extract_features(scorer, system, c, sentence, root_row)
                    score_transitions(scorer)
                t = best_legal(legal, scorer.scores)
                word = system.dependent(c, t)
                if word != NO_WORD:
                    probabilities[first_word + word - 1] = (
                        probability(legal, scorer.scores, t) if is_choice else 1.0
                    )
                system.apply(c, t)
                n_transitions[sentence] += 1
            for word in range(n):
                heads[first_word + word] = c.heads[word + 1]
                if implicit_root and c.heads[word + 1] == 0:
                    probabilities[first_word + word] = 1.0
            first_word += n
            root_row += n + 1
    return result


cdef int best_legal(const vector[char]& legal, const vector[float]& scores) noexcept nogil:
    """The legal transition of highest score, the first one of several."""
    cdef int t
    cdef int best = -1
    for t in range(<int>legal.size()):
        if legal[t] and (best == -1 or scores[t] > scores[best]):
            best = t
    return best


cdef float probability(
    const vector[char]& legal, const vector[float]& scores, int chosen
) noexcept nogil:
    """The probability of the chosen transition: the softmax over the legal ones."""
    cdef int t
    cdef double total = 0.0
    for t in range(<int>legal.size()):
        if legal[t]:
            total += exp(scores[t] - scores[chosen])
    return <float>(1.0 / total)
