"""Beam search over derivations."""

from libc.math cimport INFINITY, exp, log
from libcpp.algorithm cimport make_heap, pop_heap
from libcpp.vector cimport vector

import numpy as np

from spacy_npparse.decoding.transition_based.configuration_pool cimport ConfigurationPool
from spacy_npparse.decoding.transition_based.hypotheses cimport (
    Extension, Hypothesis, Step, is_same, is_worse, log_add, move_up,
)
from spacy_npparse.decoding.transition_based.score_cache cimport ScoreCache
from spacy_npparse.decoding.transition_based.scoring cimport (
    Scorer, extract_features, score_transitions,
)
from spacy_npparse.transitions.configuration cimport KernelConfiguration, buffer_item
from spacy_npparse.transitions.system cimport ILLEGAL, KernelOracle, KernelSystem, StaticOracle
from spacy_npparse.trees.partial_trees cimport NO_WORD

from spacy_npparse.decoding.transition_based.types import BeamResult, Explanation


cdef class Beam:
    """The beam of one sentence at a time: its hypotheses at the same frontier, with the best first.

    Derivations compete when they have shifted the same number of words, rather than when they have
    the same number of transitions, because derivations differ in length in systems with SWAP.

    The hypotheses are different configurations and, at the end, different trees. If several
    derivations lead to the same one, the best is kept.

    Args:
        system, scorer: The transition system and its scorer.
        width: The maximum number of hypotheses.
        normalised: Whether the score of a derivation is its log-probability, by a softmax over the
            legal transitions, or the sum of the scores of its transitions.
        oracle: An oracle, which is prepared for each sentence before `start`; None for none.
        right_only: Whether to keep only derivations whose transitions all have minimal cost.
        margin: The cost augmentation for each wrong arc; 0 without an oracle.

    Raises:
        ValueError: The width is not positive.

    Source: Stern, Fried and Klein (2017) for word-level beams; Huang and Sagae (2010) for merging
    equal configurations.
    """

    def __init__(
        self,
        KernelSystem system,
        Scorer scorer,
        int width,
        bint normalised,
        KernelOracle oracle=None,
        bint right_only=False,
        double margin=0.0,
    ):
        if width < 1:
            raise ValueError(f"a beam must be at least 1 wide, not {width}")
        self.system = system
        self.pool = ConfigurationPool(system)
        self.cache = ScoreCache(system, scorer)
        self.oracle = oracle
        self.next = system.new_configuration()
        self.width = width
        self.normalised = normalised
        self.right_only = right_only
        self.margin = margin
        self.costs.resize(system.n_transitions)
        self.legal.resize(system.n_transitions)
        self.gains.resize(system.n_transitions)

    cdef int start(self, int n, int sentence, int root_row) except -1 nogil:
        """Begin with a sentence of n words, given its index and the row of its root."""
        cdef Hypothesis initial
        self.n = n
        self.sentence = sentence
        self.root_row = root_row
        self.pool.clear()
        self.steps.clear()
        self.hypotheses.clear()
        initial.configuration = self.pool.take()
        initial.last_step = NO_STEP
        initial.wrong = False
        initial.score = initial.joint_score = 0.0
        self.system.initialise(<KernelConfiguration>self.pool.at[initial.configuration], n)
        initial.frontier = n + 1 if self.system.is_terminal(
            <KernelConfiguration>self.pool.at[initial.configuration]
        ) else 0
        self.hypotheses.push_back(initial)
        return 0

    cdef int search(self, int n, int sentence, int root_row) except -1 nogil:
        """Parse a sentence to the end; see `start`."""
        cdef int frontier
        self.start(n, sentence, root_row)
        for frontier in range(1, n + 2):
            self.advance(frontier)
        return 0

    cdef int advance(self, int frontier) except -1 nogil:
        """Extend all hypotheses until they reach a frontier, and prune to the width of the beam."""
        cdef Extension extension
        cdef size_t i, n_added
        self.waiting.swap(self.hypotheses)
        self.hypotheses.clear()
        for i in range(self.waiting.size()):
            if self.waiting[i].frontier >= frontier:
                self.hypotheses.push_back(self.waiting[i])
            else:
                self.extended.push_back(self.waiting[i])
        self.waiting.swap(self.extended)
        self.extended.clear()
        while not self.waiting.empty():
            self.extensions.clear()
            for i in range(self.waiting.size()):
                if not self.is_hopeless(self.waiting[i].score):
                    self.extend(i, <KernelConfiguration>self.pool.at[self.waiting[i].configuration])
            make_heap(self.extensions.begin(), self.extensions.end(), &is_worse)
            n_added = 0
            while n_added < self.width and not self.extensions.empty():
                pop_heap(self.extensions.begin(), self.extensions.end(), &is_worse)
                extension = self.extensions.back()
                self.extensions.pop_back()
                if self.is_hopeless(extension.score):
                    break
                n_added += self.add(extension, frontier)
            for i in range(self.waiting.size()):
                self.pool.give_back(self.waiting[i].configuration)
            self.waiting.swap(self.extended)
            self.extended.clear()
        return 0

    cdef bint is_hopeless(self, double score) noexcept nogil:
        """Check whether a hypothesis that has not reached the frontier can no longer enter the
        beam, because log-probabilities never increase."""
        return (
            self.normalised
            and self.hypotheses.size() == self.width
            and score <= self.hypotheses.back().score
        )

    cdef void extend(self, int parent, KernelConfiguration c) noexcept nogil:
        """Add an extension for every legal transition. c: the configuration of the parent."""
        cdef bint parent_is_wrong = self.waiting[parent].wrong
        cdef int least = ILLEGAL
        cdef int t
        cdef Extension extension
        if self.oracle is not None and not parent_is_wrong:
            self.oracle.costs(c, self.costs.data())
            for t in range(self.system.n_transitions):
                least = min(least, self.costs[t])
        self.rate_transitions(c)
        extension.parent = parent
        for t in range(self.system.n_transitions):
            if self.legal[t]:
                extension.transition = t
                extension.wrong = parent_is_wrong or (
                    least != ILLEGAL and self.costs[t] != least
                )
                if extension.wrong and self.right_only:
                    continue
                extension.gain = self.gains[t]
                if self.margin != 0.0:
                    extension.gain += self.margin * self.wrong_arcs_of(c, t)
                extension.score = self.waiting[parent].score + extension.gain
                self.extensions.push_back(extension)

    cdef void rate_transitions(self, KernelConfiguration c) noexcept nogil:
        """Mark the legal transitions, and set `gains` to their contributions to the score."""
        cdef int n_legal = self.system.mark_legal(c, self.legal.data())
        cdef double best = -INFINITY
        cdef double total = 0.0
        cdef const float* scores
        cdef int t
        if self.normalised and n_legal == 1:
            self.gains.assign(self.system.n_transitions, 0.0)
            return
        scores = self.cache.look_up(c, self.sentence, self.root_row)
        for t in range(self.system.n_transitions):
            if self.legal[t]:
                self.gains[t] = scores[t]
                best = max(best, self.gains[t])
        if self.normalised:
            for t in range(self.system.n_transitions):
                if self.legal[t]:
                    total += exp(self.gains[t] - best)
            best += log(total)
            for t in range(self.system.n_transitions):
                if self.legal[t]:
                    self.gains[t] -= best

    cdef int wrong_arcs_of(self, KernelConfiguration c, int t) noexcept nogil:
        """Count the wrong arcs that a transition adds."""
        self.next.copy(c)
        self.system.apply(self.next, t)
        return wrong_arcs(self.oracle, self.next) - wrong_arcs(self.oracle, c)

    cdef bint add(self, const Extension& extension, int frontier) except -1 nogil:
        """Apply a transition to a copy of a hypothesis, and add the result or merge it with an
        equal one. Returns whether it is new."""
        cdef int place = self.pool.take()
        cdef Hypothesis hypothesis
        cdef vector[Hypothesis]* others
        hypothesis = self.applied(
            extension,
            <KernelConfiguration>self.pool.at[self.waiting[extension.parent].configuration],
            <KernelConfiguration>self.pool.at[place],
        )
        hypothesis.configuration = place
        others = &self.hypotheses if hypothesis.frontier >= frontier else &self.extended
        if self.merge(others[0], hypothesis, <KernelConfiguration>self.pool.at[place]):
            self.pool.give_back(place)
            return False
        others.push_back(hypothesis)
        move_up(others[0], others.size() - 1)
        if others.size() > self.width:
            self.pool.give_back(others.back().configuration)
            others.pop_back()
        return True

    cdef Hypothesis applied(
        self, const Extension& extension, KernelConfiguration before, KernelConfiguration c
    ) noexcept nogil:
        """Make the hypothesis after a transition. c becomes its configuration, given the previous
        one."""
        cdef Hypothesis hypothesis = self.waiting[extension.parent]
        cdef Step step
        step.before = hypothesis.last_step
        step.transition = extension.transition
        hypothesis.last_step = <int>self.steps.size()
        self.steps.push_back(step)
        hypothesis.wrong = extension.wrong
        hypothesis.score = extension.score
        hypothesis.joint_score += extension.gain
        c.copy(before)
        self.system.apply(c, extension.transition)
        if self.system.is_terminal(c):
            hypothesis.frontier = self.n + 1
        elif c.buffer_size < before.buffer_size and (
            buffer_item(before, 0) == hypothesis.frontier + 1
        ):
            hypothesis.frontier += 1
        return hypothesis

    cdef bint merge(
        self, vector[Hypothesis]& hypotheses, const Hypothesis& other, KernelConfiguration c
    ) noexcept nogil:
        """Merge a hypothesis into an equal one if it exists. c: its configuration."""
        cdef size_t i
        for i in range(hypotheses.size()):
            if (
                hypotheses[i].frontier == other.frontier
                and hypotheses[i].wrong == other.wrong
                and is_same(
                    <KernelConfiguration>self.pool.at[hypotheses[i].configuration],
                    c,
                    other.frontier > self.n,
                )
            ):
                if self.normalised:
                    hypotheses[i].joint_score = log_add(
                        hypotheses[i].joint_score, other.joint_score
                    )
                else:
                    hypotheses[i].joint_score = max(hypotheses[i].joint_score, other.joint_score)
                if other.score > hypotheses[i].score:
                    hypotheses[i].score = other.score
                    hypotheses[i].last_step = other.last_step
                    move_up(hypotheses, i)
                return True
        return False

    cdef list transitions(self, int last_step):
        """List the transitions of a derivation, in order."""
        transitions = []
        while last_step != NO_STEP:
            transitions.append(self.steps[last_step].transition)
            last_step = self.steps[last_step].before
        return transitions[::-1]


