"""Tests of training: oracles, partial and misaligned gold trees, gradients and learning."""

import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from parser_helpers import (
    FAMILIES,
    GLOBAL,
    ORACLES,
    PARSERS,
    TINY_ENCODER,
    TINY_MODEL,
    example,
)
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed

from spacy_npparse.components.gold import read_gold
from spacy_npparse.decoding import ScoreTables
from spacy_npparse.parsing import EncodedTokens
from spacy_npparse.systems import get_transition_system
from spacy_npparse.transitions import derivable
from spacy_npparse.trees import is_one_endpoint_crossing


def weights(nlp, name="parser"):
    net = nlp.get_pipe(name).model.shims[0].net
    return {key: value.clone() for key, value in net.state_dict().items()}


def changed(before, after):
    return any(not torch.equal(before[key], after[key]) for key in before)


@pytest.mark.parametrize(
    "system, settings",
    [(system, {"oracle": oracle}) for system, oracle in ORACLES]
    + [(system, {}) for system in GLOBAL]
    + [("arc_hybrid_swap", {"oracle": o, "loss": "margin"}) for o in ("static", "static-dynamic")]
    + [
        (system, {"oracle": oracle, "loss": "max-violation", "decoder": {"beam_width": 2}})
        for system, oracle in dict(ORACLES).items()
    ],
)
def test_every_parser_trains_on_nonprojective_trees(make_nlp, sample, system, settings):
    nlp = make_nlp(system, **settings)
    examples = sample(nlp, limit=4, sentences_per_doc=2)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    before = weights(nlp)
    losses = [nlp.update(examples, sgd=optimizer)["parser"] for _ in range(8)]
    assert np.isfinite(losses).all() and min(losses[4:]) < losses[0]
    assert changed(before, weights(nlp))


def test_trees_that_a_static_oracle_cannot_derive_are_counted(make_nlp, sample, caplog):
    nlp = make_nlp("arc_standard", oracle="static")
    optimizer = nlp.initialize(lambda: sample(nlp, limit=200))
    assert re.search(
        r"parser: [1-9]\d of 200 training trees have no derivation in arc_standard", caplog.text
    )
    optimizer.L2 = 0.0
    label = nlp.get_pipe("parser").labels[0]
    crossing = example(nlp, ["a", "b", "c", "d"], [2, 3, 2, 2], [label, label, "ROOT", label])
    before = weights(nlp)
    nlp.update([crossing], sgd=optimizer)
    after = weights(nlp)
    assert torch.equal(before["output.weight"], after["output.weight"])
    assert not torch.equal(before["arc_weight"], after["arc_weight"])


def test_trees_that_exact_search_cannot_learn_are_counted(make_nlp, sample, caplog):
    nlp = make_nlp("mh3, exact", max_length=8)
    trees = [eg.reference for eg in sample(nlp, limit=200)]
    optimizer = nlp.initialize(lambda: sample(nlp, limit=200))
    short = [doc for doc in trees if len(doc) <= 8]
    crossing = [doc for doc in short if not is_derivable("mh3, exact", doc)]
    assert crossing
    for n, what in (
        (len(crossing), "no derivation in mh3"),
        (len(trees) - len(short), "more than 8 words"),
    ):
        assert re.search(rf"parser: {n} of 200 training trees have {what}", caplog.text)
    optimizer.L2 = 0.0
    # With low scores of SHIFT, greedy derivations attach words early and depend on arc scores.
    nlp.get_pipe("parser").model.shims[0].net.shift_pairs.weight.data[:, -1, -1] = -20.0
    before = weights(nlp)
    nlp.update([eg for eg in sample(nlp) if len(eg.reference) > 8], sgd=optimizer)
    after = weights(nlp)
    assert torch.equal(before["front_pairs.weight"], after["front_pairs.weight"])
    assert not torch.equal(before["arc_weight"], after["arc_weight"])


