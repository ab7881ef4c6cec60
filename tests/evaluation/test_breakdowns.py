"""Compare scores by properties of arcs with counts by hand, and with the scores of all arcs."""

import random
from dataclasses import replace
from functools import reduce
from pathlib import Path

import pytest

from spacy_npparse.counts import total
from spacy_npparse.evaluation.analysis import analysis_of_sentences
from spacy_npparse.evaluation.attachment import Comparison
from spacy_npparse.evaluation.breakdowns import Group, breakdowns
from spacy_npparse.evaluation.scores import score_analyses
from spacy_npparse.treebank import parse_sentence, read_conllu

SAMPLE = Path(__file__).parents[2] / "assets" / "sample_treebank" / "sample-ud-dev.conllu"


def tree(heads, labels):
    return parse_sentence(
        [
            f"{i}\tw{i}\t_\t_\t_\t_\t{head}\t{label}\t_\t_"
            for i, (head, label) in enumerate(zip(heads, labels, strict=True), 1)
        ]
    )


def found(gold, system):
    gold, system = (analysis_of_sentences(sentences) for sentences in (gold, system))
    every = breakdowns(Comparison(gold, system, list(range(len(gold)))))
    return {
        name: {kind: group for kind, group in groups.items() if group != Group()}
        for name, groups in every.items()
    }


# The arc 1 → 4 spans the root 3. SYSTEM has 3 → 4 and 4 → 5, and a wrong label of word 2.
GOLD = tree([3, 3, 0, 1, 3], ["a", "b", "root", "c", "b"])
SYSTEM = tree([3, 3, 0, 3, 4], ["a", "a", "root", "c", "b"])


def test_counted_by_hand():
    groups = found([GOLD], [SYSTEM])
    assert groups["arc length"] == {
        "1": Group(1, 1, 0, 3, 1, 0),
        "2": Group(2, 1, 1, 1, 1, 1),
        "3": Group(1, 0, 0, 0, 0, 0),
    }
    assert groups["sentence length"] == {"1–5": Group(5, 3, 2, 5, 3, 2)}
    assert groups["distance to the root"] == {
        "1": Group(1, 1, 1, 1, 1, 1),
        "2": Group(3, 2, 1, 3, 2, 1),
        "3": Group(1, 0, 0, 1, 0, 0),
    }
    assert groups["projectivity"] == {
        "projective": Group(4, 3, 2, 5, 3, 2),
        "non-projective": Group(1, 0, 0, 0, 0, 0),
    }
    assert groups["relation"] == {
        "b": Group(2, 1, 0, 1, 0, 0),
        "a": Group(1, 1, 1, 2, 2, 1),
        "c": Group(1, 0, 0, 1, 0, 0),
        "root": Group(1, 1, 1, 1, 1, 1),
    }
    assert groups["relation"]["a"].recall == 1 and groups["relation"]["a"].precision == 0.5
    assert groups["arc length"]["3"].precision is None


def test_incomplete_gold_sentences_are_left_out():
    partial = parse_sentence(str(GOLD).replace("\t1\tc", "\t_\t_").split("\n"))
    unlabelled = parse_sentence(str(GOLD).replace("\t1\tc", "\t1\t_").split("\n"))
    assert found([partial, GOLD, unlabelled], [SYSTEM] * 3) == found([GOLD], [SYSTEM])


def test_predictions_may_be_incomplete():
    partial = parse_sentence(str(SYSTEM).replace("\t3\tc", "\t_\t_").split("\n"))
    groups = found([GOLD], [partial])
    assert groups["arc length"]["1"].predicted == 2
    # The head of word 5 is word 4, whose own head is missing.
    assert sum(g.predicted for g in groups["distance to the root"].values()) == 3
    assert all(g.predicted == 0 for g in groups["projectivity"].values())
    assert [sum(g.gold for g in b.values()) for b in groups.values()] == [4, 5, 5, 5, 5]


def test_long_ones_share_a_group():
    n = 70
    gold = tree([0, *([1] * (n - 1))], ["root"] + ["x"] * (n - 1))
    groups = found([gold], [gold])
    sizes = {kind: group.gold for kind, group in groups["arc length"].items()}
    assert sizes == {"1": 1, "2": 1, "3": 1, "4": 1, "5–6": 2, "7–9": 3, "10–14": 5, "15+": 55}
    assert list(groups["sentence length"]) == ["61+"]
    chain = tree(range(n), ["root"] + ["x"] * (n - 1))
    assert found([chain], [chain])["distance to the root"]["8+"].gold == n - 7


@pytest.mark.parametrize("seed", range(3))
def test_groups_add_up_to_the_scores(seed):
    rng = random.Random(seed)
    gold = analysis_of_sentences(read_conllu(SAMPLE))
    labels = [rng.choice(gold.deprels) if rng.random() < 0.1 else d for d in gold.deprels]
    heads = list(gold.heads)
    for first, end in gold.sentence_words:
        # Taking a neighbour's head makes no cycle if the neighbour is no descendant of the word.
        for word in range(first + 1, end):
            if (
                rng.random() < 0.1
                and heads[word] != word
                and heads[word - 1] not in (word - 1, word)
            ):
                above = heads[word - 1]
                while above != word and heads[above] != above:
                    above = heads[above]
                heads[word] = heads[word] if above == word else heads[word - 1]
    system = replace(gold, heads=heads, deprels=labels)
    groups = breakdowns(Comparison(gold, system, list(range(len(gold)))))
    scores = score_analyses(gold, system)
    for name in ("sentence length", "distance to the root", "projectivity", "relation"):
        all_arcs = reduce(total, groups[name].values())
        assert all_arcs.gold == all_arcs.predicted == len(gold)
        assert all_arcs.heads_found == all_arcs.heads_right == scores.official["UAS"].correct
        assert all_arcs.arcs_found == all_arcs.arcs_right == scores.official["LAS"].correct
    crossing, counts = groups["projectivity"]["non-projective"], scores.nonprojective
    assert (crossing.gold, crossing.heads_found) == (counts.gold_arcs, counts.found)
    assert (crossing.predicted, crossing.heads_right) == (
        counts.predicted_arcs,
        counts.predicted_right,
    )
    for relation, score in scores.per_relation.items():
        group = groups["relation"][relation]
        assert (group.gold, group.predicted) == (score.gold, score.system)
        assert group.arcs_found == group.arcs_right == score.correct
    attached = sum(head != word for word, head in enumerate(gold.heads))
    assert sum(group.gold for group in groups["arc length"].values()) == attached
