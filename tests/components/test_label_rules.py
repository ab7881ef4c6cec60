"""Predicted trees obey the label rules of the treebank."""

import logging
import random
from dataclasses import replace
from itertools import islice, product

import numpy as np
import pytest
import srsly
import torch
from brute_force import all_trees, single_root
from parser_fixtures import new_pipeline, read_sample
from parser_helpers import SAMPLE, example, one_sentence, scored_batch
from spacy.tokens import Doc
from spacy.util import load_model_from_config
from spacy.vocab import Vocab

from spacy_npparse.components import DependencyConstraints
from spacy_npparse.components.label_rules import count_labels
from spacy_npparse.decoding import AllowedTrees
from spacy_npparse.parsing import SentenceBatch, ruled_trees
from spacy_npparse.parsing.labelled_tree import LabelledTree
from spacy_npparse.parsing.labelling import Labeller, label_log_probabilities
from spacy_npparse.parsing.ruled_trees import best_ruled_trees
from spacy_npparse.treebank import doc_from_sentences, parse_sentence, read_conllu
from spacy_npparse.treebank.label_rules import treebank_rules
from spacy_npparse.trees.label_counts import LabelCounts
from spacy_npparse.trees.label_rules import LabelRule

WORDS = ["Wir", "haben", "das", "Haus", "gesehen", "und", "gekauft", "."]


def random_rules(labels, rng):
    """Return random rules of several kinds for some labels; at least one label has no rule."""
    ruled = rng.sample(labels[:-1], k=min(8, len(labels) - 1))
    rules = []
    for label in ruled:
        kind = rng.choice(["unique", "before", "behind", "dependents"])
        excluded = tuple(rng.sample(ruled, k=3)) if kind == "dependents" else ()
        rules.append(LabelRule(kind, (label,), excluded))
    return rules


def broken_rules(doc, rules):
    """Return each rule that the labels of a Doc break, with the token that breaks it."""
    found = []
    for rule in rules:
        for token in doc:
            is_root = token.head.i == token.i
            if rule.kind == "unique":
                below = [child for child in token.children if child.dep_ in rule.labels]
                found += [(rule, token.i)] * (len(below) - 1)
            elif rule.kind == "dependents":
                below = [child for child in token.children if child.dep_ in rule.excluded]
                is_ruled = not is_root and token.dep_ in rule.labels
                found += [(rule, child.i) for child in below if is_ruled]
            elif rule.kind == "upos":
                is_ruled = not is_root and token.dep_ in rule.labels
                found += [(rule, token.i)] * (is_ruled and token.pos_ in rule.excluded)
            elif not is_root and token.dep_ in rule.labels:
                before = token.i < token.head.i
                found += [(rule, token.i)] * (before != (rule.kind == "before"))
    return found


def randomize(parser, rng, scale=1.0):
    generator = torch.Generator().manual_seed(rng.getrandbits(32))
    with torch.no_grad():
        for layer in parser.model.walk():
            for shim in layer.shims:
                for parameter in shim.net.parameters():
                    parameter.copy_(torch.randn(parameter.shape, generator=generator) * scale)


def use(parser, mode, rules):
    parser.trees.rules = mode
    parser.label_rules = rules


def log_probabilities(scored, doc):
    """Return the log-probabilities of the labels of a Doc's arcs: [n_arcs, n_labels]."""
    heads = np.array([0 if t.head.i == t.i else t.head.i + 1 for t in doc], dtype=np.int32)
    with torch.no_grad():
        return label_log_probabilities(scored, heads)


@pytest.fixture
def make():
    """Return a function that makes initialized pipelines, whose weights a test may change."""
    made = {}

    def pipeline(factory, **settings):
        key = factory, str(settings)
        if key not in made:
            made[key] = new_pipeline(factory, **settings)
            made[key].initialize(lambda: read_sample(made[key]))
        return made[key]

    return pipeline


