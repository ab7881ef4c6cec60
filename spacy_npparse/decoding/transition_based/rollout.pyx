"""Oracle-guided roll-outs: the configurations that greedy parsers are trained on."""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

import numpy as np

from spacy_npparse.decoding.transition_based.scoring cimport (
    Scorer, extract_features, score_transitions,
)
from spacy_npparse.transitions.configuration cimport KernelConfiguration
from spacy_npparse.transitions.system cimport ILLEGAL, KernelOracle, KernelSystem, StaticOracle
from spacy_npparse.trees.partial_trees cimport NO_WORD

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
    """Derive a batch of sentences under an oracle and collect the configurations visited.

    With a static oracle, a roll-out follows the gold derivation. With a non-static oracle, a
    transition may be postponed. With an exploring oracle, it follows the best-scoring transition of
    minimal cost or, if the exploration policy says so, the best-scoring wrong one.

    Configurations whose legal transitions all have the same cost are skipped, because their loss is
    zero. With a static oracle, configurations are also skipped if their gold transition attaches a
    word without a gold head, or if the system cannot derive the tree.

    Costs are those of the system's `training_oracle`.

    Args:
        system, tables, lengths: The arguments of `decode_greedy`.
        oracle_name: The name of an oracle of the system.
        heads: int32 [n_words], the gold head of each word in its sentence, counted from 1; 0 is the
            root, and -1 is missing.
        exploration: The exploration policy; None to stay on the gold derivations.
        seed: The seed of the random choices.

    Returns:
        The configurations and costs, RollOut.

    Raises:
        ValueError: The shapes do not fit, the oracle is unknown, or the heads of a sentence form a
            cycle.
    """
    cdef Scorer scorer = Scorer(system, tables, lengths)
    cdef KernelOracle oracle = system.training_oracle(oracle_name)
    cdef KernelSystem training = oracle.system
    cdef KernelConfiguration c = system.new_configuration()
    cdef Policy policy = _policy(exploration)
    cdef uint64_t random_state = <uint64_t>(seed & 0xFFFFFFFFFFFFFFFF)
    cdef vector[int] costs
    cdef vector[int] states
    cdef vector[long long] arcs
    cdef vector[int] all_costs
    cdef int sentence, n, t, good, wrong
    cdef size_t n_before
    cdef size_t n_states = 0
    cdef int root_row = 0
    cdef int first_word = 0
    cdef const int* gold = &heads[0] if heads.shape[0] > 0 else NULL
    if heads.shape[0] != scorer.n_words:
        raise ValueError(f"there are {heads.shape[0]} gold heads for {scorer.n_words} words")
    costs.resize(system.n_transitions)
    with nogil:
        for sentence in range(<int>lengths.shape[0]):
            n = lengths[sentence]
            n_before = n_states
            oracle.prepare(gold + first_word, n)
            training.initialise(c, n)
            while not training.is_terminal(c):
                oracle.costs(c, costs.data())
                extract_features(scorer, training, c, sentence, root_row)
                if oracle.explores:
                    score_transitions(scorer)
                _best_transitions(costs, scorer.scores, &good, &wrong)
                t = good
                if oracle.postpones:
                    t = (<StaticOracle>oracle).move(c)
                    if _random(&random_state) < policy.postponement:
                        t = _alternative(costs, t)
                if wrong != -1 and not _attaches_headless(training, oracle, c, t):
                    states.insert(states.end(), scorer.rows.begin(), scorer.rows.end())
                    arcs.insert(arcs.end(), scorer.arc_indices.begin(), scorer.arc_indices.end())
                    all_costs.insert(all_costs.end(), costs.begin(), costs.end())
                    n_states += 1
                    if (
                        oracle.explores
                        and (
                            oracle.explores_reordering
                            or not (training.is_reordering[good] or training.is_reordering[wrong])
                        )
                        and _follows_wrong(
                            policy, scorer.scores[good], scorer.scores[wrong], &random_state
                        )
                    ):
                        t = wrong
                training.apply(c, t)
            if not oracle.explores and not (<StaticOracle>oracle).derives(c):
                n_states = n_before
                states.resize(n_before * system.n_positions)
                arcs.resize(n_before * system.n_candidate_arcs)
                all_costs.resize(n_before * system.n_transitions)
            first_word += n
            root_row += n + 1
    return RollOut(
        _as_array(states.data(), states.size()).reshape(-1, system.n_positions),
        _as_array(arcs.data(), arcs.size()).reshape(<int>n_states, system.n_candidate_arcs),
        _as_array(all_costs.data(), all_costs.size()).reshape(-1, system.n_transitions),
    )


cdef Policy _policy(exploration):
    """Convert an Exploration to a struct. None never leaves the gold derivation."""
    cdef Policy policy
    policy.margin = exploration.margin if exploration is not None else 0.0
    policy.probability = exploration.probability if exploration is not None else 0.0
    policy.postponement = exploration.postponement if exploration is not None else 0.0
    policy.follow_preferred_errors = (
        exploration.follow_preferred_errors if exploration is not None else False
    )
    return policy


cdef bint _attaches_headless(
    KernelSystem system, KernelOracle oracle, KernelConfiguration c, int t
) noexcept nogil:
    """Check whether a static oracle's transition attaches a word whose gold head is missing."""
    cdef int word
    if oracle.explores:
        return False
    word = system.dependent(c, t)
    return word != NO_WORD and oracle.gold[word] == NO_WORD


cdef void _best_transitions(
    const vector[int]& costs, const vector[float]& scores, int* good, int* wrong
) noexcept nogil:
    """Find the best-scoring transition of minimal cost and the best-scoring wrong one, -1 if there
    is none."""
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


cdef int _alternative(const vector[int]& costs, int t) noexcept nogil:
    """Find another transition with the same cost as t, or t itself if there is none."""
    cdef int other
    for other in range(<int>costs.size()):
        if other != t and costs[other] == costs[t]:
            return other
    return t


cdef bint _follows_wrong(
    Policy policy, float good_score, float wrong_score, uint64_t* random_state
) noexcept nogil:
    """Check whether the policy follows the wrong transition; see Exploration."""
    if wrong_score > good_score and policy.follow_preferred_errors:
        return True
    if good_score - wrong_score > policy.margin:
        return False
    return _random(random_state) < policy.probability


cdef double _random(uint64_t* state) noexcept nogil:
    """Draw a uniform random number in [0, 1) by splitmix64 (Steele, Lea and Flood 2014)."""
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
