from libcpp.vector cimport vector

from spacy_npparse.transitions.configuration cimport Configuration
from spacy_npparse.transitions.system cimport TransitionSystem


cdef extern from "scoring.h" namespace "npparse":
    void score(
        const float* table, const int* rows, int n_positions, int width,
        const float* weights, const float* bias, int n_transitions, float* hidden, float* scores
    ) noexcept nogil


cdef class Scorer:
    cdef const float[:, :, ::1] table
    cdef const float[:, ::1] output_weights
    cdef const float[::1] output_bias
    cdef readonly int n_words
    cdef int padding_row
    cdef vector[float] hidden
    cdef vector[int] rows
    cdef vector[float] scores


cdef inline void look_up(
    Scorer scorer, TransitionSystem system, Configuration c, int root_row
) noexcept nogil:
    """Set scorer.rows to the table row at each position; root_row is the sentence's root."""
    cdef int p
    system.positions(c, scorer.rows.data())
    for p in range(system.n_positions):
        if scorer.rows[p] == -1:
            scorer.rows[p] = scorer.padding_row
        else:
            scorer.rows[p] += root_row


cdef inline void score_transitions(Scorer scorer) noexcept nogil:
    """Set scorer.scores to the scores of all transitions, for scorer.rows."""
    score(
        &scorer.table[0, 0, 0], scorer.rows.data(), <int>scorer.rows.size(),
        <int>scorer.hidden.size(), &scorer.output_weights[0, 0], &scorer.output_bias[0],
        <int>scorer.scores.size(), scorer.hidden.data(), scorer.scores.data(),
    )
