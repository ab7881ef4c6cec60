"""A cache of the scores of transitions."""

from libc.string cimport memcmp, memcpy

from spacy_npparse.decoding.transition_based.scoring cimport (
    Scorer, extract_features, score_transitions,
)
from spacy_npparse.transitions.configuration cimport KernelConfiguration
from spacy_npparse.transitions.system cimport KernelSystem

# A power of 2. The words at the positions change with every SHIFT, so scores of a few words ago are
# not needed again. A few entries are enough, and stay in the processor's cache.
cdef enum:
    N_ENTRIES = 64


cdef class ScoreCache:
    """A scorer that caches scores.

    Configurations on a beam often differ only in what the scorer does not read. If the same words
    of the same sentence are at their positions, all transitions have the same scores. A new entry
    replaces the one with the same hash.

    Args:
        system: The transition system.
        scorer: The scorer of the system's transitions.
    """

    def __init__(self, KernelSystem system, Scorer scorer):
        self.system = system
        self.scorer = scorer
        self.rows.assign(N_ENTRIES * system.n_positions, -1)
        self.scores.resize(N_ENTRIES * system.n_transitions)

    cdef const float* look_up(
        self, KernelConfiguration c, int sentence, int root_row
    ) noexcept nogil:
        """Find the scores of all transitions in a configuration, which are valid until the next
        call."""
        cdef int size = self.system.n_positions * sizeof(int)
        cdef unsigned int entry = 0
        cdef int i
        cdef int* rows
        cdef float* scores
        extract_features(self.scorer, self.system, c, sentence, root_row)
        for i in range(self.system.n_positions):
            entry = entry * 31 + self.scorer.rows[i]
        entry %= N_ENTRIES
        rows = self.rows.data() + entry * self.system.n_positions
        scores = self.scores.data() + entry * self.system.n_transitions
        if memcmp(rows, self.scorer.rows.data(), size) != 0:
            score_transitions(self.scorer)
            memcpy(rows, self.scorer.rows.data(), size)
            memcpy(scores, self.scorer.scores.data(), self.system.n_transitions * sizeof(float))
        return scores
