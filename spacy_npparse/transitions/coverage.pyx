"""Coverage of gold trees by a transition system, and the transitions of their derivations."""

import numpy as np

from spacy_npparse.transitions.configuration cimport KernelConfiguration
from spacy_npparse.transitions.system cimport KernelSystem, StaticOracle


def derivable(KernelSystem system, const int[::1] lengths, const int[::1] heads):
    """Check which gold trees the first static oracle of a system derives.

    Args:
        system: The transition system.
        lengths: int32 [sentences], the number of words of each sentence.
        heads: int32 [words], the gold heads within the sentences, 0 for the root, -1 if missing.

    Returns:
        bool [sentences], whether each tree is derived.

    Raises:
        ValueError: The heads of a sentence form a cycle.
    """
    return derivation_counts(system, lengths, heads)[0]


def derivation_counts(
    KernelSystem system, const int[::1] lengths, const int[::1] heads, oracle_name=None
):
    """Count the transitions in the gold derivation of each sentence.

    The single-root precondition is not applied.

    Args:
        system: The transition system.
        lengths: int32 [sentences], the number of words of each sentence.
        heads: int32 [words], the gold heads within the sentences, counted from 1, 0 for the root,
            -1 if missing. Missing heads are filled in.
        oracle_name: The name of a static oracle of the system; None for the first one.

    Returns:
        bool [sentences], whether the oracle derives each tree; and int32 [sentences, transitions],
        the counts, 0 for trees that it does not derive.

    Raises:
        ValueError: The heads of a sentence form a cycle.
    """
    cdef KernelSystem free = system.with_single_root(False)
    cdef StaticOracle oracle = free.oracle(oracle_name or next(iter(free.oracle_classes())))
    cdef KernelConfiguration c = free.new_configuration()
    cdef int sentence, t
    cdef int first_word = 0
    cdef const int* gold = &heads[0] if heads.shape[0] > 0 else NULL
    derived = np.zeros(lengths.shape[0], dtype=bool)
    counts = np.zeros((lengths.shape[0], free.n_transitions), dtype=np.int32)
    cdef unsigned char[::1] is_derived = derived.view(np.uint8)
    cdef int[:, ::1] taken = counts
    with nogil:
        for sentence in range(<int>lengths.shape[0]):
            oracle.prepare(gold + first_word, lengths[sentence])
            free.initialise(c, lengths[sentence])
            while not free.is_terminal(c):
                t = oracle.move(c)
                if not free.is_legal(c, t):
                    break
                free.apply(c, t)
                taken[sentence, t] += 1
            is_derived[sentence] = free.is_terminal(c) and oracle.derives(c)
            if not is_derived[sentence]:
                taken[sentence, :] = 0
            first_word += lengths[sentence]
    return derived, counts
