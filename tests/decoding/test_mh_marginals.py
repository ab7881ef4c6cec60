"""Compare marginal probabilities of arcs with sums over all derivations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mh_helpers import all_derivations, random_scores, replay, total_score

from spacy_npparse.decoding import IMPOSSIBLE, MHScores, decode_mh, mh_marginals


def marginals(scores, lengths, n_heads, single_root=True):
    return mh_marginals(scores, np.array(lengths, dtype=np.int32), n_heads, single_root)


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("n_heads", [3, 4])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_marginals_are_sums_over_all_derivations(n, n_heads, single_root):
    """Each sequence of transitions counts once, even if it has several deductions."""
    derivations = [replay(d, n, single_root) for d in all_derivations(n, n_heads, single_root)]
    trees = [heads for heads, _ in derivations]
    for seed in range(3 if n < 4 else 1):
        scores = random_scores([n], seed)
        values = [total_score(scores, parts) for _, parts in derivations]
        log_partition = np.logaddexp.reduce(values)
        expected = np.zeros((n + 2, n + 2))
        for heads, value in zip(trees, values, strict=True):
            expected[list(heads[1:]), range(1, n + 1)] += np.exp(value - log_partition)
        found = marginals(scores, [n], n_heads, single_root)
        assert found.log_partition[0] == pytest.approx(log_partition, abs=1e-4)
        assert found.arcs[0] == pytest.approx(expected, abs=1e-5)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=3),
    st.integers(0, 2**32),
    st.sampled_from([3, 4]),
    st.sampled_from([0, 1, 100, 1e6]),
)
def test_every_word_has_one_head(lengths, seed, n_heads, scale):
    scores = MHScores(*(np.clip(scale * part, -1e6, 1e6) for part in random_scores(lengths, seed)))
    found = marginals(scores, lengths, n_heads)
    best = decode_mh(scores, np.array(lengths, dtype=np.int32), n_heads)
    assert (found.log_partition >= best.scores - 1e-5 * np.abs(best.scores) - 1e-4).all()
    for n, arcs in zip(lengths, found.arcs, strict=True):
        assert arcs.min() >= 0 and arcs.max() <= 1
        assert arcs.sum(axis=0)[1 : n + 1] == pytest.approx(1, abs=1e-4)
        assert arcs.sum() == pytest.approx(n, abs=1e-4 * (n + 1))
        assert n == 0 or arcs[0].sum() == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("n_heads", [3, 4])
def test_marginals_are_derivatives_of_the_log_partition_function(n_heads):
    n, step = 9, 1 / 64
    scores = random_scores([n])
    found = marginals(scores, [n], n_heads).arcs[0]
    for head, word in [(0, 4), (1, 2), (2, 7), (7, 2), (9, 8), (5, 9)]:
        log_partitions = []
        for change in (-step, step):
            arcs = scores.arcs.copy()
            arcs[0, head, word] += change
            changed = scores._replace(arcs=arcs)
            log_partitions += [*marginals(changed, [n], n_heads).log_partition]
        derivative = (log_partitions[1] - log_partitions[0]) / (2 * step)
        assert derivative == pytest.approx(found[head, word], abs=1e-4)


@pytest.mark.parametrize("n_heads", [3, 4])
def test_sentences_of_a_batch_know_nothing_of_each_other(n_heads):
    lengths = [5, 20, 0, 12]
    scores = random_scores(lengths)
    together = marginals(scores, lengths, n_heads)
    for sentence, n in enumerate(lengths):
        alone = MHScores(*(part[sentence : sentence + 1] for part in scores))
        assert (marginals(alone, [n], n_heads).arcs[0] == together.arcs[sentence]).all()


@pytest.mark.parametrize("n_heads", [3, 4])
def test_a_tree_that_is_far_better_is_certain(n_heads):
    n = 30
    scores = random_scores([n], seed=3)
    scores.arcs[:] = IMPOSSIBLE
    scores.arcs[0, range(n), range(1, n + 1)] = 0
    found = marginals(scores, [n], n_heads)
    assert found.arcs[0, range(n), range(1, n + 1)] == pytest.approx(1, abs=1e-5)


def test_wrong_lengths_are_named():
    with pytest.raises(ValueError, match="scores of 5 nodes do not fit sentences of 4 to 4 words"):
        marginals(random_scores([3]), [4], 4)