PARSERS = {
    "mst": ("mst", {}),
    "one_endpoint_crossing": ("one_endpoint_crossing", {}),
    "mh4": ("mh4, exact", {}),
    "greedy": ("arc_hybrid_swap", {}),
    "beam": ("arc_hybrid_swap", {"decoder": {"beam_width": 3, "k_best": 3}}),
    "pseudo-projective": ("arc_eager", {"pseudo_projective": "head"}),
}


@pytest.mark.parametrize("name", PARSERS)
@pytest.mark.parametrize("mode", ["labels", "trees"])
@pytest.mark.parametrize("scale", [0.1, 1.0, 1e3])
def test_no_rule_is_broken_whatever_the_scores_are(make, name, mode, scale):
    rng = random.Random(str((name, mode, scale)))
    factory, settings = PARSERS[name]
    nlp = make(factory, **settings)
    parser = nlp.get_pipe("parser")
    for _ in range(10):
        randomize(parser, rng, scale)
        rules = random_rules(list(parser.label_set.plain), rng)
        use(parser, mode, rules)
        docs = [one_sentence(nlp, rng.choices(WORDS, k=n)) for n in (1, 2, 5, 12)]
        for doc in nlp.pipe(docs):
            assert broken_rules(doc, rules) == []
            for tree in (doc._.k_best_trees or [[]])[0]:
                other = one_sentence(nlp, [token.text for token in doc])
                for token, head, dep in zip(other, tree["heads"], tree["deps"], strict=True):
                    token.head, token.dep_ = other[head], dep
                assert broken_rules(other, rules) == []


@pytest.mark.parametrize("name", ["mst", "one_endpoint_crossing", "mh4", "beam"])
@pytest.mark.parametrize("kind", ["heads", "labels", "subtrees"])
def test_constraints_that_the_tree_meets_do_not_change_it(make, name, kind):
    rng = random.Random(str((name, kind)))
    factory, settings = PARSERS[name]
    nlp = make(factory, **settings)
    parser = nlp.get_pipe("parser")
    n_ruled = 0
    for _ in range(30):
        randomize(parser, rng, 0.3)
        # Nearly all labels are in one rule, so that they conflict in most trees.
        rules = [LabelRule("unique", tuple(parser.label_set.plain[:-2]))]
        words = rng.choices(WORDS, k=8)
        trees = []
        for mode in ("off", "trees"):
            use(parser, mode, rules)
            trees.append(nlp(one_sentence(nlp, words)))
        free = trees[1]
        heads = [token.head.i for token in free]
        n_ruled += heads != [token.head.i for token in trees[0]]
        number = rng.randrange(len(words))
        below = [token.i for token in free[number].subtree]
        if kind == "subtrees" and below != [*range(below[0], below[-1] + 1)]:
            continue
        given = {
            "heads": {number: [heads[number]]},
            "labels": {number: [free[number].dep_]},
            "subtrees": [[below[0], below[-1] + 1]],
        }
        doc = one_sentence(nlp, words)
        DependencyConstraints(**{kind: given[kind]}).attach(doc)
        assert [(token.head.i, token.dep_) for token in nlp(doc)] == [
            (head, token.dep_) for head, token in zip(heads, free, strict=True)
        ]
    assert n_ruled > 5 or name == "beam"


