"""Statistics of treebanks."""

import os
from itertools import product
from operator import eq
from pathlib import Path

import pytest

from spacy_npparse.systems import transition_systems
from spacy_npparse.treebank import parse_sentence, read_conllu
from spacy_npparse.treebank.statistics import treebank_statistics
from spacy_npparse.trees import is_one_endpoint_crossing, is_projective, is_tree

SAMPLE = Path(__file__).parents[2] / "assets" / "sample_treebank" / "sample-ud-train.conllu"
UD = os.environ.get("SPACY_NPPARSE_UD")


@pytest.fixture(scope="module")
def sample():
    return treebank_statistics(read_conllu(SAMPLE))


def test_the_parts_add_up(sample):
    assert sum(sample.lengths.values()) == sample.sentences
    assert sum(n * count for n, count in sample.lengths.items()) == sample.words
    assert sum(sample.gap_degrees.values()) == sum(sample.edge_degrees.values()) == sample.sentences
    assert sample.sentences - sample.covered["projective"] == sample.nonprojective_sentences
    assert sample.gap_degrees[0] == sample.edge_degrees[0] == sample.covered["projective"]
    assert sample.covered["projective"] < sample.covered["MH4"] <= sample.sentences
    for name in ("MH4", "1-endpoint-crossing"):
        assert sample.covered_arcs["projective"] < sample.covered_arcs[name] <= sample.words


def test_counts_of_large_treebanks_are_sums_over_parts():
    def tree(*heads):
        return parse_sentence(
            [f"{i}\tw\t_\t_\t_\t_\t{head}\tdep\t_\t_" for i, head in enumerate(heads, 1)]
        )

    def doubled(counts):
        if isinstance(counts, dict):
            return {key: doubled(value) for key, value in counts.items()}
        return counts and 2 * counts

    incomplete = tree("_", 1)
    # Only one part of the treebank has longer arcs and crossing arcs.
    sentences = [tree(0, 1)] * 1500 + [tree(3, 0, 2, 2, 3)] * 400 + [incomplete] * 2000
    once, twice = (treebank_statistics(iter(sentences * n)).as_dict() for n in (1, 2))
    assert (
        once["sentences"] == 1900
        and once["incomplete"] == 2000
        and once["lengths"] == {2: 1500, 5: 400}
    )
    del once["label_rules"], twice["label_rules"]
    assert twice == doubled(once)


def test_arcs_of_the_most_similar_tree_of_a_class(tmp_path):
    heads = [4, 6, 0, 3, 1, 5]
    assert not is_one_endpoint_crossing([-1, *heads])
    lines = [f"{i}\tw\t_\t_\t_\t_\t{head}\tdep\t_\t_" for i, head in enumerate(heads, 1)]
    path = tmp_path / "one.conllu"
    path.write_text("\n".join(lines).replace("0\tdep", "0\troot") + "\n\n")
    found = treebank_statistics(read_conllu(path))

    def shared(allowed):
        """Try all trees with more than two of the heads."""
        candidates = [[-1, *other] for other in product(range(7), repeat=6)]
        close = [c for c in candidates if sum(map(eq, c[1:], heads)) > 2 and is_tree(c, False)]
        return max(sum(map(eq, c[1:], heads)) for c in close if allowed(c))

    assert found.covered_arcs["1-endpoint-crossing"] == shared(is_one_endpoint_crossing) == 5
    assert found.covered_arcs["projective"] == shared(is_projective) == 3


def test_why_mh4_has_two_coverages_is_said(sample):
    """The transition system has a derivation of this tree, but the deduction system has none."""
    heads = [3, 0, 2, 2, 3]
    lines = [f"{i}\tw\t_\t_\t_\t_\t{head}\tdep\t_\t_" for i, head in enumerate(heads, 1)]
    found = treebank_statistics([parse_sentence(lines)])
    assert (found.covered["MH4"], found.derivations["mh4"]["static"].sentences) == (0, 1)
    assert "exact search finds the trees of 0 sentences" in found.table()
    assert "transition system 'mh4', of greedy search, derives 1:" in found.table()
    assert sample.covered["MH4"] == sample.derivations["mh4"]["static"].sentences
    assert not sample.note()


