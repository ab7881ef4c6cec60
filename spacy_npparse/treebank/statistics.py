"""How often the trees of a treebank cross, how, and which parsers can build them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import mean, median
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from spacy_npparse.decoding import (
    MHScores,
    OneEndpointCrossingScores,
    decode_mh,
    decode_one_endpoint_crossing,
)
from spacy_npparse.systems import get_transition_system, transition_systems
from spacy_npparse.transitions import derivation_counts
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

# The most similar tree of a class is looked for in sentences of at most so many words. In longer
# ones, there may be a more similar one than is found.
MAX_LENGTH = 300


@dataclass
class Derivations:
    """What the gold derivations of a static oracle are like.

    sentences: that it derives; words: of these; transitions: of their derivations; reorderings:
    those of these that only reorder words, None if the system has none.
    """

    sentences: int
    words: int
    transitions: int
    reorderings: int | None


@dataclass
class Statistics:
    """Counts over the complete trees of a treebank.

    sentences, words: of these. incomplete: sentences with missing heads, which count nowhere else.
    lengths: how many sentences have how many words.
    nonprojective_arcs: whose head does not dominate all words between head and dependent.
    crossing_arcs: that cross another one.
    nonprojective_sentences: with a non-projective arc.
    gap_degrees, edge_degrees: how many sentences have which degree.
    covered: sentences whose trees belong to a class, by its name.
    covered_arcs: arcs that the most similar trees of a class share with the gold trees; of longer
        sentences than `MAX_LENGTH`, only those of a similar one.
    derivations: by transition system and static oracle.
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

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def rows(self) -> list[tuple[str, int, str]]:
        """What is counted, how often, and a note: all but the derivations."""
        words = [n for n, count in self.lengths.items() for _ in range(count)]
        lengths = f"mean {mean(words):.1f}, median {median(words):g}, at most {max(words)}"
        rows = [
            ("sentences", self.sentences, f"{self.incomplete} incomplete ones left out"),
            ("words", self.words, f"a sentence: {lengths}"),
            ("non-projective sentences", *_share(self.nonprojective_sentences, self.sentences)),
            ("non-projective arcs", *_share(self.nonprojective_arcs, self.words)),
            ("arcs that cross another", *_share(self.crossing_arcs, self.words)),
        ]
        for name, degrees in (("gap", self.gap_degrees), ("edge", self.edge_degrees)):
            for degree, count in degrees.items():
                rows.append((f"{name} degree {degree}", *_share(count, self.sentences)))
        for name, count in self.covered.items():
            rows.append((f"sentences: {name}", *_share(count, self.sentences)))
        for name, count in self.covered_arcs.items():
            rows.append((f"arcs: {name}", *_share(count, self.words)))
        return rows

    def table(self) -> str:
        """For the terminal."""
        lines = [f"{name:30} | {count:>8} | {note}".rstrip() for name, count, note in self.rows()]
        lines += ["", "Gold derivations of static oracles"]
        for system, oracles in self.derivations.items():
            for oracle, found in oracles.items():
                lines.append(f"{system + ' ' + oracle:38} | {_derivation_line(found, self)}")
        return "\n".join(lines)


def treebank_statistics(sentences: Iterable[Sentence]) -> Statistics:
    """Count what `Statistics` holds. Raises ValueError if there is no complete tree."""
    trees: list[list[int]] = []
    incomplete = 0
    for sentence in sentences:
        if None in sentence.heads[1:]:
            incomplete += 1
        else:
            trees.append([-1, *cast("tuple[int, ...]", sentence.heads[1:])])
    if not trees:
        raise ValueError("there is no sentence with all its heads")
    lengths = np.array([len(heads) - 1 for heads in trees], dtype=np.int32)
    gold = np.concatenate([heads[1:] for heads in trees]).astype(np.int32)
    crossing = [sum(nonprojective_arcs(heads)[1:]) for heads in trees]
    projective, mh4 = (_arcs_of_charts(trees, n_heads) for n_heads in (3, 4))
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
        incomplete=incomplete,
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
    )


def _derivations(
    name: str, lengths: NDArray[np.int32], gold: NDArray[np.int32]
) -> dict[str, Derivations]:
    """Of one system, by its static oracles."""
    system = get_transition_system(name)
    reordering = [system.kernel.reorders(t) for t in range(len(system.transitions))]
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


def _arcs_of_charts(trees: Sequence[Sequence[int]], n_heads: int) -> NDArray[np.int64]:
    """How many arcs each tree shares with the most similar one that a chart builds."""
    counts = []
    for heads in trees:
        n = len(heads) - 1
        right = np.zeros((1, n + 2, n + 2), dtype=np.float32)
        right[0, heads[1:], range(1, n + 1)] = 1.0
        zeros = np.zeros((1, 6, n + 2, n + 2), dtype=np.float32)
        scores = MHScores(shift=zeros[:, 0].copy(), below=zeros, front=zeros, arcs=right)
        length = np.array([n], dtype=np.int32)
        found = decode_mh(scores, length, n_heads, single_root=False, max_length=MAX_LENGTH)
        counts.append(round(found.scores[0]))
    return np.array(counts)


def _arcs_of_one_endpoint_crossing(
    trees: Sequence[Sequence[int]], projective: NDArray[np.int64]
) -> NDArray[np.int64]:
    """How many arcs each tree shares with the most similar one-endpoint-crossing one. projective:
    the same for projective ones, of which there are fewer."""
    counts = projective.copy()
    for number, heads in enumerate(trees):
        n = len(heads) - 1
        if is_one_endpoint_crossing(heads):
            counts[number] = n
        elif n <= MAX_LENGTH:
            right = np.zeros((1, n + 1, n + 1), dtype=np.float32)
            right[0, heads[1:], range(1, n + 1)] = 1.0
            zeros = np.zeros_like(right)
            scores = OneEndpointCrossingScores(zeros, heads=right, siblings=zeros, crossed=right)
            length = np.array([n], dtype=np.int32)
            found = decode_one_endpoint_crossing(scores, length, single_root=False)
            counts[number] = round(found.scores[0])
    return counts


def _histogram(values: Iterable[int]) -> dict[int, int]:
    return dict(sorted(Counter(values).items()))


def _share(count: int, whole: int) -> tuple[int, str]:
    return count, f"{100 * count / whole:.2f} %"


def _derivation_line(found: Derivations, whole: Statistics) -> str:
    covered = f"{100 * found.sentences / whole.sentences:6.2f} % of sentences"
    if not found.sentences:
        return covered
    lengths = f"{found.transitions / found.words:.2f} transitions a word"
    if found.reorderings is None:
        return f"{covered} | {lengths}"
    return (
        f"{covered} | {lengths} | {found.reorderings / found.sentences:.3f} reorderings a sentence"
    )