def test_trees_that_are_not_one_endpoint_crossing_are_counted(make_nlp, sample, caplog):
    nlp = make_nlp("one_endpoint_crossing", max_length=8)
    label = "punct"
    # The arcs from a to d and from the root to b cross the arc from c to e.
    wild = example(nlp, list("abcde"), [1, 1, 0, 0, 2], [label, "ROOT", label, label, label])
    assert not is_derivable("one_endpoint_crossing", wild.reference)
    long = [eg for eg in sample(nlp, limit=40) if len(eg.reference) > 8]
    optimizer = nlp.initialize(lambda: [wild, *long])
    n_trees = len(long) + 1
    for n, what in ((1, "are not one-endpoint-crossing"), (len(long), "have more than 8 words")):
        assert f"parser: {n} of {n_trees} training trees {what}" in caplog.text
    optimizer.L2 = 0.0
    states = [weights(nlp)]
    for examples in (long, [wild]):
        assert np.isfinite(nlp.update(examples, sgd=optimizer)["parser"])
        states.append(weights(nlp))
    assert [changed(*pair) for pair in pairwise(states)] == [True, True]
    scorers = [state["pairs.weight"] for state in states]
    assert [torch.equal(*pair) for pair in pairwise(scorers)] == [True, False]


@pytest.mark.parametrize("system", ["mst", "one_endpoint_crossing", "mh3, exact", "mh4, exact"])
def test_no_loss_once_gold_trees_win_by_a_margin(make_nlp, sample, system):
    """The loss of a gold tree is the lead of the best tree over it, and never negative."""
    nlp = make_nlp(system)
    examples = [eg for eg in sample(nlp, limit=40) if is_derivable(system, eg.reference)][:5]
    nlp.initialize(lambda: examples)
    parser = nlp.get_pipe("parser")
    net = parser.model.shims[0].net
    gold = parser.label_set.gold(examples)[0]
    vectors = net.with_root(parser.model.predict([eg.predicted for eg in examples])).detach()
    scored = EncodedTokens(net, vectors).score(gold.sentences)
    wrong = gold.wrong_arcs(torch.device("cpu"))

    @torch.no_grad()
    def loss(arcs):
        return float(parser.search.loss(replace(scored, arcs=arcs), gold))

    assert loss(scored.arcs.detach()) > 1.0
    assert loss(-8.0 * wrong) == pytest.approx(0.0, abs=1e-3)
    # If gold trees win by only half of the margin, each wrong arc violates the other half.
    assert loss(-0.5 * wrong) > 0.25 * len(gold.heads)


def test_the_local_loss_of_spanning_trees_is_that_of_heads_by_pairs(make_nlp, sample):
    nlp = make_nlp("mst, local")
    examples = sample(nlp)[:3]
    nlp.initialize(lambda: examples)
    parser = nlp.get_pipe("parser")
    gold = parser.label_set.gold(examples)[0]
    with torch.no_grad():
        scored = parser.network.encode([eg.predicted for eg in examples]).score(gold.sentences)
        pairs = scored.net.score_parts(scored.rows, scored.lengths, scored.arcs)
        words = [s[1 : n + 1] for s, n in zip(pairs, scored.lengths.tolist(), strict=True)]
        heads = torch.from_numpy(gold.heads).long()
        expected = torch.nn.functional.cross_entropy(torch.cat(words), heads, reduction="sum")
        found = parser.search.loss(scored, gold)
    torch.testing.assert_close(found, expected)


def test_exploration_waits_for_the_warm_up(make_nlp, sample):
    nlp = make_nlp(exploration={"warm_up": 2})
    parser = nlp.get_pipe("parser")
    optimizer = nlp.initialize(lambda: sample(nlp))
    policies = []
    for _ in range(3):
        policies.append(parser.settings.exploration_at(parser.network.shim.net.progress.n_updates))
        nlp.update(sample(nlp), sgd=optimizer)
    assert policies[:2] == [None, None] and policies[2].probability == 0.1


