"""Coverage: the gold trees that a transition system derives, and with which transitions."""

import numpy as np

from spacy_npparse.transitions.configuration cimport KernelConfiguration
from spacy_npparse.transitions.system cimport KernelSystem, StaticOracle


def derivable(KernelSystem system, const int[::1] lengths, const int[::1] heads):
    """Which gold trees the first static oracle of a system derives.

    Args:
        system: The transition system.
        lengths: [sentences] number of words of each sentence.
        heads: As in `derivation_counts`.

    Returns:
        bool [sentences].

    Raises:
        ValueError: The heads of a sentence form a cycle.
    """
    return derivation_counts(system, lengths, heads)[0]


def derivation_counts(
    KernelSystem system, const int[::1] lengths, const int[::1] heads, oracle_name=None
):
    """How often each transition occurs in the gold derivation of each sentence.

    The single-root precondition is not applied.

    Args:
        system: The transition system.
        lengths: [sentences] number of words of each sentence.
        heads: [words] gold heads, sentence by sentence, numbered from 1 within each sentence; 0 is
            the root, -1 a missing head, which is filled in.
        oracle_name: One of the system's static oracles; None for the first one.

    Returns:
        Which trees the oracle derives, bool [sentences], and the counts, int32 [sentences,
        transitions], 0 for trees that it does not derive.

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
