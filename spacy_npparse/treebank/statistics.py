"""Non-projectivity of a treebank and its coverage by tree classes and transition systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import mean, median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.util import minibatch

from spacy_npparse.counts import total
from spacy_npparse.decoding import (
    MHFactors,
    MHScores,
    OneEndpointCrossingScores,
    decode_mh,
    decode_mh_greedily,
    decode_one_endpoint_crossing,
)
from spacy_npparse.systems import get_transition_system, transition_systems
from spacy_npparse.tables import Column, Table, count, text
from spacy_npparse.transitions import derivation_counts
from spacy_npparse.treebank.label_rules import count_labels, rules_table
from spacy_npparse.treebank.sentence import Sentence
from spacy_npparse.trees import (
    crossing_arcs,
    edge_degree,
    gap_degree,
    is_one_endpoint_crossing,
    is_projective,
    is_well_nested,
    nonprojective_arcs,
)
from spacy_npparse.trees.label_counts import LabelCounts
from spacy_npparse.trees.label_rules import LabelRule
from spacy_npparse.trees.missing import NO_HEAD

# The maximum number of words for which the closest tree of a class is searched exactly. For longer
# sentences, the number of shared arcs is a lower bound.
MAX_LENGTH = 300
_TWO_COVERAGES = (
    "MH4: exact search finds the trees of {:,} sentences, those of the deduction system. The "
    "transition system 'mh4', of greedy search, derives {:,}: it builds a few more trees, because "
    "an item of its stack may serve in several deductions."
)
# The number of sentences in memory at once.
_BATCH = 1000


@dataclass
class Derivations:
    """Gold derivations of a treebank by a static oracle.

    Attributes:
        sentences: The number of sentences that the oracle derives.
        words: The number of words of these sentences.
        transitions: The total length of the derivations.
        reorderings: The number of transitions that reorder words; None if the system has none.
    """

    sentences: int
    words: int
    transitions: int
    reorderings: int | None

    @property
    def transitions_per_word(self) -> float | None:
        """The average length of a derivation per word; None without sentences."""
        return self.transitions / self.words if self.sentences else None

    @property
    def reorderings_per_sentence(self) -> float | None:
        """The average number of reorderings; None without sentences or if the system has none."""
        if self.reorderings is None or not self.sentences:
            return None
        return self.reorderings / self.sentences


@dataclass
class Statistics:
    """Counts over the complete trees of a treebank.

    Attributes:
        sentences: The number of sentences with complete trees.
        words: The number of their words.
        incomplete: The number of sentences with missing heads, which are not counted elsewhere.
        lengths: The number of sentences by length in words.
        nonprojective_arcs: The number of arcs whose head does not dominate all words between head
            and dependent.
        crossing_arcs: The number of arcs that cross another one.
        nonprojective_sentences: The number of sentences with a non-projective arc.
        gap_degrees: The number of sentences by gap degree.
        edge_degrees: The number of sentences by edge degree.
        covered: The number of trees in each class.
        covered_arcs: The number of arcs that the gold trees share with the closest trees of each
            class; a lower bound for sentences longer than `MAX_LENGTH`.
        derivations: The derivations by transition system and static oracle.
        label_rules: The label rules, learnt from incomplete sentences as well.
    """

    sentences: int
    words: int
    incomplete: int
    lengths: dict[int, int]
    nonprojective_arcs: int
    crossing_arcs: int
    nonprojective_sentences: int
    gap_degrees: dict[int, int]
    edge_degrees: dict[int, int]
    covered: dict[str, int]
    covered_arcs: dict[str, int]
    derivations: dict[str, dict[str, Derivations]]
    label_rules: list[LabelRule]

    def as_dict(self) -> dict[str, Any]:
        """Convert the counts to JSON."""
        return asdict(self)

    def counts(self) -> Table:
        """Make a table of all counts except those of derivations."""
        words = [length for length, n in self.lengths.items() for _ in range(n)]
        lengths = f"mean {mean(words):.1f}, median {median(words):g}, at most {max(words)}"
        shares = [
            ("non-projective sentences", self.nonprojective_sentences, self.sentences),
            ("non-projective arcs", self.nonprojective_arcs, self.words),
            ("arcs that cross another", self.crossing_arcs, self.words),
            *((f"gap degree {i}", n, self.sentences) for i, n in self.gap_degrees.items()),
            *((f"edge degree {i}", n, self.sentences) for i, n in self.edge_degrees.items()),
            *((f"sentences: {name}", n, self.sentences) for name, n in self.covered.items()),
            *((f"arcs: {name}", n, self.words) for name, n in self.covered_arcs.items()),
        ]
        rows = [
            ("sentences", self.sentences, f"{self.incomplete} incomplete ones left out"),
            ("words", self.words, f"per sentence: {lengths}"),
            *((name, found, f"{100 * found / whole:.2f} %") for name, found, whole in shares),
        ]
        return Table("Counts", [Column(""), Column("count", count), Column("", left=True)], rows)

    def note(self) -> str:
        """Explain why MH4 has two coverages, if it has, and which numbers are lower bounds."""
        exact, greedy = self.covered["MH4"], self.derivations["mh4"]["static"].sentences
        n_long = sum(n for length, n in self.lengths.items() if length > MAX_LENGTH)
        notes = []
        if n_long:
            notes.append(
                f"Trees with more than {MAX_LENGTH} words: {n_long:,}. For those that are not "
                "projective, the numbers of MH4, and those of arcs, are lower bounds."
            )
        if exact != greedy:
            notes.append(_TWO_COVERAGES.format(exact, greedy))
        return "\n\n".join(notes)

    def oracles(self) -> dict[str, Derivations]:
        """The derivations by the names of system and oracle."""
        return {
            f"{system} {oracle}": found
            for system, oracles in self.derivations.items()
            for oracle, found in oracles.items()
        }

    def table(self) -> str:
        """Write all counts as text."""
        rows = [
            (
                name,
                100 * found.sentences / self.sentences,
                found.transitions_per_word,
                found.reorderings_per_sentence,
            )
            for name, found in self.oracles().items()
        ]
        heads = [
            Column("Gold derivations of static oracles"),
            Column("% of sentences", "{:.2f}".format),
            Column("transitions per word", "{:.2f}".format),
            Column("reorderings per sentence", "{:.3f}".format),
        ]
        return text(
            self.counts(),
            Table("Derivations", heads, rows),
            self.note(),
            rules_table(self.label_rules) if self.label_rules else "",
        )


def treebank_statistics(sentences: Iterable[Sentence]) -> Statistics:
    """Count non-projectivity and coverage in a treebank.

    Args:
        sentences: The sentences of the treebank.

    Raises:
        ValueError: There is no complete tree.
    """
    counts = LabelCounts()
    whole: Statistics | None = None
    for batch in minibatch(sentences, _BATCH):
        for sentence in batch:
            count_labels(counts, sentence)
        whole = total(whole, _count([sentence.heads for sentence in batch]))
    if whole is None or not whole.sentences:
        raise ValueError("there is no sentence with all its heads")
    whole.label_rules = counts.rules()
    return whole


def _count(heads_of_all: Sequence[tuple[int, ...]]) -> Statistics:
    """Count everything except rules."""
    trees = [heads for heads in heads_of_all if NO_HEAD not in heads[1:]]
    lengths = np.array([len(heads) - 1 for heads in trees], dtype=np.int32)
    gold = np.array([head for heads in trees for head in heads[1:]], dtype=np.int32)
    crossing = [sum(nonprojective_arcs(heads)[1:]) for heads in trees]
    projective, mh4 = (_arcs_of_mh(trees, n_heads) for n_heads in (3, 4))
    crossing_once = _arcs_of_one_endpoint_crossing(trees, projective)
    derivations = {
        name: _derivations(name, lengths, gold) for name in sorted(transition_systems.get_all())
    }
    covered = {
        "projective": sum(map(is_projective, trees)),
        "MH4": int((mh4 == lengths).sum()),
        "1-endpoint-crossing": sum(map(is_one_endpoint_crossing, trees)),
        "well-nested": sum(map(is_well_nested, trees)),
    }
    return Statistics(
        sentences=len(trees),
        words=len(gold),
        incomplete=len(heads_of_all) - len(trees),
        lengths=_histogram(lengths.tolist()),
        nonprojective_arcs=sum(crossing),
        crossing_arcs=sum(map(crossing_arcs, trees)),
        nonprojective_sentences=sum(map(bool, crossing)),
        gap_degrees=_histogram(map(gap_degree, trees)),
        edge_degrees=_histogram(map(edge_degree, trees)),
        covered=covered,
        covered_arcs={
            "projective": int(projective.sum()),
            "MH4": int(mh4.sum()),
            "1-endpoint-crossing": int(crossing_once.sum()),
        },
        derivations=derivations,
        label_rules=[],
    )


def _derivations(
    name: str, lengths: NDArray[np.int32], gold: NDArray[np.int32]
) -> dict[str, Derivations]:
    """Derive trees with one system, by each of its static oracles."""
    system = get_transition_system(name)
    reordering = [name in system.kernel.reordering for name in system.transitions]
    found = {}
    for oracle in system.oracles:
        if system.kernel.oracle(oracle).derivation_oracle() != oracle:
            continue
        derived, counts = derivation_counts(system.kernel, lengths, gold, oracle)
        found[oracle] = Derivations(
            sentences=int(derived.sum()),
            words=int(lengths[derived].sum()),
            transitions=int(counts.sum()),
            reorderings=int(counts[:, reordering].sum()) if any(reordering) else None,
        )
    return found


def _arcs_of_mh(trees: Sequence[Sequence[int]], n_heads: int) -> NDArray[np.int64]:
    """Count the arcs that each tree shares with the closest tree in the search space of MHk."""
    counts = []
    for heads in trees:
        n = len(heads) - 1
        if n > MAX_LENGTH and is_projective(heads):
            counts.append(n)
            continue
        right = np.zeros((1, n + 2, n + 2), dtype=np.float32)
        right[0, heads[1:], range(1, n + 1)] = 1.0
        length = np.array([n], dtype=np.int32)
        if n <= MAX_LENGTH:
            found = decode_mh(MHScores.of_arcs(right), length, n_heads, single_root=False)
        else:
            nothing = np.zeros((n + 2, 7, 0), dtype=np.float32)
            factors = MHFactors(nothing, nothing[:, 0], nothing[:, 1:], nothing[:, 0], right)
            found = decode_mh_greedily(factors, length, n_heads, single_root=False)
        counts.append(round(found.scores[0]))
    return np.array(counts, dtype=np.int64)


def _arcs_of_one_endpoint_crossing(
    trees: Sequence[Sequence[int]], projective: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Count the arcs that each tree shares with the closest one-endpoint-crossing tree, given the
    count for the closest projective tree, which is a lower bound."""
    counts = projective.copy()
    for number, heads in enumerate(trees):
        n = len(heads) - 1
        if is_one_endpoint_crossing(heads):
            counts[number] = n
        elif n <= MAX_LENGTH:
            right = np.zeros((1, n + 1, n + 1), dtype=np.float32)
            right[0, heads[1:], range(1, n + 1)] = 1.0
            scores = OneEndpointCrossingScores.of_arcs(right)
            length = np.array([n], dtype=np.int32)
            found = decode_one_endpoint_crossing(scores, length, single_root=False)
            counts[number] = round(found.scores[0])
    return counts


def _histogram(values: Iterable[int]) -> dict[int, int]:
    return dict(sorted(Counter(values).items()))
