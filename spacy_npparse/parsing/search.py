"""What every parser asks of its search: trees, the loss of gold trees, and how sure it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, Generic, Protocol

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from spacy_npparse.decoding import AllowedTrees, best_allowed_tree, spanning_trees
from spacy_npparse.parsing.batch import Bools, Found, Ints, NetT, ScoredBatch
from spacy_npparse.parsing.gold import GoldBatch
from spacy_npparse.parsing.settings import ConfidenceSettings
from spacy_npparse.transitions import Decisions
from spacy_npparse.trees.missing import NO_HEAD

Floats = NDArray[np.float32]


class RestrictedSearch(Protocol):
    """Finds the highest-scoring trees without some arcs."""

    def __call__(self, numbers: Ints, forbidden: Bools, /) -> Found:
        """Search.

        Args:
            numbers: int64 [n], of the sentences, each as often as it is searched.
            forbidden: bool [n, size, size], the arcs that trees must not have, dependents in the
                second dimension; size is that of the whole batch.

        Returns:
            A tree of each; its score is -inf if it has a forbidden arc, or was not searched for.
        """


class Search(ABC, Generic[NetT]):
    """Finds the trees of sentences by the scores of a network.

    Attributes:
        net_class: The class of the network.
        decoder: What is asked of the search.
    """

    net_class: type[NetT]
    decoder: ConfidenceSettings

    @property
    def net_sizes(self) -> dict[str, int]:
        """Sizes of the network that only this kind of search has."""
        return {}

    @abstractmethod
    def best(self, scored: ScoredBatch[NetT]) -> Found:
        """Find the highest-scoring trees.

        Args:
            scored: The sentences.
        """

    @abstractmethod
    def best_allowed(self, scored: ScoredBatch[NetT], allowed: AllowedTrees) -> Found | None:
        """Find the highest-scoring of some trees.

        Args:
            scored: One sentence.
            allowed: The trees.

        Returns:
            The trees; None if there are none that can be built.
        """

    def restricted(self, scored: ScoredBatch[NetT]) -> RestrictedSearch | None:
        """Prepare the search for trees without some arcs.

        Args:
            scored: The sentences.

        Returns:
            The search; None if trees have no scores to compare them by.
        """
        return None

    @abstractmethod
    def loss(self, scored: ScoredBatch[NetT], gold: GoldBatch) -> Tensor:
        """The loss of unlabelled gold trees, a scalar.

        Args:
            scored: The sentences.
            gold: Their trees.
        """

    def head_probabilities(self, scored: ScoredBatch[NetT], temperature: float) -> Floats:
        """Compute the probabilities of all heads: marginal probabilities where the search has them,
        and otherwise those by which each word selects its head among all words.

        Args:
            scored: The sentences.
            temperature: What scores are divided by.

        Returns:
            float32 [n_sentences, size, size], dependents in the second dimension, size = longest
            sentence + 1; 0 where there is no such arc.
        """
        return selected_heads(scored, temperature)

    def derive(self, scored: ScoredBatch[NetT]) -> Decisions | None:
        """Find the highest-scoring derivation of a sentence.

        Args:
            scored: One sentence.

        Returns:
            The derivation; None if trees are built without transitions.
        """
        return None

    def begin_training(self, net: NetT, gold: Iterable[GoldBatch]) -> list[str]:
        """Reset what depends on the training.

        Args:
            net: The network, with new weights.
            gold: All gold trees. All of them are read: those that cannot be raise ValueError.

        Returns:
            What users should know of gold trees that cannot be learnt from.
        """
        for _ in gold:
            pass
        return []

    def end_update(self, net: NetT) -> None:
        """Take note of an update of the weights.

        Args:
            net: The network.
        """

    def report(self) -> list[str]:
        """What was not done as asked for, since the last report."""
        return []


def selected_heads(scored: ScoredBatch[Any], temperature: float) -> Floats:
    """Compute the probabilities by which each word selects its head.

    Args:
        scored: See `Search.head_probabilities`.
        temperature: Likewise.

    Returns:
        Likewise.
    """
    selected = (scored.arcs / temperature).softmax(dim=2).cpu().numpy()
    # The root has no head, nor has padding.
    size = np.arange(selected.shape[1])
    is_word = (size > 0) & (size <= scored.sentences.lengths[:, None])
    return np.where(is_word[:, :, None], selected, np.float32(0.0))


def best_trees(
    search: Search[NetT], scored: ScoredBatch[NetT], allowed: Mapping[int, AllowedTrees]
) -> tuple[Found, list[int]]:
    """Find the highest-scoring trees among those that are allowed.

    Sentences are searched as if all trees were allowed. The best tree of all remains if it is
    allowed, and with it all others that are; other sentences are searched again.

    Args:
        search: The search.
        scored: The sentences.
        allowed: The trees of those sentences that not all trees are allowed of, by their numbers.

    Returns:
        The trees; and the numbers of the sentences of which no allowed tree can be built, with the
        best of all trees.
    """
    found = search.best(scored)
    failed = []
    slices = scored.sentences.slices() if allowed else []
    for number, trees in allowed.items():
        words = slices[number]
        ranks = [
            rank
            for rank, heads in enumerate(found.heads[:, words])
            if heads[0] != NO_HEAD and trees.admits(heads)
        ]
        best: Found | None
        if ranks[:1] == [0]:
            best = Found(found.heads[ranks, words].copy(), found.scores[ranks, number, None].copy())
        else:
            best = search.best_allowed(scored.alone(number), trees)
        if best is None:
            failed.append(number)
            continue
        found.heads[:, words] = NO_HEAD
        found.heads[: len(best.heads), words] = best.heads
        found.scores[:, number] = -np.inf
        found.scores[: len(best.heads), number] = best.scores[:, 0]
    return found, failed


def best_heads_by_arcs(scored: ScoredBatch[Any], allowed: AllowedTrees) -> NDArray[np.int32] | None:
    """Find the highest-scoring of some spanning trees, by the scores of arcs alone.

    Args:
        scored: One sentence.
        allowed: The trees.

    Returns:
        int32 [n_words], the heads; None if there is no such tree.
    """
    tree = best_allowed_tree(allowed, spanning_trees(scored.arcs[0].cpu().numpy()))
    return None if tree is None else tree.heads