def gold_of(nlp, *examples):
    numbers = {nlp.vocab.strings.add(label): i for i, label in enumerate(["det", "nsubj", "x"])}
    return read_gold(examples, numbers)[0]


def test_gold_of_whole_trees(make_nlp):
    nlp = make_nlp()
    first = example(nlp, list("abcde"), [1, 1, 1, 4, 4], ["det", "ROOT", "x", "nsubj", "ROOT"])
    second = example(nlp, ["f"], [0], ["ROOT"])
    empty = Example(Doc(nlp.vocab), Doc(nlp.vocab))
    gold = gold_of(nlp, first, empty, second)
    assert gold.sentences.lengths.tolist() == [3, 2, 1]
    assert gold.sentences.words.tolist() == [0, 1, 2, 3, 4, 5]
    assert gold.sentences.tokens.tolist() == [6, 0, 1, 2, 6, 3, 4, 6, 5]
    assert gold.heads.tolist() == [2, 0, 2, 2, 0, 0]
    assert gold.labels.tolist() == [0, -1, 2, 1, -1, -1]


def test_missing_heads_and_labels_are_unknown(make_nlp):
    nlp = make_nlp()
    eg = example(nlp, list("abcd"), [1, 1, None, 1], ["det", "ROOT", "", ""])
    gold = gold_of(nlp, eg)
    assert gold.heads.tolist() == [2, 0, -1, 2]
    assert gold.labels.tolist() == [0, -1, -1, -1]


def test_sentences_without_gold_are_left_out(make_nlp):
    nlp = make_nlp()
    eg = example(nlp, list("abcd"), [1, 1, None, None], ["det", "ROOT", "", ""])
    eg.predicted[2].is_sent_start = True
    gold = gold_of(nlp, eg)
    assert gold.sentences.words.tolist() == [0, 1]
    assert gold.heads.tolist() == [2, 0]


def test_boundaries_inside_a_gold_tree_are_ignored(make_nlp):
    nlp = make_nlp()
    eg = example(nlp, list("abcd"), [2, 2, 2, 2], ["det", "det", "ROOT", "x"])
    eg.predicted[1].is_sent_start = True
    eg.predicted[3].is_sent_start = True
    assert gold_of(nlp, eg).sentences.lengths.tolist() == [4]


def test_other_tokens_than_the_gold_ones_are_unknown(make_nlp):
    nlp = make_nlp()
    reference = Doc(
        nlp.vocab,
        words=["can", "not", "go", "there"],
        spaces=[False, True, True, False],
        heads=[2, 2, 2, 2],
        deps=["det", "x", "ROOT", "x"],
    )
    predicted = Doc(
        nlp.vocab, words=["cannot", "go", "the", "re"], spaces=[True, True, False, False]
    )
    gold = gold_of(nlp, Example(predicted, reference))
    assert gold.heads.tolist() == [-1, 0, -1, -1]


def test_dependents_of_other_tokens_are_unknown(make_nlp):
    nlp = make_nlp()
    words, spaces = ["aa", "b", "c"], [True, True, False]
    tree = dict(heads=[1, 1, 0], deps=["x", "ROOT", "x"])
    reference = Doc(nlp.vocab, words=words, spaces=spaces, **tree)
    split = Doc(nlp.vocab, words=["a", "a", "b", "c"], spaces=[False, *spaces])
    assert gold_of(nlp, Example(split, reference)).heads.tolist() == [-1, -1, 0, -1]


def test_dependents_of_merged_tokens_are_known(make_nlp):
    nlp = make_nlp()
    words = ["can", "not", "go", "there"]
    spaces = [False, True, True, False]
    tree = dict(heads=[0, 0, 1, 2], deps=["ROOT", "x", "det", "x"])
    reference = Doc(nlp.vocab, words=words, spaces=spaces, **tree)
    merged = Doc(nlp.vocab, words=["cannot", "go", "there"], spaces=spaces[1:])
    assert gold_of(nlp, Example(merged, reference)).heads.tolist() == [-1, 1, 2]


