"""Beam search: the best derivations found side by side, and the trees they build."""

from libc.math cimport exp, log

from operator import attrgetter, itemgetter

import numpy as np

from spacy_npparse.decoding.transition_based.scoring cimport Scorer, look_up, score_transitions
from spacy_npparse.transitions.configuration cimport KernelConfiguration, buffer_item
from spacy_npparse.transitions.system cimport ILLEGAL, KernelOracle, KernelSystem

from spacy_npparse.decoding.transition_based.types import BeamResult, Explanation

cdef extern from "../score_range.h" namespace "npparse" nogil:
    const float IMPOSSIBLE


cdef class Hypothesis:
    """A configuration and what led to it.

    score: of the derivation, with the margin for its wrong arcs.
    derivation: the last transition and, nested, the derivation before it; empty at the start.
    frontier: how many words have left the buffer at least once; the number of words + 1 when the
        configuration is terminal.
    length: number of transitions.
    wrong: whether one of them was not of least cost.
    """

    def __cinit__(self, KernelSystem system):
        self.configuration = system.new_configuration()
        self.derivation = ()


cdef class Beam:
    """The best derivations of one sentence that have read equally many words, the best first.

    Derivations of different lengths compete when they have read equally many words (after Stern,
    Fried and Klein 2017), whatever else they did: systems with SWAP need more transitions for some
    trees.

    system, scorer: what is searched.
    n, sentence, root_row: the words of the sentence, its number, the row of its root.
    width: hypotheses that are kept.
    normalised: the score of a derivation is its log-probability, that of a transition being a
        softmax over what is legal; otherwise it is the sum of the scores of the transitions.
    oracle: tells right from wrong transitions, and is prepared for the sentence; may be None.
    right_only: never take a wrong one.
    margin: what each wrong arc adds to the score of a derivation; 0 without oracle.
    """

    def __cinit__(
        self,
        KernelSystem system,
        Scorer scorer,
        int n,
        int sentence,
        int root_row,
        int width,
        bint normalised,
        KernelOracle oracle=None,
        bint right_only=False,
        double margin=0.0,
    ):
        cdef Hypothesis start = Hypothesis(system)
        self.system = system
        self.scorer = scorer
        self.n = n
        self.sentence = sentence
        self.root_row = root_row
        self.width = width
        self.normalised = normalised
        self.oracle = oracle
        self.right_only = right_only
        self.margin = margin
        self.next = system.new_configuration()
        self.costs.resize(system.n_transitions)
        self.legal.resize(system.n_transitions)
        system.initialise(start.configuration, n)
        if system.is_terminal(start.configuration):
            start.frontier = n + 1
        self.hypotheses = [start]

    cdef int advance(self, int frontier) except -1:
        """Follow all hypotheses until they have read so many words."""
        cdef Hypothesis hypothesis
        cdef list steps
        waiting, ready = [], []
        for hypothesis in self.hypotheses:
            (ready if hypothesis.frontier >= frontier else waiting).append(hypothesis)
        while waiting:
            steps = []
            for hypothesis in waiting:
                self.extend(steps, hypothesis)
            steps.sort(key=itemgetter(0), reverse=True)
            waiting = []
            for score, parent, t, wrong in steps[:self.width]:
                hypothesis = self.follow(parent, score, t, wrong)
                (ready if hypothesis.frontier >= frontier else waiting).append(hypothesis)
            ready.sort(key=attrgetter("score"), reverse=True)
            del ready[self.width:]
            if self.normalised and len(ready) == self.width:
                # Log-probabilities only fall: what is no better now will not be.
                worst = ready[self.width - 1].score
                waiting = [hypothesis for hypothesis in waiting if hypothesis.score > worst]
        self.hypotheses = ready
        return 0

    cdef int extend(self, list steps, Hypothesis hypothesis) except -1:
        """Add (score, hypothesis, transition, wrong) for every legal transition."""
        cdef KernelConfiguration c = hypothesis.configuration
        cdef double best = IMPOSSIBLE
        cdef double total = 0.0
        cdef double score
        cdef int t
        cdef int least = ILLEGAL
        cdef bint wrong
        if self.oracle is not None and not hypothesis.wrong:
            self.oracle.costs(c, self.costs.data())
            for t in range(self.system.n_transitions):
                least = min(least, self.costs[t])
        look_up(self.scorer, self.system, c, self.sentence, self.root_row)
        score_transitions(self.scorer)
        self.system.mark_legal(c, self.legal.data())
        for t in range(self.system.n_transitions):
            if self.legal[t]:
                best = max(best, self.value(t, 0.0))
        if self.normalised:
            for t in range(self.system.n_transitions):
                if self.legal[t]:
                    total += exp(self.value(t, best))
            best += log(total)
        else:
            best = 0.0
        for t in range(self.system.n_transitions):
            if self.legal[t]:
                wrong = hypothesis.wrong or (least != ILLEGAL and self.costs[t] != least)
                if not (wrong and self.right_only):
                    score = hypothesis.score + self.value(t, best)
                    if self.margin != 0.0:
                        score += self.margin * self.wrong_arcs_of(c, t)
                    steps.append((score, hypothesis, t, wrong))
        return 0

    cdef int wrong_arcs_of(self, KernelConfiguration c, int t) noexcept nogil:
        """How many more arcs are wrong after a transition."""
        self.next.copy(c)
        self.system.apply(self.next, t)
        return wrong_arcs(self.oracle, self.next) - wrong_arcs(self.oracle, c)

    cdef double value(self, int t, double offset) noexcept nogil:
        """The score of a transition that was scored last, minus an offset; NaN and infinite scores
        rank last."""
        cdef double score = self.scorer.scores[t]
        return (score if -IMPOSSIBLE > score > IMPOSSIBLE else IMPOSSIBLE) - offset

    cdef Hypothesis follow(self, Hypothesis parent, double score, int t, bint wrong):
        """The hypothesis after a transition."""
        cdef Hypothesis hypothesis = Hypothesis(self.system)
        cdef KernelConfiguration c = hypothesis.configuration
        cdef int front = buffer_item(parent.configuration, 0)
        cdef int size = parent.configuration.buffer_size
        hypothesis.score = score
        hypothesis.derivation = (t, parent.derivation)
        hypothesis.length = parent.length + 1
        hypothesis.wrong = wrong
        hypothesis.frontier = parent.frontier
        c.copy(parent.configuration)
        self.system.apply(c, t)
        if self.system.is_terminal(c):
            hypothesis.frontier = self.n + 1
        elif c.buffer_size < size and front == parent.frontier + 1:
            hypothesis.frontier += 1
        return hypothesis


