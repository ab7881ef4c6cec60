from libcpp.vector cimport vector

from spacy_npparse.transitions.configuration cimport KernelConfiguration
from spacy_npparse.transitions.system cimport KernelSystem


cdef extern from "scoring.h" namespace "npparse":
    cdef cppclass Tables:
        const float* words
        const float* arcs
        const float* arc_weights
        const float* output_weights
        const float* output_bias
        int n_positions
        int n_arcs
        int n_transitions
        int width

    void score(
        const Tables& tables, const int* rows, const long long* arc_indices, float* hidden,
        float* scores,
    ) noexcept nogil


cdef struct CandidateArc:
    int dependent
    int head


cdef class Scorer:
    cdef object arrays
    cdef Tables tables
    cdef readonly int n_words
    cdef int padding_row
    cdef long long arcs_per_word
    cdef long long arcs_per_sentence
    cdef vector[CandidateArc] candidate_arcs
    cdef vector[int] rows
    cdef vector[long long] arc_indices
    cdef vector[float] hidden
    cdef vector[float] scores


cdef inline void extract_features(
    Scorer scorer, KernelSystem system, KernelConfiguration c, int sentence, int root_row
) noexcept nogil:
    """Set scorer.rows to the row of the word at each position, and scorer.arc_indices to the index
    of each candidate arc. root_row is the row of the sentence's root."""
    cdef int i, dependent, head
    system.positions(c, scorer.rows.data())
    for i in range(system.n_candidate_arcs):
        dependent = scorer.rows[scorer.candidate_arcs[i].dependent]
        head = scorer.rows[scorer.candidate_arcs[i].head]
        if dependent > 0 and head >= 0:
            scorer.arc_indices[i] = (
                sentence * scorer.arcs_per_sentence + dependent * scorer.arcs_per_word + head
            )
        else:
            scorer.arc_indices[i] = -1
    for i in range(system.n_positions):
        if scorer.rows[i] == -1:
            scorer.rows[i] = scorer.padding_row
        else:
            scorer.rows[i] += root_row


cdef inline void score_transitions(Scorer scorer) noexcept nogil:
    """Set scorer.scores to the scores of all transitions, given the features extracted last."""
    score(
        scorer.tables, scorer.rows.data(), scorer.arc_indices.data(), scorer.hidden.data(),
        scorer.scores.data(),
    )
