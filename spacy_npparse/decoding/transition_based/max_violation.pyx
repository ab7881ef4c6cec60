"""Max-violation training of beam search (Huang, Fayong and Guo 2012).

The cost augmentation by the number of wrong arcs is our own. With a single margin for the sentence,
a model that scores everything alike would have hardly more loss than a good one.
"""

import numpy as np

from spacy_npparse.decoding.transition_based.beam cimport Beam, wrong_arcs
from spacy_npparse.decoding.transition_based.hypotheses cimport Hypothesis
from spacy_npparse.decoding.transition_based.scoring cimport Scorer, extract_features
from spacy_npparse.transitions.configuration cimport KernelConfiguration
from spacy_npparse.transitions.system cimport KernelOracle, KernelSystem, StaticOracle
from spacy_npparse.trees.partial_trees cimport NO_WORD

from spacy_npparse.decoding.transition_based.types import Violations


def max_violations(
    KernelSystem system,
    str oracle_name,
    tables,
    const int[::1] lengths,
    const int[::1] heads,
    int width,
    double margin,
):
    """Find the max-violation prefix of each sentence, where beam search goes most wrong.

    Two beams advance in step: one is unrestricted, and the other takes only transitions of minimal
    cost. The violation at a frontier is the score of the best wrong derivation of the first beam
    minus that of the best derivation of the second. A score is the sum of the scores of the
    transitions, plus the margin for each wrong arc. The update is made at the frontier with the
    largest violation.

    A sentence without violation causes no update. With a static oracle, neither does a sentence
    whose tree cannot be derived or lacks a head. As in `roll_out`, costs are those of the system's
    `training_oracle`.

    Args:
        system, oracle_name, tables, lengths, heads: The arguments of `roll_out`.
        width: The maximum number of hypotheses on each beam.
        margin: The cost augmentation for each wrong arc.

    Returns:
        The updates, Violations.

    Raises:
        ValueError: The shapes do not fit, the oracle is unknown, the heads of a sentence form a
            cycle, or the width is not positive.

    Source: Huang, Fayong and Guo (2012).
    """
    cdef Scorer scorer = Scorer(system, tables, lengths)
    cdef KernelOracle oracle = system.training_oracle(oracle_name)
    cdef KernelSystem training = oracle.system
    cdef Beam free, right
    cdef Violation found
    cdef int sentence, n
    cdef int root_row = 0
    cdef int first_word = 0
    cdef const int* gold = &heads[0] if heads.shape[0] > 0 else NULL
    if heads.shape[0] != scorer.n_words:
        raise ValueError(f"there are {heads.shape[0]} gold heads for {scorer.n_words} words")
    free = Beam(training, scorer, width, False, oracle, False, margin)
    right = Beam(training, scorer, width, False, oracle, True, margin)
    updates = _Updates(training, scorer)
    margins = []
    for sentence in range(<int>lengths.shape[0]):
        n = lengths[sentence]
        with nogil:
            oracle.prepare(gold + first_word, n)
            free.start(n, sentence, root_row)
            right.start(n, sentence, root_row)
            _find_largest(free, right, &found)
        if found.size > 0.0 and _is_gold(
            oracle, <KernelConfiguration>right.pool.at[right.hypotheses[0].configuration]
        ):
            wrong_steps = free.transitions(found.wrong_step)
            updates.add(sentence, root_row, n, wrong_steps, right.transitions(found.right_step))
            margins.append(margin * found.wrong_arcs)
        first_word += n
        root_row += n + 1
    return updates.violations(margins)


cdef struct Violation:
    # The difference by which the wrong derivation outscores the right one, their last steps, and
    # the difference of their numbers of wrong arcs.
    double size
    int wrong_step
    int right_step
    int wrong_arcs


cdef int _find_largest(Beam free, Beam right, Violation* largest) except -1 nogil:
    """Find the largest violation in a sentence that two beams have started and parse to the end.
    Its size is 0 if there is none."""
    cdef Hypothesis wrong_one, right_one
    cdef int frontier
    cdef size_t place
    largest.size = 0.0
    for frontier in range(1, free.n + 2):
        free.advance(frontier)
        right.advance(frontier)
        place = 0
        while place < free.hypotheses.size() and not free.hypotheses[place].wrong:
            place += 1
        if place == free.hypotheses.size():
            continue
        wrong_one = free.hypotheses[place]
        right_one = right.hypotheses[0]
        if wrong_one.score - right_one.score > largest.size:
            largest.size = wrong_one.score - right_one.score
            largest.wrong_step = wrong_one.last_step
            largest.right_step = right_one.last_step
            largest.wrong_arcs = wrong_arcs(
                free.oracle, <KernelConfiguration>free.pool.at[wrong_one.configuration]
            ) - wrong_arcs(
                free.oracle, <KernelConfiguration>right.pool.at[right_one.configuration]
            )
    return 0


cdef bint _is_gold(KernelOracle oracle, KernelConfiguration c):
    """Check whether a derivation of minimal cost, which leads to c, is a gold derivation."""
    cdef int d
    if oracle.explores:
        return True
    for d in range(1, oracle.n + 1):
        if oracle.gold[d] == NO_WORD:
            return False
    return (<StaticOracle>oracle).derives(c)


cdef class _Updates:
    """The updates of a batch: the configurations in which wrong and right derivations differ."""

    cdef KernelSystem system
    cdef Scorer scorer
    cdef KernelConfiguration configuration
    cdef list states
    cdef list arcs
    cdef list transitions
    cdef list signs
    cdef list sentences

    def __cinit__(self, KernelSystem system, Scorer scorer):
        self.system = system
        self.scorer = scorer
        self.configuration = system.new_configuration()
        self.states, self.arcs = [], []
        self.transitions, self.signs, self.sentences = [], [], []

    cdef int add(
        self, int sentence, int root_row, int n, list wrong_steps, list right_steps
    ) except -1:
        """Add the configurations of two derivations after their longest common prefix."""
        cdef int common = 0
        while wrong_steps[common:common + 1] == right_steps[common:common + 1]:
            common += 1
        for sign, steps in ((1, wrong_steps), (-1, right_steps)):
            self.system.initialise(self.configuration, n)
            for i, t in enumerate(steps):
                if i >= common:
                    extract_features(
                        self.scorer, self.system, self.configuration, sentence, root_row
                    )
                    self.states.append(list(self.scorer.rows))
                    self.arcs.append(list(self.scorer.arc_indices))
                    self.transitions.append(t)
                    self.signs.append(sign)
                    self.sentences.append(sentence)
                self.system.apply(self.configuration, t)
        return 0

    def violations(self, list margins):
        """Collect all updates. margins: one for each sentence that has an update."""
        n_states = len(self.states)
        return Violations(
            np.array(self.states, dtype=np.int32).reshape(n_states, self.system.n_positions),
            np.array(self.arcs, dtype=np.int64).reshape(n_states, self.system.n_candidate_arcs),
            np.array(self.transitions, dtype=np.int64),
            np.array(self.signs, dtype=np.float32),
            np.array(self.sentences, dtype=np.int64),
            np.array(margins, dtype=np.float32),
        )