@pytest.mark.parametrize("name", ["mst", "one_endpoint_crossing", "mh4"])
def test_labelled_trees_are_the_best_of_all(make, name, monkeypatch):
    """tests/decoding/test_tree_labels.py checks that each tree has its best labels."""
    monkeypatch.setattr(ruled_trees, "MOST_TREES", 10**6)
    monkeypatch.setattr(ruled_trees, "LEAST_LOSS", 0)
    rng = random.Random(name)
    nlp = make(PARSERS[name][0])
    parser = nlp.get_pipe("parser")
    n_other = 0
    for _ in range(100):
        randomize(parser, rng, rng.choice([0.3, 0.6]))
        labels = list(parser.label_set.plain)
        # Most labels have rules, so that they conflict in most trees. With several groups, another
        # word may also have taken the next best label.
        n_groups = rng.choice([1, 2, 3])
        groups = [tuple(labels[i:-2:n_groups]) for i in range(n_groups)]
        # Some rules have exceptions.
        rules = [LabelRule("unique", group, (), 100, rng.choice([0, 2])) for group in groups]
        rules += random_rules(labels, rng) if rng.random() < 0.7 else []
        sides = [replace(rule, cases=100, exceptions=rng.choice([0, 2])) for rule in rules]
        rules = [
            rule if rule.kind == "dependents" else side
            for rule, side in zip(rules, sides, strict=True)
        ]
        use(parser, "trees", rules)
        n = rng.randint(2, 4)
        scored = scored_batch(parser, [one_sentence(nlp, rng.choices(WORDS, k=n))])
        labeller = parser.label_set.labeller
        with torch.no_grad():
            found = parser.search.best(scored)
            first = labeller.label(scored, found.heads[0], None)
            tree = best_ruled_trees(parser.search, labeller, scored, found, first, None, {})
            values = {
                heads: value_of(parser, scored, heads)
                for heads in (tuple(one[1:]) for one in all_trees(n) if single_root(one))
            }
        best = min(value for value in values.values() if value is not None)
        mine = values[tuple(tree.heads.tolist())]
        assert mine[0] == best[0] and mine[1] == pytest.approx(best[1], abs=1e-3)
        n_other += tuple(tree.heads.tolist()) != tuple(found.heads[0].tolist())
    assert n_other >= 5


def value_of(parser, scored, heads):
    """Return how many rules a tree breaks with its best labels, and its cost, or None if the parser
    cannot build the tree."""
    size = len(heads) + 1
    arcs = np.zeros((size, size), dtype=bool)
    arcs[np.arange(1, size), heads] = True
    found = parser.search.best_allowed(scored, AllowedTrees(arcs))
    if found is None:
        return None
    tree = parser.label_set.labeller.label(scored, np.array(heads, dtype=np.int32), None)
    return int(tree.n_broken[0]), tree.losses[0] - ruled_trees.SCORE_WEIGHT * found.scores[0, 0]


UPOS = ["NOUN", "VERB", "DET"]


@pytest.fixture(scope="module")
def three_labels():
    """Return a pipeline whose parser knows three labels."""
    nlp = new_pipeline("mst")
    eg = example(nlp, WORDS[:4], [1, 1, 1, 1], ["det", "ROOT", "obj", "case"])
    nlp.initialize(lambda: [eg])
    return nlp