def decode_beam(
    KernelSystem system, tables, const int[::1] lengths, int width, bint normalised=True
):
    """Parse a batch of sentences with beam search; see `Beam`.

    Args:
        system, tables, lengths: The arguments of `decode_greedy`.
        width: The maximum number of hypotheses.
        normalised: Whether derivations are scored by log-probability; False for globally trained
            models.

    Returns:
        The trees, BeamResult.

    Raises:
        ValueError: The shapes do not fit, or the width is not positive.
    """
    cdef Scorer scorer = Scorer(system, tables, lengths)
    cdef Beam beam = Beam(system, scorer, width, normalised)
    cdef int sentence, n, rank
    cdef int root_row = 0
    cdef int first_word = 0
    cdef int[:, ::1] heads
    cdef double[:, ::1] scores, joint_scores
    result = BeamResult(
        np.full((width, scorer.n_words), -1, dtype=np.int32),
        np.full((width, lengths.shape[0]), -np.inf),
        np.full((width, lengths.shape[0]), -np.inf),
    )
    heads, scores, joint_scores = result
    with nogil:
        for sentence in range(<int>lengths.shape[0]):
            n = lengths[sentence]
            beam.search(n, sentence, root_row)
            for rank in range(<int>beam.hypotheses.size()):
                scores[rank, sentence] = beam.hypotheses[rank].score
                joint_scores[rank, sentence] = beam.hypotheses[rank].joint_score
                write_heads(
                    <KernelConfiguration>beam.pool.at[beam.hypotheses[rank].configuration],
                    heads[rank, first_word:],
                )
            first_word += n
            root_row += n + 1
    return result