def test_whitespace_has_no_gold(make_nlp):
    nlp = make_nlp()
    words, spaces = ["\n", "a", " ", "b", "\n"], [False] * 5
    tree = dict(heads=[1, 1, 1, 1, 3], deps=["x", "ROOT", "x", "x", "x"])
    reference = Doc(nlp.vocab, words=words, spaces=spaces, **tree)
    gold = gold_of(nlp, Example(Doc(nlp.vocab, words=words, spaces=spaces), reference))
    assert gold.sentences.words.tolist() == [1, 3]
    assert gold.heads.tolist() == [0, 1]


@pytest.mark.parametrize("system", PARSERS)
def test_partial_trees_and_several_roots_train(make_nlp, sample, system):
    nlp = make_nlp(system)
    optimizer = nlp.initialize(lambda: sample(nlp))
    partial = [
        example(nlp, list("abcd"), [1, None, 1, None], ["det", "", "", ""]),
        example(nlp, list("abc"), [None, None, 1], ["", "", "punct"]),
        example(nlp, list("ab"), [None, None], ["", ""]),
        example(nlp, list("ab"), [0, 1], ["ROOT", "ROOT"]),
        Example(Doc(nlp.vocab), Doc(nlp.vocab)),
    ]
    before = weights(nlp)
    losses = nlp.update(partial, sgd=optimizer)
    assert losses["parser"] > 0 and changed(before, weights(nlp))
    # The trees interleave, so that no sentence boundary can separate them.
    several = example(nlp, list("abcd"), [2, 3, 2, 3], ["det", "det", "ROOT", "ROOT"])
    assert np.isfinite(nlp.update([several], sgd=optimizer)["parser"])


def test_no_gold_changes_nothing(trained):
    optimizer = trained.create_optimizer()
    doc = Doc(trained.vocab, words=["a", "b"])
    before = weights(trained)
    assert trained.update([Example(doc, doc.copy())], sgd=optimizer) == {"parser": 0.0}
    assert not changed(before, weights(trained))


def test_nothing_teaches_nothing(trained):
    assert trained.get_pipe("parser").update([]) == {"parser": 0.0}


@pytest.mark.parametrize("system", ["mst", "arc_hybrid_swap", "mh4, exact"])
def test_training_does_not_begin_with_gold_that_cannot_be_read(make_nlp, sample, system):
    nlp = make_nlp(system)
    cycle = example(nlp, ["x", "y", "z"], [1, 2, 1], ["det", "nsubj", "obj"])
    with pytest.raises(ValueError, match=r"cycle: '[yz]'"):
        nlp.initialize(lambda: [*sample(nlp), cycle])
    parser = make_nlp(system).get_pipe("parser")
    with pytest.raises(ValueError, match="Unknown dependency label"):
        parser.initialize(lambda: sample(nlp), labels=["punct"])


def test_what_is_not_known_is_not_taught_as_it_was_guessed(make_nlp, sample):
    nlp = make_nlp("mh4, exact, local")
    optimizer = nlp.initialize(lambda: sample(nlp))
    optimizer.L2 = 0.0
    label = nlp.get_pipe("parser").labels[0]
    states = [weights(nlp)]
    for last in ((None, ""), (0, label)):
        heads, deps = zip((1, label), (1, "ROOT"), last, strict=True)
        nlp.update([example(nlp, list("abc"), list(heads), list(deps))], sgd=optimizer)
        states.append(weights(nlp))
    scorers = [state["front_pairs.weight"] for state in states]
    assert [torch.equal(*pair) for pair in pairwise(scorers)] == [True, False]
    assert [changed(*pair) for pair in pairwise(states)] == [True, True]