@pytest.mark.parametrize("seed", range(40))
@torch.no_grad()
def test_parts_of_speech_count_in_the_best_of_all_labelled_trees(three_labels, monkeypatch, seed):
    monkeypatch.setattr(ruled_trees, "MOST_TREES", 10**6)
    monkeypatch.setattr(ruled_trees, "LEAST_LOSS", 0)
    rng = random.Random(seed)
    nlp, parser = three_labels, three_labels.get_pipe("parser")
    randomize(parser, rng, 0.4)
    labels = list(parser.label_set.plain)
    rules = [
        LabelRule("upos", (label,), tuple(rng.sample(UPOS, k=rng.randint(1, 2))))
        for label in labels
    ]
    rules.append(LabelRule("unique", tuple(labels[1:]), (), 100, rng.choice([0, 2])))
    rules.append(LabelRule(rng.choice(["before", "behind"]), (rng.choice(labels),)))
    use(parser, "trees", rules)
    n = rng.choice([2, 3, 4])
    words, upos = rng.choices(WORDS, k=n), rng.choices([*UPOS, ""], [2, 2, 2, 1], k=n)

    def doc_of(**annotation):
        return Doc(nlp.vocab, words=words, pos=upos, **annotation)

    scored = scored_batch(parser, [doc_of()])
    labeller = parser.label_set.labeller

    def value_with_labels(heads, deps):
        """Return how many rules without exceptions a labelled tree breaks, and its cost: what its
        labels lose, plus the costs of the other broken rules, minus the weighted score of the
        tree."""
        of_tree = [(head or i) - 1 for i, head in enumerate(heads, 1)]
        spelled = [dep or "ROOT" for dep in deps]
        doc = doc_of(heads=of_tree, deps=spelled)
        costs = [rule.cost for rule, _ in broken_rules(doc, rules)]
        by_label = by_tree[heads][1]
        own = [labels.index(dep) for dep in deps if dep]
        lost = (by_label.max(axis=1) - by_label[range(n - 1), own]).sum()
        soft = sum(cost for cost in costs if cost < np.inf)
        return costs.count(np.inf), lost + soft - by_tree[heads][0]

    trees = [tuple(one[1:]) for one in all_trees(n) if single_root(one)]
    by_tree = {}
    for heads in trees:
        arcs = np.zeros((n + 1, n + 1), dtype=bool)
        arcs[np.arange(1, n + 1), heads] = True
        score = parser.search.best_allowed(scored, AllowedTrees(arcs)).scores[0, 0]
        scores_of_labels = label_log_probabilities(scored, np.array(heads, np.int32))
        by_tree[heads] = ruled_trees.SCORE_WEIGHT * score, scores_of_labels
    values = {
        (heads, deps): value_with_labels(heads, deps)
        for heads in trees
        for deps in product(*([*labels] if head else [""] for head in heads))
    }
    found = parser.search.best(scored)
    first = labeller.label(scored, found.heads[0], None)
    tree = best_ruled_trees(parser.search, labeller, scored, found, first, None, {})
    deps = tuple(labels[label] if label >= 0 else "" for label in tree.labels.tolist())
    mine, best = values[tuple(tree.heads.tolist()), deps], min(values.values())
    assert mine[0] == best[0] and mine[1] == pytest.approx(best[1], abs=1e-3)


def test_a_part_of_speech_excludes_a_label_only_where_it_is_known(three_labels):
    nlp, parser = three_labels, three_labels.get_pipe("parser")
    randomize(parser, random.Random(0), 0.05)
    use(parser, "labels", [])
    words = WORDS[:4]
    before = [token.dep_ for token in parser(one_sentence(nlp, words))]
    place, label = next((i, dep) for i, dep in enumerate(before) if dep != "ROOT")
    use(
        parser,
        "labels",
        [LabelRule("upos", (label,), ("VERB",)), LabelRule("upos", ("no",), ("X",))],
    )

    def label_of(pos, **constraints):
        doc = one_sentence(nlp, words)
        doc[place].pos_ = pos
        DependencyConstraints(**constraints).attach(doc)
        return parser(doc)[place].dep_

    assert label_of("") == label_of("NOUN") == label
    assert label_of("VERB") not in (label, "ROOT")
    assert label_of("VERB", labels={place: [label]}) == label


def test_rules_of_sentences_and_of_docs_are_the_same():
    """The first word has a label without head, the third a misplaced root label, and *x* a part of
    speech that is not of UD."""
    rows = ["_\tcase", "0\troot", "2\troot", "3\tobj", "2\tnsubj", "5\tdet"]
    lines = [
        f"{number}\tx\t_\t{pos}\t_\t_\t{row}\t_\t_"
        for number, (row, pos) in enumerate(
            zip(rows, ["ADP", "VERB", "VERB", "FOO", "NOUN", "DET"], strict=True), 1
        )
    ]
    sentences = [parse_sentence(lines)] * 30
    of_docs = LabelCounts()
    count_labels(of_docs, doc_from_sentences(sentences, Vocab()))
    assert of_docs.rules() == treebank_rules(sentences) != []


