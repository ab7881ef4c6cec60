"""A limit on the length of sentences for exact search, and the fallback for longer ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, Protocol

import numpy as np
from torch import Tensor

from spacy_npparse.decoding import AllowedTrees
from spacy_npparse.parsing.batch import Bools, Found, Ints, NetT, ScoredBatch
from spacy_npparse.parsing.exact import ExactSearch, ScoresT, TreesT
from spacy_npparse.parsing.gold import GoldBatch
from spacy_npparse.parsing.search import (
    Floats,
    RestrictedSearch,
    Search,
    best_heads_by_arcs,
)
from spacy_npparse.transitions import Decisions


class Fallback(Protocol[NetT]):
    """A search for sentences that are too long for exact search. It needs no tables larger than
    that of arcs.

    Attributes:
        how: The phrase for this search in warnings.
    """

    how: str

    def best(self, scored: ScoredBatch[NetT]) -> Found:
        """Find the highest-scoring trees, see `Search.best`."""

    def derive(self, scored: ScoredBatch[NetT]) -> Decisions | None:
        """Find the highest-scoring derivation of a sentence, see `Search.derive`."""


class LengthLimited(Search[NetT], Generic[NetT, ScoresT, TreesT]):
    """Exact search with a limit on length.

    Longer sentences are parsed by a fallback, or under constraints by the scores of arcs alone. In
    training, they contribute only the losses of head selection and of labels. The confidence of
    their words is the probability of each head among all words.

    Args:
        search: The exact search.
        fallback: The search for longer sentences.
        max_length: The maximum number of words in exact search.
    """

    def __init__(
        self,
        search: ExactSearch[NetT, ScoresT, TreesT],
        fallback: Fallback[NetT],
        max_length: int,
    ):
        self.net_class = search.net_class
        self.decoder = search.decoder
        self.exact = search
        self.max_length = max_length
        search.parts.most_words = min(search.parts.most_words, max_length)
        self._fallback = fallback
        self._n_too_long = 0

    @property
    def net_sizes(self) -> dict[str, int]:
        return self.exact.net_sizes

    def best(self, scored: ScoredBatch[NetT]) -> Found:
        too_long = scored.sentences.lengths > self.max_length
        if not too_long.any():
            return self.exact.best(scored)
        self._n_too_long += int(too_long.sum())
        found = Found.none(1, scored.sentences)
        if not too_long.all():
            found.put(scored.sentences, ~too_long, self.exact.best(scored.select(~too_long)))
        found.put(scored.sentences, too_long, self._fallback.best(scored.select(too_long)))
        return found

    def best_allowed(self, scored: ScoredBatch[NetT], allowed: AllowedTrees) -> Found | None:
        if scored.sentences.lengths[0] <= self.max_length:
            return self.exact.best_allowed(scored, allowed)
        heads = best_heads_by_arcs(scored.arcs[0].cpu().numpy(), allowed)
        return None if heads is None else Found.by_arcs(scored.sentences, heads, scored.arcs)

    def restricted(self, scored: ScoredBatch[NetT]) -> RestrictedSearch | None:
        exact = scored.sentences.lengths <= self.max_length
        if not exact.any():
            return None
        search = self.exact.restricted(scored.select(exact))
        places = np.cumsum(exact) - 1

        def limited(numbers: Ints, forbidden: Bools) -> Found:
            # Scores of the fallback are not comparable, so trees of long sentences are not searched
            # again.
            found = Found.none(1, scored.sentences.take(numbers))
            chosen = exact[numbers]
            if chosen.any():
                part = search(places[numbers[chosen]], forbidden[chosen])
                found.put(scored.sentences.take(numbers), chosen, part)
            return found

        return limited

    def loss(self, scored: ScoredBatch[NetT], gold: GoldBatch) -> Tensor:
        learnt = gold.sentences.lengths <= self.max_length
        if learnt.all():
            return self.exact.loss(scored, gold)
        if not learnt.any():
            return scored.rows.new_zeros(())
        return self.exact.loss(scored.select(learnt), gold.select(learnt))

    def head_probabilities(self, scored: ScoredBatch[NetT], temperature: float) -> Floats:
        return self.exact.head_probabilities(scored, temperature)

    def derive(self, scored: ScoredBatch[NetT]) -> Decisions | None:
        if scored.sentences.lengths[0] <= self.max_length:
            return self.exact.derive(scored)
        return self._fallback.derive(scored)

    def begin_training(self, net: NetT, gold: Iterable[GoldBatch]) -> list[str]:
        n_trees = n_uncovered = n_too_long = 0
        for batch in gold:
            for part in batch.parts():
                too_long = part.sentences.lengths > self.max_length
                n_trees += len(too_long)
                n_too_long += int(too_long.sum())
                unclear = part.select(~(too_long | part.projective))
                n_uncovered += int((~self.exact.parts.covers(unclear)).sum())
        warnings = []
        if n_uncovered:
            warnings.append(
                f"{n_uncovered} of {n_trees} training trees {self.exact.parts.uncovered}. The most "
                "similar trees that it can build are learnt instead."
            )
        if n_too_long:
            warnings.append(
                f"{n_too_long} of {n_trees} training trees have more than {self.max_length} words "
                "(max_length). They teach heads and labels only."
            )
        return warnings

    def report(self) -> list[str]:
        n_too_long, self._n_too_long = self._n_too_long, 0
        if not n_too_long:
            return []
        return [
            f"{n_too_long} sentences have more than {self.max_length} words (max_length) and were "
            f"parsed {self._fallback.how}."
        ]
