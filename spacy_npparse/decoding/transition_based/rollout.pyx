"""KernelOracle-guided roll-outs: the configurations that training looks at."""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

import numpy as np

from spacy_npparse.decoding.transition_based.scoring cimport Scorer, look_up, score_transitions
from spacy_npparse.transitions.configuration cimport KernelConfiguration
from spacy_npparse.transitions.system cimport ILLEGAL, KernelOracle, StaticOracle, KernelSystem

from spacy_npparse.decoding.transition_based.types import RollOut


cdef struct Policy:
    double probability
    double margin
    double postponement
    bint follow_preferred_errors


def roll_out(
    KernelSystem system,
    str oracle_name,
    tables,
    const int[::1] lengths,
    const int[::1] heads,
    exploration,
    seed,
):
    """Run a batch of sentences under an oracle and collect the configurations met.

    With a static oracle the run follows the gold derivation; with one that postpones, the policy
    decides whether to wait. With an exploring oracle it follows the model's best move of least cost
    or, as the exploration policy decides, its best wrong one.

    Configurations whose legal transitions all cost the same are left out: there is nothing to
    learn from them. So are, with a static oracle, those whose gold transition attaches a word
    with missing head, and all of a sentence whose tree the system cannot build.

    Costs are those of the system's `training_oracle`.

    system, tables, lengths: as in `decode_greedy`.
    oracle_name: one of the system's oracles.
    heads: [words] gold heads, sentence by sentence, counted from 1 within the sentence; 0 is the
        root, -1 is missing.
    exploration: an Exploration, or None to stay on the gold derivations.
    seed: of the random choices; equal seeds give equal runs.

    Returns a RollOut. Raises ValueError if shapes do not fit, the oracle is unknown, or the
    heads of a sentence form a cycle.
    """
    cdef Scorer scorer = Scorer(system, tables, lengths)
    cdef KernelOracle oracle = system.training_oracle(oracle_name)
    cdef KernelSystem training = oracle.system
    cdef KernelConfiguration c = system.new_configuration()
    cdef Policy policy = _policy(exploration)
    cdef uint64_t random_state = <uint64_t>(seed & 0xFFFFFFFFFFFFFFFF)
    cdef vector[int] costs
    cdef vector[int] states_seen
    cdef vector[long long] arcs_seen
    cdef vector[int] costs_seen
    cdef vector[int] sentences_seen
    cdef int sentence, n, t, good, wrong
    cdef size_t n_before
    cdef int root_row = 0
    cdef int first_word = 0
    cdef const int* gold = &heads[0] if heads.shape[0] > 0 else NULL
    if heads.shape[0] != scorer.n_words:
        raise ValueError(f"there are {heads.shape[0]} gold heads for {scorer.n_words} words")
    costs.resize(system.n_transitions)
    with nogil:
        for sentence in range(<int>lengths.shape[0]):
            n = lengths[sentence]
            n_before = sentences_seen.size()
            oracle.prepare(gold + first_word, n)
            training.initialise(c, n)
            while not training.is_terminal(c):
                oracle.costs(c, costs.data())
                look_up(scorer, training, c, sentence, root_row)
                if oracle.explores:
                    score_transitions(scorer)
                _compare(costs, scorer.scores, &good, &wrong)
                t = good
                if oracle.postpones:
                    t = (<StaticOracle>oracle).move(c)
                    if _random(&random_state) < policy.postponement:
                        t = _another(costs, t)
                if wrong != -1 and not _supplied(training, oracle, c, t):
                    states_seen.insert(states_seen.end(), scorer.rows.begin(), scorer.rows.end())
                    arcs_seen.insert(arcs_seen.end(), scorer.cells.begin(), scorer.cells.end())
                    costs_seen.insert(costs_seen.end(), costs.begin(), costs.end())
                    sentences_seen.push_back(sentence)
                    if (
                        oracle.explores
                        and (
                            oracle.explores_reordering
                            or not (training.is_reordering(good) or training.is_reordering(wrong))
                        )
                        and _errs(policy, scorer.scores[good], scorer.scores[wrong], &random_state)
                    ):
                        t = wrong
                training.apply(c, t)
            if not oracle.explores and not (<StaticOracle>oracle).derives(c):
                sentences_seen.resize(n_before)
                states_seen.resize(n_before * system.n_positions)
                arcs_seen.resize(n_before * system.n_candidate_arcs)
                costs_seen.resize(n_before * system.n_transitions)
            first_word += n
            root_row += n + 1
    return RollOut(
        _as_array(states_seen.data(), states_seen.size()).reshape(-1, system.n_positions),
        _as_array(arcs_seen.data(), arcs_seen.size()).reshape(
            <int>sentences_seen.size(), system.n_candidate_arcs
        ),
        _as_array(costs_seen.data(), costs_seen.size()).reshape(-1, system.n_transitions),
        _as_array(sentences_seen.data(), sentences_seen.size()),
    )


cdef Policy _policy(exploration):
    """An Exploration as C sees it; None never leaves the gold derivation."""
    cdef Policy policy
    policy.margin = exploration.margin if exploration is not None else 0.0
    policy.probability = exploration.probability if exploration is not None else 0.0
    policy.postponement = exploration.postponement if exploration is not None else 0.0
    policy.follow_preferred_errors = (
        exploration.follow_preferred_errors if exploration is not None else False
    )
    return policy


cdef bint _supplied(
    KernelSystem system, KernelOracle oracle, KernelConfiguration c, int t
) noexcept nogil:
    """Whether a static oracle's move attaches a word whose head was missing from the gold tree."""
    cdef int word
    if oracle.explores:
        return False
    word = system.dependent(c, t)
    return word != -1 and oracle.gold[word] == -1


cdef void _compare(
    const vector[int]& costs, const vector[float]& scores, int* good, int* wrong
) noexcept nogil:
    """The best-scoring move of least cost and the best-scoring other legal one, -1 if none."""
    cdef int t
    cdef int least = ILLEGAL
    good[0] = wrong[0] = -1
    for t in range(<int>costs.size()):
        least = min(least, costs[t])
    for t in range(<int>costs.size()):
        if costs[t] == least:
            if good[0] == -1 or scores[t] > scores[good[0]]:
                good[0] = t
        elif costs[t] != ILLEGAL:
            if wrong[0] == -1 or scores[t] > scores[wrong[0]]:
                wrong[0] = t


cdef int _another(const vector[int]& costs, int t) noexcept nogil:
    """A transition of the same cost as t, t itself if there is no other."""
    cdef int other
    for other in range(<int>costs.size()):
        if other != t and costs[other] == costs[t]:
            return other
    return t


cdef bint _errs(
    Policy policy, float good_score, float wrong_score, uint64_t* random_state
) noexcept nogil:
    """Whether the policy follows the wrong move; see Exploration."""
    if wrong_score > good_score and policy.follow_preferred_errors:
        return True
    if good_score - wrong_score > policy.margin:
        return False
    return _random(random_state) < policy.probability


cdef double _random(uint64_t* state) noexcept nogil:
    """A number in [0, 1): splitmix64 (Steele, Lea and Flood 2014)."""
    cdef uint64_t z
    state[0] += <uint64_t>0x9E3779B97F4A7C15
    z = state[0]
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    z = z ^ (z >> 31)
    return (z >> 11) * (1.0 / 9007199254740992.0)


ctypedef fused Number:
    int
    long long


cdef object _as_array(const Number* numbers, size_t size):
    array = np.empty(size, dtype=np.int32 if Number is int else np.int64)
    cdef Number[::1] view = array
    if size:
        memcpy(&view[0], numbers, size * sizeof(Number))
    return array
