"""Which gold trees a transition system can build."""

import numpy as np

from spacy_npparse.transitions.configuration cimport Configuration
from spacy_npparse.transitions.system cimport StaticOracle, TransitionSystem


def derivable(TransitionSystem system, const int[::1] lengths, const int[::1] heads):
    """Which gold trees the system's first static oracle derives, with any number of words on the
    root.

    lengths: [sentences] number of words of each sentence.
    heads: [words] gold heads, sentence by sentence, counted from 1 within the sentence; 0 is the
        root, -1 is missing (filled in harmlessly).

    Returns bool [sentences]. Raises ValueError if the heads of a sentence form a cycle.
    """
    cdef TransitionSystem free = system.with_single_root(False)
    cdef StaticOracle oracle = free.oracle(next(iter(free.oracle_classes())))
    cdef Configuration c = free.new_configuration()
    cdef int sentence
    cdef int first_word = 0
    cdef const int* gold = &heads[0] if heads.shape[0] > 0 else NULL
    result = np.zeros(lengths.shape[0], dtype=bool)
    cdef unsigned char[::1] found = result.view(np.uint8)
    with nogil:
        for sentence in range(<int>lengths.shape[0]):
            oracle.prepare(gold + first_word, lengths[sentence])
            free.initialise(c, lengths[sentence])
            while not free.is_terminal(c) and free.is_legal(c, oracle.move(c)):
                free.apply(c, oracle.move(c))
            found[sentence] = free.is_terminal(c) and oracle.derives(c)
            first_word += lengths[sentence]
    return result
