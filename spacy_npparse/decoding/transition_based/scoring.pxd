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
        const Tables& tables, const int* rows, const long long* cells, float* hidden, float* scores
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
    cdef vector[long long] cells
    cdef vector[float] hidden
    cdef vector[float] scores


cdef inline void look_up(
    Scorer scorer, KernelSystem system, KernelConfiguration c, int sentence, int root_row
) noexcept nogil:
    """Set scorer.rows to the table row at each position and scorer.cells to the place of each
    candidate arc. root_row is the row of the sentence's root."""
    cdef int i, dependent, head
    system.positions(c, scorer.rows.data())
    for i in range(system.n_candidate_arcs):
        dependent = scorer.rows[scorer.candidate_arcs[i].dependent]
        head = scorer.rows[scorer.candidate_arcs[i].head]
        if dependent > 0 and head >= 0:
            scorer.cells[i] = (
                sentence * scorer.arcs_per_sentence + dependent * scorer.arcs_per_word + head
            )
        else:
            scorer.cells[i] = -1
    for i in range(system.n_positions):
        if scorer.rows[i] == -1:
            scorer.rows[i] = scorer.padding_row
        else:
            scorer.rows[i] += root_row


cdef inline void score_transitions(Scorer scorer) noexcept nogil:
    """Set scorer.scores to the scores of all transitions, for what was looked up last."""
    score(
        scorer.tables, scorer.rows.data(), scorer.cells.data(), scorer.hidden.data(),
        scorer.scores.data(),
    )