def test_mh3_does_not_learn_what_it_never_does(make_nlp, sample):
    nlp = make_nlp("mh3, exact", loss="log-likelihood")
    optimizer = nlp.initialize(lambda: sample(nlp))
    before = weights(nlp)
    optimizer.L2 = 0.0
    nlp.update(sample(nlp), sgd=optimizer)
    # The only links of MH3 are LEFT-ARC and RIGHT-ARC.
    after = weights(nlp)
    same = [
        torch.equal(*pair)
        for pair in zip(before["front_pairs.weight"], after["front_pairs.weight"], strict=True)
    ]
    assert same == [False, False, True, True, True, True]


def test_cycle_is_refused(trained):
    eg = example(trained, ["x", "y", "z"], [1, 2, 1], ["det", "nsubj", "obj"])
    with pytest.raises(ValueError, match=r"cycle: '[yz]' \(token [12]\) <- .* in 'x y z'. Correct"):
        trained.update([example(trained, ["ok"], [0], ["ROOT"]), eg])


def test_get_loss_knows_what_it_is_given(trained, sample):
    """`get_loss` takes token vectors, with or without a gradient, but no parses."""
    parser = trained.get_pipe("parser")
    examples = sample(trained)
    docs = [eg.predicted for eg in examples]
    loss, d_loss = parser.get_loss(examples, parser.model.predict(docs))
    assert isinstance(loss, float) and loss == float(d_loss.detach()) > 0
    before = weights(trained)
    scores, backprop = parser.model.begin_update(docs)
    _, d_loss = parser.get_loss(iter(examples), scores)
    backprop(d_loss)
    parser.finish_update(trained.create_optimizer())
    assert changed(before, weights(trained))
    for wrong in (parser.predict(docs), scores[1:]):
        with pytest.raises(ValueError, match="model.begin_update or model.predict"):
            parser.get_loss(examples, wrong)
    nothing, gradient = parser.get_loss([], scores[:0])
    assert nothing == 0.0 and gradient.item() == 0.0
    eg = example(trained, ["x", "y"], [1, 1], ["nonsense", "ROOT"])
    with pytest.raises(ValueError, match="'nonsense' of token 'x' in 'x y'.*add_label"):
        parser.get_loss([eg], parser.model.predict([eg.predicted]))


def test_gradients_are_those_of_the_loss(make_nlp, sample):
    fix_random_seed(0)
    nlp = make_nlp("arc_hybrid", oracle="static")
    examples = sample(nlp, limit=3)
    nlp.initialize(lambda: examples)
    parser = nlp.get_pipe("parser")
    vectors, _ = parser.model.begin_update([eg.predicted for eg in examples])
    parser.model.shims[0].net.double()
    # The kernel scores in single precision; with a static oracle it does not need scores at all.
    from spacy_npparse.parsing import transitions

    def single(system, oracle, tables, *rest, original=transitions.roll_out):
        return original(system, oracle, ScoreTables(*(t.astype("f") for t in tables)), *rest)

    point = vectors.detach().double().requires_grad_()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transitions, "roll_out", single)
        _, loss = parser.get_loss(examples, point)
        (gradient,) = torch.autograd.grad(loss, point)
        generator = torch.Generator().manual_seed(0)
        for _ in range(10):
            direction = torch.randn(point.shape, generator=generator, dtype=torch.double)
            step = 1e-7  # small, so that no ReLU has its kink in between
            with torch.no_grad():
                _, rise = parser.get_loss(examples, point + step * direction)
                _, fall = parser.get_loss(examples, point - step * direction)
            expected = float((rise - fall) / (2 * step))
            assert float((gradient * direction).sum()) == pytest.approx(
                expected, rel=1e-4, abs=1e-4
            )