def test_rules_are_learnt_saved_and_loaded(make, tmp_path):
    nlp = make("mst")
    nlp.initialize(lambda: read_sample(nlp, limit=200))
    rules = nlp.get_pipe("parser").label_rules
    assert list(rules) == treebank_rules(islice(read_conllu(SAMPLE), 200))
    assert LabelRule("unique", ("nsubj", "nsubj:pass")) in [
        replace(rule, cases=0, exceptions=0, expected=0.0) for rule in rules
    ]
    nlp.to_disk(tmp_path)
    loaded = load_model_from_config(nlp.config, auto_fill=True).from_disk(tmp_path)
    assert loaded.get_pipe("parser").label_rules == rules
    bytes_data = nlp.get_pipe("parser").to_bytes()
    assert loaded.get_pipe("parser").from_bytes(bytes_data).label_rules == rules


def test_further_training_removes_contradicted_rules(make, caplog):
    """Objects follow the verb in the first treebank, and precede it in the second one."""
    nlp = make("mst")
    first, second = (
        [example(nlp, words.split(), heads, labels)] * 30
        for words, heads, labels in (
            ("sie sieht ihn", [1, 1, 1], ["nsubj", "ROOT", "obj"]),
            ("ihn sieht sie", [1, 1, 1], ["obj", "ROOT", "nsubj"]),
        )
    )
    nlp.initialize(lambda: first)
    old = nlp.get_pipe("parser").label_rules
    sides = [LabelRule("before", ("nsubj",), (), 30), LabelRule("behind", ("obj",), (), 30)]
    assert {*sides} < {*old}
    further = new_pipeline("mst")
    further.initialize(lambda: second)
    further.from_bytes(nlp.to_bytes())
    parser = further.get_pipe("parser")
    for number in range(5):
        assert number > 3 or parser.label_rules == old
        further.update(first[:1] + second[:1])
    assert {*parser.label_rules} == {*old} - {*sides}
    removed = "which are removed: nsubj (precedes the head); obj (follows the head)."
    assert f"contradict label rules of an earlier treebank, {removed}" in caplog.text


def test_pipelines_without_rules_load(make, tmp_path):
    nlp = make("mst")
    parser = nlp.get_pipe("parser")
    use(parser, "trees", [])
    nlp.to_disk(tmp_path)
    path = tmp_path / "parser" / "cfg"
    state = srsly.read_json(path)
    assert state.pop("label_rules") == []
    srsly.write_json(path, state)
    loaded = load_model_from_config(nlp.config, auto_fill=True).from_disk(tmp_path)
    assert loaded.get_pipe("parser").label_rules == ()
    words = one_sentence(nlp, WORDS)
    assert [t.dep_ for t in parser(words.copy())] == [
        t.dep_ for t in loaded.get_pipe("parser")(one_sentence(loaded, WORDS))
    ]


def test_damaged_rules_are_refused(make, tmp_path):
    nlp = make("mst")
    use(nlp.get_pipe("parser"), "trees", [LabelRule("unique", ("obj",))])
    nlp.to_disk(tmp_path)
    path = tmp_path / "parser" / "cfg"
    path.write_text(path.read_text().replace('"kind":"unique"', '"kind":"single"'))
    with pytest.raises(ValueError, match=r"wrong rules: label_rules\[0\].kind is 'single'"):
        load_model_from_config(nlp.config, auto_fill=True).from_disk(tmp_path)


def test_rules_can_be_given_in_the_config():
    nlp = new_pipeline("mst")
    given = [{"kind": "unique", "labels": ["obj", "iobj"]}]
    nlp.config["initialize"]["components"]["parser"] = {"label_rules": given}
    nlp.initialize(lambda: read_sample(nlp))
    assert nlp.get_pipe("parser").label_rules == (LabelRule("unique", ("obj", "iobj")),)
    nlp.config["initialize"]["components"]["parser"] = {"label_rules": [{"kind": "unique"}]}
    with pytest.raises(ValueError, match=r"components.parser.label_rules\[0\] has no labels"):
        nlp.initialize(lambda: read_sample(nlp))