def test_long_trees_have_lower_bounds():
    """Exact search is only for up to 300 words."""

    def chain(n, crossing):
        heads = [*range(n)]
        if crossing:
            heads[2:4] = 5, 2
        lines = [f"{i}\tw\t_\t_\t_\t_\t{head}\tdep\t_\t_" for i, head in enumerate(heads, 1)]
        return parse_sentence(lines)

    found = treebank_statistics([chain(300, True), chain(301, False)])
    assert found.covered == {"projective": 1, "MH4": 2, "1-endpoint-crossing": 2, "well-nested": 2}
    assert found.covered_arcs["MH4"] == 601 and found.covered_arcs["projective"] < 601
    assert found.note().startswith("Trees with more than 300 words: 1. ")


def test_every_system_is_there(sample):
    assert set(sample.derivations) == set(transition_systems.get_all())
    projective = sample.derivations["arc_standard"]["static"]
    assert projective.sentences == sample.covered["projective"]
    assert projective.transitions == 2 * projective.words
    assert projective.reorderings is None
    eager, lazy = (sample.derivations["arc_standard_swap"][name] for name in ("eager", "lazy"))
    assert eager.sentences == lazy.sentences == sample.sentences
    assert 0 < lazy.reorderings < eager.reorderings
    assert eager.transitions == 2 * sample.words + 2 * eager.reorderings
    for name in ("arc_standard_swap eager", "gap degree 0", "sentences: MH4", "arcs: projective"):
        assert name in sample.table()


FIGURES = {
    # For each language: sentences and words; percent of projective, MH4, 1-endpoint-crossing,
    # 2-planar, attardi, attardi_3 and greedy MH4 sentences; of projective, MH4 and
    # 1-endpoint-crossing arcs; of non-projective and crossing arcs; reorderings per sentence with
    # arc-standard (eager, lazy), arc-hybrid and stay-eager.
    "got": (
        (3387, 35024),
        (78.42, 97.25, 97.58, 99.82, 97.93, 99.08, 98.79),
        (97.04, 99.73, 99.75),
        (3.28, 7.77),
        (1.338, 0.441, 1.859, 0.421),
    ),
    "hu": (
        (910, 20166),
        (79.01, 98.35, 97.69, 99.89, 98.46, 99.78, 99.01),
        (98.51, 99.92, 99.89),
        (1.59, 4.22),
        (2.016, 0.475, 2.380, 0.459),
    ),
}


@pytest.mark.skipif(not UD, reason="SPACY_NPPARSE_UD names no folder with UD treebanks")
@pytest.mark.parametrize("language", FIGURES)
def test_figures_of_the_literature(language):
    """The figures are from table 3 of Gómez-Rodríguez, Shi and Lee (2018), and our own counts."""
    (path,) = Path(str(UD)).glob(f"2.0/*/{language}-ud-train.conllu")
    found = treebank_statistics(read_conllu(path))
    size, sentences, arcs, crossing, reorderings = FIGURES[language]
    assert (found.sentences, found.words) == size

    def percent(count, whole):
        return round(100 * count / whole, 2)

    covered = found.covered
    derived = {
        name: next(iter(oracles.values())).sentences for name, oracles in found.derivations.items()
    }
    classes = [covered["projective"], covered["MH4"], covered["1-endpoint-crossing"]]
    classes += [derived[name] for name in ("two_planar", "attardi", "attardi_3", "mh4")]
    assert tuple(percent(count, found.sentences) for count in classes) == sentences
    assert tuple(percent(count, found.words) for count in found.covered_arcs.values()) == arcs
    counts = (found.nonprojective_arcs, found.crossing_arcs)
    assert tuple(percent(count, found.words) for count in counts) == crossing
    oracles = [
        found.derivations["arc_standard_swap"]["eager"],
        found.derivations["arc_standard_swap"]["lazy"],
        found.derivations["arc_hybrid_swap"]["static"],
        found.derivations["stay_eager_swap"]["static"],
    ]
    assert tuple(round(o.reorderings / found.sentences, 3) for o in oracles) == reorderings
