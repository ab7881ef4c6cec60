"""Beam search: the best derivations found side by side, and the trees they build."""

from libc.math cimport exp, log

from operator import attrgetter, itemgetter

import numpy as np

from spacy_npparse.decoding.scoring cimport Scorer, look_up, score_transitions
from spacy_npparse.transitions.configuration cimport Configuration
from spacy_npparse.transitions.system cimport TransitionSystem

from spacy_npparse.decoding.results import BeamResult


cdef class Hypothesis:
    """A configuration, the log-probability of what led to it, and its progress.

    frontier: how many words have left the buffer at least once; the number of words + 1 when the
        configuration is terminal.
    """

    cdef Configuration configuration
    cdef readonly double score
    cdef int frontier
    cdef int length

    def __cinit__(self, TransitionSystem system, double score, int frontier, int length):
        self.configuration = system.new_configuration()
        self.score = score
        self.frontier = frontier
        self.length = length


def decode_beam(TransitionSystem system, tables, const int[::1] lengths, int width):
    """Parse a batch of sentences with a beam.

    The probability of a derivation is the product of those of its transitions, each a softmax of
    the scores over what is legal. Derivations of different lengths compete when they have read
    equally many words (after Stern, Fried and Klein 2017), whatever else they did: systems with
    SWAP need more transitions for some trees.

    system, tables, lengths: as in `decode_greedy`.
    width: hypotheses that are kept.

    Returns a BeamResult. Raises ValueError if shapes do not fit, or width is not positive.
    """
    cdef Scorer scorer = Scorer(system, tables, lengths)
    cdef Hypothesis hypothesis
    cdef int sentence, n, rank, word
    cdef int root_row = 0
    cdef int first_word = 0
    cdef int[:, ::1] heads
    cdef double[:, ::1] scores
    if width < 1:
        raise ValueError(f"a beam must be at least 1 wide, not {width}")
    result = BeamResult(
        np.full((width, scorer.n_words), -1, dtype=np.int32),
        np.full((width, lengths.shape[0]), -np.inf),
        np.zeros(lengths.shape[0], dtype=np.int32),
    )
    heads = result.heads
    scores = result.scores
    for sentence in range(<int>lengths.shape[0]):
        n = lengths[sentence]
        beam = search(system, scorer, n, sentence, root_row, width)
        for rank in range(<int>len(beam)):
            hypothesis = beam[rank]
            scores[rank, sentence] = hypothesis.score
            for word in range(n):
                heads[rank, first_word + word] = hypothesis.configuration.heads[word + 1]
        hypothesis = beam[0]
        result.n_transitions[sentence] = hypothesis.length
        first_word += n
        root_row += n + 1
    return result


cdef list search(
    TransitionSystem system, Scorer scorer, int n, int sentence, int root_row, int width
):
    """The terminal hypotheses, the best one first; at most one for each derivation."""
    cdef Hypothesis hypothesis = Hypothesis(system, 0.0, 0, 0)
    cdef int frontier
    cdef list ready, waiting, steps
    system.initialise(hypothesis.configuration, n)
    beam = [hypothesis]
    for frontier in range(1, n + 2):
        waiting, ready = [], []
        for hypothesis in beam:
            (ready if hypothesis.frontier >= frontier else waiting).append(hypothesis)
        while waiting:
            steps = []
            for hypothesis in waiting:
                extend(steps, system, scorer, hypothesis, sentence, root_row)
            steps.sort(key=itemgetter(0), reverse=True)
            waiting = []
            for score, parent, t in steps[:width]:
                hypothesis = follow(system, parent, score, t, n)
                (ready if hypothesis.frontier >= frontier else waiting).append(hypothesis)
            ready.sort(key=attrgetter("score"), reverse=True)
            del ready[width:]
            if len(ready) == width:
                # Scores only fall: what is no better now will not be.
                worst = ready[width - 1].score
                waiting = [hypothesis for hypothesis in waiting if hypothesis.score > worst]
        beam = ready
    return beam


cdef int extend(
    list steps,
    TransitionSystem system,
    Scorer scorer,
    Hypothesis hypothesis,
    int sentence,
    int root_row,
) except -1:
    """Add (score, hypothesis, transition) for every legal transition."""
    cdef Configuration c = hypothesis.configuration
    cdef int t
    cdef double best = -1e300
    cdef double total = 0.0
    cdef double value
    look_up(scorer, system, c, sentence, root_row)
    score_transitions(scorer)
    for t in range(system.n_transitions):
        if system.is_legal(c, t):
            # What is no number ranks last.
            value = scorer.scores[t]
            if not -1e30 < value < 1e30:
                scorer.scores[t] = -1e30
            best = max(best, <double>scorer.scores[t])
    for t in range(system.n_transitions):
        if system.is_legal(c, t):
            total += exp(scorer.scores[t] - best)
    for t in range(system.n_transitions):
        if system.is_legal(c, t):
            value = scorer.scores[t] - best - log(total)
            steps.append((hypothesis.score + value, hypothesis, t))
    return 0


cdef Hypothesis follow(TransitionSystem system, Hypothesis parent, double score, int t, int n):
    """The hypothesis after a transition."""
    cdef Hypothesis hypothesis = Hypothesis(system, score, parent.frontier, parent.length + 1)
    cdef Configuration c = hypothesis.configuration
    cdef int place
    c.copy(parent.configuration)
    system.apply(c, t)
    if system.is_terminal(c):
        hypothesis.frontier = n + 1
    elif hypothesis.frontier < n:
        # Unread words are in their order at the back of the buffer, behind them the root, if it
        # is there.
        place = n - 1 - hypothesis.frontier + (c.buffer_size > 0 and c.buffer[0] == 0)
        if place >= c.buffer_size or c.buffer[place] != hypothesis.frontier + 1:
            hypothesis.frontier += 1
    return hypothesis