def test_off_is_the_best_label_of_each_arc(make):
    nlp = make("mst", label_rules="off")
    parser = nlp.get_pipe("parser")
    randomize(parser, random.Random(0))
    parser.label_rules = [LabelRule("unique", tuple(parser.label_set.plain))]
    doc = parser(one_sentence(nlp, WORDS))
    assert broken_rules(doc, parser.label_rules)
    scored = scored_batch(parser, [one_sentence(nlp, WORDS)])
    labels = np.array(parser.label_set.plain)[log_probabilities(scored, doc).argmax(axis=1)]
    assert [token.dep_ for token in doc if token.head.i != token.i] == labels.tolist()


def test_constraints_go_before_rules(make, caplog):
    nlp = make("mst")
    parser = nlp.get_pipe("parser")
    randomize(parser, random.Random(1))
    rules = [LabelRule("unique", ("obj",)), LabelRule("behind", ("obj",))]
    use(parser, "trees", rules)
    doc = one_sentence(nlp, WORDS)
    DependencyConstraints(heads={0: [4], 2: [4], 4: [4]}, labels={0: ["obj"], 2: ["obj"]}).attach(
        doc
    )
    with caplog.at_level(logging.WARNING):
        doc = parser(doc)
    assert [doc[i].head.i for i in (0, 2, 4)] == [4, 4, 4]
    assert [doc[i].dep_ for i in (0, 2)] == ["obj", "obj"]
    assert not [place for rule, place in broken_rules(doc, rules) if place not in (0, 2, 4)]
    assert "1 sentences with constraints have labels that break rules" in caplog.text
    caplog.clear()
    parser(one_sentence(nlp, WORDS))
    assert "break rules" not in caplog.text


def test_constraints_hold_where_other_trees_are_searched(make):
    nlp = make("mst")
    parser = nlp.get_pipe("parser")
    rng = random.Random(2)
    for _ in range(20):
        randomize(parser, rng)
        labels = list(parser.label_set.plain)
        use(parser, "trees", [LabelRule("unique", tuple(labels[:-2]))])
        heads = {0: rng.choice([3, 4, 5]), 3: rng.choice([1, 2])}
        doc = one_sentence(nlp, WORDS)
        DependencyConstraints(heads={i: [head] for i, head in heads.items()}).attach(doc)
        doc = parser(doc)
        assert {i: doc[i].head.i for i in heads} == heads
        assert broken_rules(doc, parser.label_rules) == []


def test_costs_weigh_as_much_in_ensembles(make):
    nlp = make("mst")
    parser = nlp.get_pipe("parser")
    nlp.add_pipe("parser", name="same", source=nlp)
    ensemble = nlp.add_pipe("ensemble_parser", config={"members": ["parser", "same"]})
    rng = random.Random(0)
    n_broken = 0
    try:
        for _ in range(20):
            randomize(parser, rng, 0.5)
            labels = parser.label_set.plain
            rules = [LabelRule("unique", tuple(labels[:-2]), (), 100, 2)]
            use(parser, "labels", rules)
            words = rng.choices(WORDS, k=12)
            alone, together = parser(one_sentence(nlp, words)), ensemble(one_sentence(nlp, words))
            assert [token.head.i for token in together] == [token.head.i for token in alone]
            assert [token.dep_ for token in together] == [token.dep_ for token in alone]
            n_broken += len(broken_rules(alone, rules))
    finally:
        nlp.remove_pipe("ensemble_parser")
        nlp.remove_pipe("same")
    assert n_broken > 0


def test_ensembles_keep_the_rules(make):
    nlp = make("mst")
    parser = nlp.get_pipe("parser")
    ensemble = nlp.add_pipe(
        "ensemble_parser", config={"members": ["parser"], "decoder": {"confidence": True}}
    )
    try:
        rng = random.Random(3)
        for _ in range(10):
            randomize(parser, rng)
            rules = random_rules(list(parser.label_set.plain), rng)
            use(parser, "labels", rules)
            doc = ensemble(one_sentence(nlp, rng.choices(WORDS, k=12)))
            assert broken_rules(doc, rules) == []
            assert all(0 <= token._.label_probability <= 1 for token in doc)
    finally:
        nlp.remove_pipe("ensemble_parser")


