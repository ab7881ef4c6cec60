"""The confidence of a parser in its trees: probabilities, calibrated by temperatures."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacy_npparse.checks import check_type
from spacy_npparse.parsing.batch import Bools, NetT, ScoredBatch
from spacy_npparse.parsing.labelling import label_probabilities
from spacy_npparse.parsing.search import Floats, Search
from spacy_npparse.trees.head_distributions import HeadDistributions, most_probable_heads


@dataclass(frozen=True)
class Temperatures:
    """Temperatures by which scores are divided before they become probabilities. At 1, scores do
    not change, and above 1, the parser is less confident.

    Attributes:
        heads: The temperature for the scores of trees or heads.
        labels: The temperature for the scores of labels.

    Source: Guo, Pleiss, Sun and Weinberger (2017).
    """

    heads: float = 1.0
    labels: float = 1.0

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            check_type(f"the temperature of {name}", value, float)
            if not 0.0 < value < math.inf:
                raise ValueError(f"the temperature of {name} is {value!r}, but must be above 0")


class Confidence(NamedTuple):
    """The confidence in the trees of some sentences.

    Attributes:
        heads: float32 [n_words], the probability of the head of each word.
        labels: float32 [n_words], the probability of each word's label given the head; 1 for a
            root.
        distributions: The most probable heads of each word.
    """

    heads: Floats
    labels: Floats
    distributions: HeadDistributions

    @classmethod
    def certain(cls, n_words: int) -> Confidence:
        """Make the confidence in trees that are certain."""
        heads, labels = np.ones((2, n_words), dtype=np.float32)
        return cls(heads, labels, HeadDistributions.unknown(n_words))

    def put(self, words: Bools, part: Confidence) -> None:
        """Copy the confidence in a part of the words.

        Args:
            words: bool [n_words], whether each word is in the part.
            part: The confidence in the words of the part.
        """
        self.heads[words], self.labels[words] = part.heads, part.labels
        heads, probabilities = self.distributions
        heads[words], probabilities[words] = part.distributions


def tree_confidence(
    search: Search[NetT],
    scored: ScoredBatch[NetT],
    temperatures: Temperatures,
    heads: NDArray[np.int32],
    labels: NDArray[np.int64],
) -> Confidence:
    """Compute the confidence of a parser in given trees. Constraints are ignored.

    Args:
        search: The search of the parser.
        scored: The sentences.
        temperatures: The temperatures of the parser.
        heads: int32 [n_words], the heads within the sentences, before a pseudo-projective encoding
            is decoded.
        labels: int64 [n_words], the numbers of the labels, of which that of a root is ignored.

    Returns:
        The confidence.
    """
    by_head = search.head_probabilities(scored, temperatures.heads)
    of_words = by_head[scored.sentences.sentence, scored.sentences.places]
    confidence = Confidence.certain(len(heads))._replace(
        distributions=most_probable_heads(of_words)
    )
    confidence.heads[:] = of_words[range(len(heads)), heads]
    if (heads > 0).any():
        by_label = label_probabilities(scored, heads, temperatures.labels)
        confidence.labels[heads > 0] = by_label[range(len(by_label)), labels[heads > 0]]
    return confidence
