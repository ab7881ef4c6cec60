"""Non-monotonic Covington (Fernández-González and Gómez-Rodríguez 2017).

Notation as in `covington`.
"""

from spacy_npparse.systems.covington cimport (
    LEFT_ARC, RIGHT_ARC, Covington, CovingtonDynamic
)
from spacy_npparse.systems.covington import CovingtonStatic
from spacy_npparse.transitions.configuration cimport (
    KernelConfiguration, buffer_item, has_head, stack_item
)
from spacy_npparse.trees.partial_trees cimport NO_WORD
from spacy_npparse.trees.projectivity cimport dominates


cdef class NonmonotonicCovington(Covington):
    """Covington's algorithm, with arcs that replace earlier ones.

        LEFT-ARC   also if A(i) ≠ ⊥ or a cycle would arise: replaces the arc to i
        RIGHT-ARC  also if A(j) ≠ ⊥ or a cycle would arise: replaces the arc to j

    Where a cycle would arise, the new head, which is a descendant of the dependent, loses its own
    head. Everything else, including the length and the coverage, is as in `Covington`.

    Without the single-root precondition, both are legal wherever λ1 is not empty. The precondition
    is that of `Covington`: with the last word as j, a transition is legal only if exactly one
    headless word can remain.

    Source: Fernández-González and Gómez-Rodríguez (2017).
    """

    def oracle_classes(self):
        return {"static": CovingtonStatic, "dynamic": NonmonotonicCovingtonDynamic}

    cdef bint may_attach(self, KernelConfiguration c, int t) noexcept nogil:
        return True

    cdef void attach(self, KernelConfiguration c, int t) noexcept nogil:
        cdef int i = stack_item(c, 0)
        cdef int j = buffer_item(c, 0)
        if t == LEFT_ARC:
            if dominates(c.heads, i, j):
                c.heads[j] = NO_WORD
            c.heads[i] = j
        elif t == RIGHT_ARC:
            if dominates(c.heads, j, i):
                c.heads[i] = NO_WORD
            c.heads[j] = i


cdef class NonmonotonicCovingtonDynamic(CovingtonDynamic):
    """An approximate dynamic oracle, by nearly a lower bound of the loss of configurations.

    The bound is the number of gold arcs that are not built and whose pair of words has been passed.
    We also count a gold arc from the root while its dependent has another head. This makes more
    costs exact, but is not a bound, because the word may lose that head again.

    Source: Fernández-González and Gómez-Rodríguez (2017).
    """

    def __init__(self, NonmonotonicCovington system):
        super().__init__(system)
        self.proven = False

    cdef int unreachable(self, KernelConfiguration c) noexcept nogil:
        cdef int d
        cdef int lost = 0
        for d in range(1, self.n + 1):
            if self.gold[d] == 0:
                lost += has_head(c, d) and c.heads[d] != 0
            elif self.gold[d] != NO_WORD and c.heads[d] != self.gold[d]:
                lost += self.passed[d]
        return lost
