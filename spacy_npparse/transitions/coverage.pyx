"""The gold trees that a transition system can build, and how it builds them."""

import numpy as np

from spacy_npparse.transitions.configuration cimport KernelConfiguration
from spacy_npparse.transitions.system cimport StaticOracle, KernelSystem


def derivable(KernelSystem system, const int[::1] lengths, const int[::1] heads):
    """Which gold trees the system's first static oracle derives: bool [sentences].

    Arguments and errors as in `derivation_counts`.
    """
    return derivation_counts(system, lengths, heads)[0]


def derivation_counts(
    KernelSystem system, const int[::1] lengths, const int[::1] heads, oracle_name=None
):
    """How often the gold derivation of each sentence takes each transition, with any number of
    words on the root.

    lengths: [sentences] number of words of each sentence.
    heads: [words] gold heads, sentence by sentence, counted from 1 within the sentence; 0 is the
        root, -1 is missing (filled in harmlessly).
    oracle_name: of a static oracle; the system's first one if there is none.

    Returns which trees the oracle derives, bool [sentences], and the counts, int32 [sentences,
    transitions], 0 for the others. Raises ValueError if the heads of a sentence form a cycle.
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