def test_confidence_is_that_of_the_label_that_was_chosen(make):
    nlp = make("mst")
    parser = nlp.get_pipe("parser")
    randomize(parser, random.Random(4))
    labels = list(parser.label_set.plain)
    use(parser, "trees", [LabelRule("unique", tuple(labels[:-1]))])
    parser.decoder = replace(parser.decoder, confidence=True)
    try:
        doc = parser(one_sentence(nlp, WORDS))
    finally:
        parser.decoder = replace(parser.decoder, confidence=False)
    scored = scored_batch(parser, [one_sentence(nlp, WORDS)])
    by_label = np.exp(log_probabilities(scored, doc))
    words = [token for token in doc if token.head.i != token.i]
    expected = [by_label[row, labels.index(word.dep_)] for row, word in enumerate(words)]
    assert [word._.label_probability for word in words] == pytest.approx(expected, abs=1e-5)


def test_trees_do_not_depend_on_the_batch(make):
    """Some sentences are too long for exact search, and some for the search of other trees."""
    nlp = make("mh4, exact", max_length=9)
    parser = nlp.get_pipe("parser")
    rng = random.Random(6)
    for _ in range(5):
        randomize(parser, rng)
        use(parser, "trees", [LabelRule("unique", tuple(parser.label_set.plain[:-1]))])
        words = [rng.choices(WORDS, k=n) for n in (3, 9, 10, 8, 50, 5, 9)]
        together = list(nlp.pipe([one_sentence(nlp, one) for one in words]))
        alone = [nlp(one_sentence(nlp, one)) for one in words]
        for one, other in zip(together, alone, strict=True):
            assert [(t.head.i, t.dep_) for t in one] == [(t.head.i, t.dep_) for t in other]


def test_a_tree_whose_score_is_no_number_remains(make):
    nlp = make("mst")
    parser = nlp.get_pipe("parser")
    randomize(parser, random.Random(7))
    use(parser, "trees", [LabelRule("unique", tuple(parser.label_set.plain[:-1]))])
    scored = scored_batch(parser, [one_sentence(nlp, WORDS)])
    labeller = parser.label_set.labeller
    with torch.no_grad():
        found = parser.search.best(scored)
        first = labeller.label(scored, found.heads[0], None)
        assert first.losses[0] > 0
        found = found._replace(scores=np.full_like(found.scores, np.nan))
        tree = best_ruled_trees(parser.search, labeller, scored, found, first, None, {})
    assert tree.heads.tolist() == first.heads.tolist()
    assert tree.labels.tolist() == first.labels.tolist()


@pytest.mark.parametrize(
    ("exceptions", "loss", "expected", "value"),
    [(2, 3.9, [-1, 0, 1], -3.9), (2, 4.0, [-1, 0, 0], -3.912), (0, 9.0, [-1, 0, 1], -9.0)],
)
def test_a_rule_with_exceptions_is_broken_where_it_costs_less(exceptions, loss, expected, value):
    rules = [LabelRule("unique", ("subj",), (), 100, exceptions)]
    labeller = Labeller(rules, ["subj", "dep", "ROOT"], None, {})
    sentences = SentenceBatch(np.arange(3), np.array([3], dtype=np.int32), 3)
    heads = np.array([0, 1, 1], dtype=np.int32)
    scores = np.array([[0.0, -9.5], [0.0, -loss]], dtype=np.float32)
    labels, n_broken, values = labeller.choose(sentences, heads, scores, None)
    assert labels.tolist() == expected and n_broken.tolist() == [0]
    assert values == pytest.approx([value], abs=1e-3)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (LabelRule("dependents", ("ROOT",), ("subj",)), [-1, 1, 0]),
        (LabelRule("dependents", ("dep",), ("ROOT",)), [-1, 0, 0]),
        (LabelRule("unique", ("ROOT", "subj")), [-1, 0, 0]),
        (LabelRule("before", ("ROOT",)), [-1, 0, 0]),
        (LabelRule("upos", ("ROOT",), ("VERB",)), [-1, 0, 0]),
    ],
)
def test_the_label_of_the_root_in_a_rule(rule, expected):
    labeller = Labeller([rule], ["subj", "dep", "ROOT"], None, {"VERB": 1})
    sentences = SentenceBatch(np.arange(3), np.array([3], dtype=np.int32), 3, np.array([1, 1, 1]))
    scores = np.array([[0.0, -1.0], [0.0, -1.0]], dtype=np.float32)
    heads = np.array([0, 1, 2], dtype=np.int32)
    assert labeller.choose(sentences, heads, scores, None).labels.tolist() == expected