def explain(KernelSystem system, tables, int n_words, int width, bint normalised=True):
    """Find the best derivation of the best tree of `decode_beam` by joint scores, or with width 1
    the derivation of `decode_greedy`, with its scores.

    Args:
        system, tables, width, normalised: The arguments of `decode_beam`, for one sentence.
        n_words: The number of words of the sentence.

    Returns:
        The derivation, Explanation.

    Raises:
        ValueError: The shapes do not fit, or the width is not positive.
    """
    cdef Scorer scorer = Scorer(system, tables, np.array([n_words], dtype=np.int32))
    cdef KernelConfiguration c = system.new_configuration()
    cdef Beam beam = Beam(system, scorer, width, normalised)
    cdef Hypothesis best
    cdef int t
    beam.search(n_words, 0, 0)
    best = beam.hypotheses[0]
    for hypothesis in beam.hypotheses:
        if hypothesis.joint_score > best.joint_score:
            best = hypothesis
    transitions = beam.transitions(best.last_step)
    scores = np.empty((len(transitions), system.n_transitions), dtype=np.float32)
    system.initialise(c, n_words)
    for step, t in enumerate(transitions):
        extract_features(scorer, system, c, 0, 0)
        score_transitions(scorer)
        scores[step] = scorer.scores
        system.apply(c, t)
    return Explanation(transitions, scores)


