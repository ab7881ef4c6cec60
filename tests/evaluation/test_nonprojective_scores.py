"""Compare the scores of crossing arcs with counts by hand."""

import json
import os
from pathlib import Path

import pytest

from spacy_npparse.evaluation import score_sentences
from spacy_npparse.treebank import parse_sentence, read_conllu

UD = os.environ.get("SPACY_NPPARSE_UD")


def tree(heads, prefix="w"):
    return parse_sentence(
        [
            f"{i}\t{prefix}{i}\t_\t_\t_\t_\t{head}\t{'dep' if head else 'root'}\t_\t_"
            for i, head in enumerate(heads, 1)
        ]
    )


# The arc 1 → 4 spans the root 3. In CROSSING_2, the arc 4 → 2 spans the root, too.
CROSSING = [3, 3, 0, 1, 3]
CROSSING_2 = [3, 4, 0, 1, 3]
PROJECTIVE = [3, 3, 0, 3, 3]


def nonprojective(gold, system):
    return score_sentences([tree(h) for h in gold], [tree(h) for h in system]).nonprojective


def test_gold_against_itself():
    scores = nonprojective([CROSSING, PROJECTIVE], [CROSSING, PROJECTIVE])
    assert (scores.gold_arcs, scores.predicted_arcs) == (1, 1)
    assert (scores.gold_sentences, scores.predicted_sentences, scores.n_sentences) == (1, 1, 2)
    assert scores.las == scores.uas == scores.precision == scores.recall == 1
    assert scores.share == 0.1 and scores.sentence_share == 0.5


def test_projective_prediction():
    scores = nonprojective([CROSSING, PROJECTIVE], [PROJECTIVE, PROJECTIVE])
    assert scores.uas == 0.8 and scores.gold_words == 5
    assert scores.recall == 0 and scores.precision is None and scores.share == 0


def test_false_alarm():
    scores = nonprojective([PROJECTIVE], [CROSSING])
    assert scores.precision == 0 and scores.recall is None and scores.las is None
    assert scores.sentence_share == 1


def test_strict_recall_asks_for_a_crossing_arc():
    # The gold arc 2 → 4 is non-projective, because 3 depends on 1. The prediction has this arc, but
    # there it is projective, because 3 depends on 2.
    gold, predicted = [0, 1, 1, 2, 1], [0, 1, 2, 2, 1]
    scores = nonprojective([gold], [predicted])
    assert (scores.gold_arcs, scores.found, scores.found_strict) == (1, 1, 0)
    assert scores.recall == 1 and scores.strict_recall == 0


def test_precision_by_head():
    # The predicted arc 1 → 4 is right and non-projective; 4 → 2 is non-projective and wrong.
    scores = nonprojective([CROSSING], [CROSSING_2])
    assert (scores.predicted_arcs, scores.predicted_right) == (2, 1)


def test_incomplete_gold_trees_do_not_count():
    partial = str(tree(CROSSING)).replace("\t1\tdep", "\t_\t_").split("\n")
    scores = score_sentences([parse_sentence(partial)], [tree(CROSSING)]).nonprojective
    assert (scores.gold_arcs, scores.gold_words, scores.predicted_arcs) == (0, 0, 0)


def test_words_without_a_gold_relation_are_in_uas_only():
    unlabelled = str(tree(CROSSING)).replace("\t1\tdep", "\t1\t_").split("\n")
    gold = parse_sentence(unlabelled)
    n_relations = sum(row.deprel != "_" for row in gold.words)
    for system in (gold, tree(CROSSING)):
        scores = score_sentences([gold], [system]).nonprojective
        assert 0 < scores.gold_relations == n_relations < scores.gold_words == 5
        assert scores.words_arc_right == n_relations and scores.uas == scores.las == 1


def test_other_sentence_boundaries():
    gold = [tree(CROSSING), tree([0], "x")]
    system = [tree([*CROSSING, 3])]
    system = [parse_sentence(str(system[0]).replace("\tw6\t", "\tx1\t").split("\n"))]
    scores = score_sentences(gold, system).nonprojective
    assert scores.recall == scores.precision == 1
    assert (scores.n_sentences, scores.system_sentences) == (2, 1)


def test_json():
    scores = score_sentences([tree(CROSSING)], [tree(PROJECTIVE)])
    data = json.loads(json.dumps(scores.as_dict()))
    assert data["official"]["UAS"]["f1"] == 0.8
    assert data["nonprojective"]["precision"] is None
    assert data["nonprojective"]["counts"]["gold_arcs"] == 1


@pytest.mark.skipif(not UD, reason="SPACY_NPPARSE_UD names no folder with UD treebanks")
@pytest.mark.parametrize(
    "name, sentences, arcs", [("hu-ud-dev", 123, 207), ("got-ud-dev", 236, 353)]
)
def test_known_counts(name, sentences, arcs):
    (path,) = Path(UD).rglob(f"{name}.conllu")
    gold = list(read_conllu(path))
    scores = score_sentences(gold, gold).nonprojective
    assert (scores.gold_sentences, scores.gold_arcs) == (sentences, arcs)
