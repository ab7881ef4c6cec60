"""The interface of searches: trees, the loss of gold trees, and confidence."""

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
    """A search for the highest-scoring trees without certain arcs."""

    def __call__(self, numbers: Ints, forbidden: Bools, /) -> Found:
        """Find trees.

        Args:
            numbers: int64 [n], the numbers of the sentences to search, with repetition.
            forbidden: bool [n, size, size], the arcs that trees must not have, dependents in the
                second dimension, where size is at least that of the longest sentence.

        Returns:
            A tree for each number. Its score is -inf if it has a forbidden arc or was not searched
            for.
        """


class Search(ABC, Generic[NetT]):
    """A search for the trees of sentences by the scores of a network.

    Attributes:
        net_class: The class of the network.
        decoder: The settings of the search.
    """

    net_class: type[NetT]
    decoder: ConfidenceSettings

    @property
    def net_sizes(self) -> dict[str, int]:
        """The sizes of the network that only this kind of search has."""
        return {}

    @abstractmethod
    def best(self, scored: ScoredBatch[NetT]) -> Found:
        """Find the highest-scoring trees.

        Args:
            scored: The sentences.
        """

    @abstractmethod
    def best_allowed(self, scored: ScoredBatch[NetT], allowed: AllowedTrees) -> Found | None:
        """Find the highest-scoring trees among those that are allowed.

        Args:
            scored: A single sentence.
            allowed: The allowed trees.

        Returns:
            The trees; None if the search cannot build any of them.
        """

    def restricted(self, scored: ScoredBatch[NetT]) -> RestrictedSearch | None:
        """Prepare a search for trees without certain arcs.

        Args:
            scored: The sentences.

        Returns:
            The search; None if trees have no scores to compare.
        """
        return None

    @abstractmethod
    def loss(self, scored: ScoredBatch[NetT], gold: GoldBatch) -> Tensor:
        """Compute the loss of unlabelled gold trees, a scalar.

        Args:
            scored: The sentences.
            gold: The gold trees of the sentences.
        """

    def head_probabilities(self, scored: ScoredBatch[NetT], temperature: float) -> Floats:
        """Compute the probabilities of all heads. These are marginal probabilities if the search
        has them, and otherwise the probabilities with which each word selects its head among all
        words.

        Args:
            scored: The sentences.
            temperature: The temperature that scores are divided by.

        Returns:
            float32 [n_sentences, size, size], dependents in the second dimension, where size is the
            length of the longest sentence + 1; 0 where there is no such arc.
        """
        return selected_heads(scored, temperature)

    def derive(self, scored: ScoredBatch[NetT]) -> Decisions | None:
        """Find the highest-scoring derivation of a sentence.

        Args:
            scored: A single sentence.

        Returns:
            The derivation; None if trees are built without transitions.
        """
        return None

    def begin_training(self, net: NetT, gold: Iterable[GoldBatch]) -> list[str]:
        """Reset everything that depends on the training.

        Args:
            net: The network, with new weights.
            gold: All gold trees. Iterating over them raises ValueError if a tree cannot be read.

        Returns:
            Messages about gold trees that the parser cannot learn from.
        """
        for _ in gold:
            pass
        return []

    def end_update(self, net: NetT) -> None:
        """Note an update of the weights.

        Args:
            net: The network.
        """

    def report(self) -> list[str]:
        """Report what could not be done since the last report."""
        return []


def selected_heads(scored: ScoredBatch[Any], temperature: float) -> Floats:
    """Compute the probabilities with which each word selects its head among all words.

    Args:
        scored: The sentences.
        temperature: The temperature that scores are divided by.

    Returns:
        float32 [n_sentences, size, size], as `Search.head_probabilities`.
    """
    selected = (scored.arcs / temperature).softmax(dim=2).cpu().numpy()
    # Neither the root nor padding has a head.
    size = np.arange(selected.shape[1])
    is_word = (size > 0) & (size <= scored.sentences.lengths[:, None])
    return np.where(is_word[:, :, None], selected, np.float32(0.0))


def keep_allowed(
    found: Found,
    search: Search[NetT],
    scored: ScoredBatch[NetT],
    allowed: Mapping[int, AllowedTrees],
) -> list[int]:
    """Replace trees by the highest-scoring ones that are allowed.

    If the best tree of a sentence is allowed, it remains, together with all other allowed trees
    that were found. Otherwise the sentence is searched again.

    Args:
        found: The trees that the search found without regard to what is allowed, changed in place.
        search: The search.
        scored: The sentences.
        allowed: The allowed trees, by the number of the sentence. In other sentences, all are
            allowed.

    Returns:
        The numbers of the sentences for which the search can build no allowed tree. They keep their
        trees.
    """
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
    return failed


def best_heads_by_arcs(
    arcs: NDArray[np.float32], allowed: AllowedTrees
) -> NDArray[np.int32] | None:
    """Find the highest-scoring allowed spanning tree of a sentence, by the scores of arcs alone.

    Args:
        arcs: [size, size], where size is at least n_words + 1, the scores of arcs: that from head h
            to word d at [d, h].
        allowed: The allowed trees.

    Returns:
        int32 [n_words], the heads; None if there is no such tree.
    """
    size = len(allowed.arcs)
    tree = best_allowed_tree(allowed, spanning_trees(arcs[:size, :size]))
    return None if tree is None else tree.heads