def decode_beam(
    KernelSystem system, tables, const int[::1] lengths, int width, bint normalised=True
):
    """Parse a batch of sentences with a beam; see `Beam`.

    system, tables, lengths: as in `decode_greedy`.
    width: hypotheses that are kept.
    normalised: whether scores are log-probabilities; False for models that were trained globally.

    Returns a BeamResult. Raises ValueError if shapes do not fit, or width is not positive.
    """
    cdef Scorer scorer = Scorer(system, tables, lengths)
    cdef Beam beam
    cdef Hypothesis hypothesis
    cdef int sentence, n, rank, word, frontier
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
        beam = Beam(system, scorer, n, sentence, root_row, width, normalised)
        for frontier in range(1, n + 2):
            beam.advance(frontier)
        for rank in range(<int>len(beam.hypotheses)):
            hypothesis = beam.hypotheses[rank]
            scores[rank, sentence] = hypothesis.score
            for word in range(n):
                heads[rank, first_word + word] = hypothesis.configuration.heads[word + 1]
        hypothesis = beam.hypotheses[0]
        result.n_transitions[sentence] = hypothesis.length
        first_word += n
        root_row += n + 1
    return result


def explain(KernelSystem system, tables, int n_words, int width, bint normalised=True):
    """Parse one sentence as `decode_beam` does, or with width 1 as `decode_greedy`, and tell how.

    system, tables, width, normalised: as in `decode_beam`, of that sentence alone.
    n_words: its length.

    Returns an Explanation. Raises ValueError if shapes do not fit, or width is not positive.
    """
    cdef Scorer scorer = Scorer(system, tables, np.array([n_words], dtype=np.int32))
    cdef KernelConfiguration c = system.new_configuration()
    cdef Beam beam
    cdef int frontier, t
    if width < 1:
        raise ValueError(f"a beam must be at least 1 wide, not {width}")
    beam = Beam(system, scorer, n_words, 0, 0, width, normalised)
    for frontier in range(1, n_words + 2):
        beam.advance(frontier)
    transitions = transitions_of(beam.hypotheses[0])
    scores = np.empty((len(transitions), system.n_transitions), dtype=np.float32)
    system.initialise(c, n_words)
    for step, t in enumerate(transitions):
        look_up(scorer, system, c, 0, 0)
        score_transitions(scorer)
        scores[step] = scorer.scores
        system.apply(c, t)
    return Explanation(transitions, scores)


cdef int wrong_arcs(KernelOracle oracle, KernelConfiguration c) noexcept nogil:
    """How many words have a head that is known to be wrong."""
    cdef int d
    cdef int count = 0
    for d in range(1, c.n + 1):
        count += c.heads[d] != -1 and oracle.gold[d] != -1 and c.heads[d] != oracle.gold[d]
    return count


cdef list transitions_of(Hypothesis hypothesis):
    """Those of its derivation, the first one first."""
    derivation = hypothesis.derivation
    transitions = []
    while derivation:
        t, derivation = derivation
        transitions.append(t)
    return transitions[::-1]