@pytest.mark.parametrize(
    "system, settings",
    # The local loss trains scores of single transitions, whose sums mean little.
    [(system, {}) for system in FAMILIES if system != "mh4, exact, local"]
    + [("mh4", {}), ("arc_hybrid_swap", {"loss": "max-violation", "decoder": {"beam_width": 4}})],
)
def test_sentences_are_learned_by_heart(make_nlp, sample, system, settings):
    model = {**TINY_MODEL, "hidden_size": 64, "label_size": 64}
    model["tok2vec"] = {**TINY_ENCODER, "width": 64, "word_width": 32}
    nlp = make_nlp(system, model=model, **settings)
    examples = [eg for eg in sample(nlp, limit=40) if is_derivable(system, eg.reference)][:5]
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    for _ in range(150):
        losses = nlp.update(examples, sgd=optimizer)
        if losses["parser"] < 0.5 and nlp.evaluate(examples)["dep_las"] == 1.0:
            break
    assert nlp.evaluate(examples)["dep_las"] == 1.0


def is_derivable(system, doc):
    heads = [0 if token.head.i == token.i else token.head.i + 1 for token in doc]
    if system == "one_endpoint_crossing":
        return is_one_endpoint_crossing([0, *heads])
    if system in GLOBAL:
        system = {"mh3": "arc_hybrid", "mh4": "mh4"}.get(GLOBAL[system][0], "covington")
    kernel = get_transition_system(system).kernel
    return derivable(kernel, np.array([len(doc)], "int32"), np.array(heads, "int32"))[0]


def test_projective_system_learns_what_it_can_of_crossing_arcs(make_nlp, sample):
    nlp = make_nlp("arc_hybrid", oracle="exact")
    examples = [eg for eg in sample(nlp, limit=40) if not is_derivable("arc_hybrid", eg.reference)][
        :6
    ]
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    for _ in range(60):
        nlp.update(examples, sgd=optimizer)
    assert nlp.evaluate(examples)["dep_uas"] > 0.75


def test_averages_reach_the_torch_weights_and_go_again(make_nlp, sample):
    nlp = make_nlp()
    optimizer = nlp.initialize(lambda: sample(nlp))
    optimizer.averages = {}
    for _ in range(3):
        nlp.update(sample(nlp), sgd=optimizer)
    parser = nlp.get_pipe("parser")
    own = weights(nlp)
    encoder = parser.model.get_ref("tok2vec").shims[0].net
    embedding = encoder.word_embedding.weight.clone()
    with nlp.use_params(optimizer.averages):
        averaged = weights(nlp)
        assert changed(own, averaged)
        assert not torch.equal(embedding, encoder.word_embedding.weight)
        saved = parser.model.to_bytes()
    assert not changed(own, weights(nlp))
    assert torch.equal(embedding, encoder.word_embedding.weight)
    parser.model.from_bytes(saved)
    assert not changed(averaged, weights(nlp))


@pytest.mark.parametrize("system", ["arc_hybrid_swap", "mst"])
@pytest.mark.parametrize("broken", ["arc_weight", "encoder"])
def test_a_loss_that_is_not_finite_changes_nothing(make_nlp, sample, system, broken):
    nlp = make_nlp(system)
    optimizer = nlp.initialize(lambda: sample(nlp, limit=3))
    parser = nlp.get_pipe("parser")
    encoder = parser.model.get_ref("tok2vec").shims[0].net
    weights = encoder.spelling.weight if broken == "encoder" else parser.network.shim.net.arc_weight
    weights.data[0, 0] = torch.nan
    before = {name: p.detach().clone() for name, p in parser.network.shim.net.named_parameters()}
    cause = "the vectors of its encoder are not" if broken == "encoder" else "not finite. Training"
    with pytest.raises(ValueError, match=f"parser: the loss .* nan .*{cause}.*learn_rate"):
        nlp.update(sample(nlp, limit=3), sgd=optimizer)
    for name, parameter in parser.network.shim.net.named_parameters():
        assert torch.equal(parameter.nan_to_num(7.0), before[name].nan_to_num(7.0)), name