def score_trees(
    KernelSystem system, tables, const int[:, ::1] heads, bint normalised=True
):
    """Score trees of one sentence as beam search does, by the derivations of the first static
    oracle.

    A tree that also has other derivations gets a higher joint score on a beam that contains these.

    Args:
        system, tables, normalised: The arguments of `decode_beam`, for one sentence.
        heads: int32 [n_trees, n_words], trees that the system derives; see `derivable`.

    Returns:
        float64 [n_trees], the scores as in `BeamResult.scores`; -inf if there is no derivation.

    Raises:
        ValueError: The shapes do not fit, or heads form a cycle.
    """
    cdef int n = <int>heads.shape[1]
    cdef Scorer scorer = Scorer(system, tables, np.array([n], dtype=np.int32))
    cdef Beam beam = Beam(system, scorer, 1, normalised)
    cdef StaticOracle oracle = system.oracle(next(iter(system.oracle_classes())))
    cdef KernelConfiguration c = system.new_configuration()
    cdef int tree, t
    result = np.zeros(heads.shape[0])
    cdef double[::1] scores = result
    with nogil:
        beam.start(n, 0, 0)
        for tree in range(<int>heads.shape[0]):
            oracle.prepare(&heads[tree, 0], n)
            system.initialise(c, n)
            while not system.is_terminal(c):
                t = oracle.move(c)
                if not system.is_legal(c, t):
                    break
                beam.rate_transitions(c)
                scores[tree] += beam.gains[t]
                system.apply(c, t)
            if not (system.is_terminal(c) and oracle.derives(c)):
                scores[tree] = -INFINITY
    return result


cdef int wrong_arcs(KernelOracle oracle, KernelConfiguration c) noexcept nogil:
    """Count the words whose head is known to be wrong."""
    cdef int d
    cdef int count = 0
    for d in range(1, c.n + 1):
        count += (
            c.heads[d] != NO_WORD
            and oracle.gold[d] != NO_WORD
            and c.heads[d] != oracle.gold[d]
        )
    return count


cdef void write_heads(KernelConfiguration c, int[::1] out) noexcept nogil:
    """Write the head of each word."""
    cdef int word
    for word in range(c.n):
        out[word] = c.heads[word + 1]
