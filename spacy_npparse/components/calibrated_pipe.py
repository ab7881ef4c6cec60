"""Probabilities of heads and labels, calibrated by temperatures."""

import math
from dataclasses import asdict, dataclass
from typing import Generic, NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from spacy_npparse.checks import check_type
from spacy_npparse.components.labelled_pipe import LabelledPipe
from spacy_npparse.components.network_pipe import NetT
from spacy_npparse.components.sentences import SentenceBatch
from spacy_npparse.treebank.head_distributions import N_HEADS, most_probable_heads

Floats = NDArray[np.float32]

# Where they are among the saved settings.
TEMPERATURES = "temperatures"


@dataclass(frozen=True)
class Temperatures:
    """What scores are divided by before they become probabilities; 1 leaves them as they are, and
    above 1 the parser is less sure.

    Attributes:
        heads: Of the scores of trees, or of heads.
        labels: Of the scores of labels.

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
    """How sure a parser is of a tree.

    Attributes:
        heads: float32 [n_words], the probability of the head of each word.
        labels: float32 [n_words], the probability of its label, given the head; 1 if that is the
            root.
        distributions: float64 [n_words, 2 * N_HEADS], see `most_probable_heads`.
    """

    heads: Floats
    labels: Floats
    distributions: NDArray[np.float64]

    @classmethod
    def certain(cls, n_words: int) -> "Confidence":
        """Of a tree that nobody has doubts of."""
        heads, labels = np.ones((2, n_words), dtype=np.float32)
        return cls(heads, labels, np.zeros((n_words, 2 * N_HEADS)))

    def put(self, words: NDArray[np.bool_], part: "Confidence") -> None:
        """Take over what is known of a part of the words.

        Args:
            words: bool [n_words].
            part: Of these.
        """
        self.heads[words], self.labels[words], self.distributions[words] = part


class CalibratedPipe(LabelledPipe[NetT], Generic[NetT]):
    """A component that knows the probabilities of heads and labels.

    Those of heads are marginal probabilities where the search has them, and otherwise those by
    which each word selects its head among all words, which every parser learns.

    Attributes:
        cfg: Has the temperatures, which probabilities depend on, but no tree.
    """

    @property
    def temperatures(self) -> Temperatures:
        """What scores are divided by."""
        return Temperatures(**self.cfg[TEMPERATURES])

    @temperatures.setter
    def temperatures(self, values: Temperatures) -> None:
        self.cfg[TEMPERATURES] = asdict(values)

    def head_probabilities(self, vectors: Tensor, sentences: SentenceBatch) -> Floats:
        """Compute the probabilities of all heads.

        Args:
            vectors: What `encode` returns.
            sentences: Of the same Docs.

        Returns:
            float32 [n_sentences, size, size], dependents in the second dimension, size = longest
            sentence + 1; 0 where there is no such arc.
        """
        rows, lengths = self._rows(vectors, sentences)
        arcs = self._net.score_arcs(rows, lengths)
        return self._head_probabilities(rows, lengths, arcs, sentences)

    def label_probabilities(
        self, vectors: Tensor, sentences: SentenceBatch, heads: NDArray[np.int32]
    ) -> Floats:
        """Compute the probabilities of all labels of some arcs, those from the root excluded.

        Args:
            vectors: What `encode` returns.
            sentences: Of the same Docs.
            heads: int32 [n_words], in the sentence.

        Returns:
            float32 [n_arcs, n_labels], labels that are decorated by a pseudo-projective encoding
            included.
        """
        rows, _ = self._rows(vectors, sentences)
        scores = self._score_labels(rows, sentences, heads, heads > 0)
        return (scores / self.temperatures.labels).softmax(dim=1).cpu().numpy()

    def confidence(
        self,
        vectors: Tensor,
        sentences: SentenceBatch,
        heads: NDArray[np.int32],
        labels: NDArray[np.int64],
    ) -> Confidence:
        """Compute how sure the parser is of trees. It does not know of constraints on them.

        Args:
            vectors: What `encode` returns.
            sentences: Of the same Docs.
            heads: int32 [n_words], in the sentence: before a pseudo-projective encoding is decoded.
            labels: int64 [n_words], their numbers; that of the root is not looked at.

        Returns:
            The probabilities.
        """
        sure = Confidence.certain(len(heads))
        by_head = self.head_probabilities(vectors, sentences)
        of_words = by_head[sentences.sentence, sentences.places]
        sure.heads[:] = of_words[range(len(heads)), heads]
        sure.distributions[:] = most_probable_heads(of_words)
        if (heads > 0).any():
            by_label = self.label_probabilities(vectors, sentences, heads)
            sure.labels[heads > 0] = by_label[range(len(by_label)), labels[heads > 0]]
        return sure

    def _head_probabilities(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor, sentences: SentenceBatch
    ) -> Floats:
        """`head_probabilities`, by default those of head selection. rows, lengths: what `_rows`
        returns; arcs: their scores, see `ParserNet.score_arcs`."""
        selected = (arcs / self.temperatures.heads).softmax(dim=2).cpu().numpy()
        # The root has no head, nor has padding.
        size = np.arange(selected.shape[1])
        is_word = (size > 0) & (size <= sentences.lengths[:, None])
        return np.where(is_word[:, :, None], selected, np.float32(0.0))