def test_a_word_of_an_excluded_part_of_speech_is_the_conflict():
    labeller = Labeller(
        [LabelRule("upos", ("subj",), ("VERB",))], ["subj", "ROOT"], None, {"VERB": 1}
    )
    lengths = np.array([3], dtype=np.int32)
    sentences = SentenceBatch(np.arange(3), lengths, 3, np.array([1, 0, 1]))
    heads = np.array([0, 1, 1], dtype=np.int32)
    scores = np.zeros((2, 1), dtype=np.float32)
    labels, n_broken, values = labeller.choose(sentences, heads, scores, None)
    assert labels.tolist() == [-1, 0, 0] and values == pytest.approx([-0.5])
    by_word = np.zeros((3, 1), dtype=np.float32)
    tree = LabelledTree(heads, labels, labels, by_word, n_broken, -values)
    found, _ = labeller.conflicts(sentences, tree, None, np.zeros(3, dtype=bool))
    assert found.tolist() == [False, False, True]


def test_what_takes_the_next_best_label_is_part_of_a_conflict():
    """Two words score best as subjects. The second cannot be the object, as the third word is."""
    labeller = Labeller(
        [LabelRule("unique", ("subj",)), LabelRule("unique", ("obj",))],
        ["subj", "obj", "dep", "ROOT"],
        None,
        {},
    )
    sentences = SentenceBatch(np.arange(4), np.array([4], dtype=np.int32), 4)
    heads = np.array([0, 1, 1, 1], dtype=np.int32)
    scores = np.array([[0.0, -9, -9], [-0.1, -0.2, -5], [-9, 0.0, -9]], dtype=np.float32)
    labels, n_broken, values = labeller.choose(sentences, heads, scores, None)
    assert values == pytest.approx([-5.0])
    assert labels.tolist() == [-1, 0, 2, 1]
    losses = np.array([4.9])
    by_word = np.concatenate([np.zeros((1, 3), dtype=np.float32), scores])
    tree = LabelledTree(heads, labels, labels, by_word, n_broken, losses)
    found, least = labeller.conflicts(sentences, tree, None, np.zeros(4, dtype=bool))
    assert found.tolist() == [False, True, True, True] and least.tolist() == [0.0]
    _, least = labeller.conflicts(sentences, tree, None, found)
    assert least == pytest.approx(losses, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "bound"), [("MOST_WORDS", 3 * len(WORDS) - 1), ("LEAST_LOSS", 12 * len(WORDS))]
)
def test_trees_are_kept_if_sentences_are_long_or_labels_lose_little(make, monkeypatch, name, bound):
    nlp = make("mst")
    parser = nlp.get_pipe("parser")
    randomize(parser, random.Random(5))
    labels = list(parser.label_set.plain)
    # Each violation costs log 50 = 3.9 nats, so the labels of no tree lose more for each word.
    use(parser, "trees", [LabelRule("unique", tuple(labels[:-1]), (), 100, 2)])
    words = WORDS * 3
    searched = [token.head.i for token in parser(one_sentence(nlp, words))]
    monkeypatch.setattr(ruled_trees, name, bound)
    kept = parser(one_sentence(nlp, words))
    use(parser, "labels", parser.label_rules)
    labelled = parser(one_sentence(nlp, words))
    assert [token.head.i for token in kept] == [token.head.i for token in labelled] != searched
