"""Beam search over derivations."""

from libc.math cimport exp, log

from operator import attrgetter, itemgetter

import numpy as np

from spacy_npparse.decoding.transition_based.scoring cimport (
    Scorer, extract_features, score_transitions,
)
from spacy_npparse.transitions.configuration cimport KernelConfiguration, buffer_item
from spacy_npparse.transitions.system cimport ILLEGAL, KernelOracle, KernelSystem
from spacy_npparse.trees.partial_trees cimport NO_WORD

from spacy_npparse.decoding.transition_based.types import BeamResult, Explanation

cdef extern from "../score_range.h" namespace "npparse" nogil:
    const float IMPOSSIBLE


cdef class Hypothesis:
    """A configuration with its derivation.

    Attributes:
        score: The score of the derivation, cost-augmented if the beam has a margin.
        derivation: A linked list: the last transition, and the derivation before it; empty at the
            start.
        frontier: The number of words that have left the buffer at least once; the number of words
            + 1 if the configuration is terminal.
        length: The number of transitions.
        wrong: Whether one of them was not of minimal cost.
    """

    def __cinit__(self, KernelSystem system):
        self.configuration = system.new_configuration()
        self.derivation = ()


cdef class Beam:
    """The beam of one sentence: its hypotheses at the same frontier, the best first.

    Derivations compete when they have shifted equally many words, not when they have equally many
    transitions: in systems with SWAP, derivations differ in length.

    Args:
        system, scorer: The transition system and its scorer.
        n, sentence, root_row: The number of words of the sentence, its index, the row of its root.
        width: The number of hypotheses that are kept.
        normalised: The score of a derivation is its log-probability, transitions being normalised
            by a softmax over the legal ones; otherwise it is the sum of their scores.
        oracle: An oracle prepared for the sentence, or None.
        right_only: Keep only derivations whose transitions all have minimal cost.
        margin: The cost augmentation, added for each wrong arc; 0 without an oracle.

    Source: word-level beams, Stern, Fried and Klein (2017).
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
        """Extend all hypotheses until they reach a frontier, and prune to the width of the beam."""
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
                hypothesis = self.applied(parent, score, t, wrong)
                (ready if hypothesis.frontier >= frontier else waiting).append(hypothesis)
            ready.sort(key=attrgetter("score"), reverse=True)
            del ready[self.width:]
            if self.normalised and len(ready) == self.width:
                # Log-probabilities never increase: the others cannot enter the beam any more.
                worst = ready[self.width - 1].score
                waiting = [hypothesis for hypothesis in waiting if hypothesis.score > worst]
        self.hypotheses = ready
        return 0

    cdef int extend(self, list steps, Hypothesis hypothesis) except -1:
        """Append (score, hypothesis, transition, wrong) for every legal transition."""
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
        extract_features(self.scorer, self.system, c, self.sentence, self.root_row)
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
        """The number of wrong arcs that a transition adds."""
        self.next.copy(c)
        self.system.apply(self.next, t)
        return wrong_arcs(self.oracle, self.next) - wrong_arcs(self.oracle, c)

    cdef double value(self, int t, double offset) noexcept nogil:
        """The score of a transition minus an offset; NaN and infinite ones count as impossible."""
        cdef double score = self.scorer.scores[t]
        return (score if -IMPOSSIBLE > score > IMPOSSIBLE else IMPOSSIBLE) - offset

    cdef Hypothesis applied(self, Hypothesis parent, double score, int t, bint wrong):
        """Apply a transition to a copy of a hypothesis."""
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
    """Parse a batch of sentences with beam search; see `Beam`.

    Args:
        system, tables, lengths: As in `decode_greedy`.
        width: The number of hypotheses that are kept.
        normalised: Score derivations by log-probability; False for globally trained models.

    Returns:
        BeamResult.

    Raises:
        ValueError: If shapes do not fit, or if width is not positive.
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
    """Return the derivation that `decode_beam` finds, or with width 1 `decode_greedy`, with scores.

    Args:
        system, tables, width, normalised: As in `decode_beam`, for one sentence.
        n_words: The number of words of the sentence.

    Returns:
        Explanation.

    Raises:
        ValueError: If shapes do not fit, or if width is not positive.
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
        extract_features(scorer, system, c, 0, 0)
        score_transitions(scorer)
        scores[step] = scorer.scores
        system.apply(c, t)
    return Explanation(transitions, scores)


cdef int wrong_arcs(KernelOracle oracle, KernelConfiguration c) noexcept nogil:
    """The number of words whose head is known to be wrong."""
    cdef int d
    cdef int count = 0
    for d in range(1, c.n + 1):
        count += (
            c.heads[d] != NO_WORD
            and oracle.gold[d] != NO_WORD
            and c.heads[d] != oracle.gold[d]
        )
    return count


cdef list transitions_of(Hypothesis hypothesis):
    """The transitions of the derivation of a hypothesis, in order."""
    derivation = hypothesis.derivation
    transitions = []
    while derivation:
        t, derivation = derivation
        transitions.append(t)
    return transitions[::-1]
