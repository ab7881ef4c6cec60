"""MH3 and MH4: the search for the highest-scoring derivation with multi-headed items.

Source: Gómez-Rodríguez, Shi and Lee (2018), with the deduction system of section 3.1 and the scores
of section 4.2.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from spacy_npparse.decoding import (
    MHDerivations,
    decode_mh,
    decode_mh_greedily,
    mh_marginals,
)
from spacy_npparse.models.mh_net import N_LINKS, MHNet, MHPartFactors, MHPartScores
from spacy_npparse.models.upload import upload
from spacy_npparse.parsing.batch import Bools, Found, ScoredBatch, SentenceBatch
from spacy_npparse.parsing.exact import Parts
from spacy_npparse.parsing.gold import GoldBatch
from spacy_npparse.parsing.search import Floats
from spacy_npparse.parsing.settings import MHFeatures
from spacy_npparse.systems import get_transition_system
from spacy_npparse.transitions import Decisions

_GREEDY = "greedy search: the sentence exceeds max_length"


class MHParts(Parts[MHNet, MHPartScores, MHDerivations]):
    """The transitions of a derivation, scored by pairs of nodes of a configuration.

    The confidence in an arc is its marginal probability: the share of the partition function that
    belongs to derivations with the arc. Computing it takes about twenty times as long as the
    search. A tree counts once for each of its derivations. Neither loss maximises the probability
    of whole derivations, so without a temperature the confidence only ranks arcs. The
    log-likelihood is that of each transition of the gold derivation, if all heads of the sentence
    are known.

    Args:
        n_heads: The maximum number of heads in an item: 3 (projective trees) or 4.
        features: The words that score transitions: "two" (s0 and b0), or "hybrid" (s1 as well).
    """

    net_class = MHNet

    def __init__(self, n_heads: int, features: MHFeatures):
        self.n_heads = n_heads
        self.uncovered = f"have no derivation in mh{n_heads}"
        self._features = features
        # The transitions of MH3 are the first three of those of MH4.
        self._n_transitions = 1 + N_LINKS if n_heads == 4 else 3

    @property
    def net_sizes(self) -> dict[str, int]:
        return {"hybrid": self._features == "hybrid"}

    def score(self, scored: ScoredBatch[MHNet]) -> MHPartScores:
        return scored.net.score_parts(scored.rows, scored.lengths, scored.arcs)

    def zeros(self, n_sentences: int, size: int, device: torch.device) -> MHPartScores:
        zeros = torch.zeros((n_sentences, size + 1, size + 1), device=device)
        links = zeros[:, None].expand(-1, N_LINKS, -1, -1)
        return MHPartScores(zeros, links, links, zeros)

    def best(self, scores: MHPartScores, lengths: NDArray[np.int32]) -> MHDerivations:
        return decode_mh(scores.as_arrays(), lengths, self.n_heads)

    def found(self, sentences: SentenceBatch, scores: MHPartScores, trees: MHDerivations) -> Found:
        return Found(trees.heads[None], trees.scores[None])

    def total(
        self, scored: ScoredBatch[MHNet], scores: MHPartScores, trees: MHDerivations
    ) -> Tensor:
        return _chosen(self.score_transitions(scored, scores, trees), trees).sum()

    def local_loss(
        self, scored: ScoredBatch[MHNet], scores: MHPartScores, gold: GoldBatch
    ) -> Tensor:
        right = self.most_similar(scores, gold, gold.wrong_arcs(scored.arcs.device))
        by_transition = self.score_transitions(scored, scores, right).log_softmax(dim=1)
        # Otherwise the parser would learn its own guesses of unknown heads.
        learnt = np.flatnonzero(np.repeat(gold.complete, 2 * gold.sentences.lengths))
        chosen = _chosen(by_transition, right)
        return -chosen.index_select(0, upload(learnt, chosen.device)).sum()

    def covers(self, gold: GoldBatch) -> Bools:
        return self.nearest(gold).scores >= 0

    def marginals(self, scores: MHPartScores, lengths: NDArray[np.int32]) -> Floats:
        size = int(lengths.max()) + 1
        found = mh_marginals(scores.as_arrays(), lengths, self.n_heads)
        return found.arcs.swapaxes(1, 2)[:, :size, :size]

    def derive(self, scored: ScoredBatch[MHNet], *, normalised: bool) -> Decisions:
        scores = self.score(scored)
        found = self.best(scores, scored.sentences.lengths)
        how = "exact search" if self.n_heads == 4 else "exact search, items of three heads"
        return self.decisions(scored, scores, found, how, normalised)

    def decisions(
        self,
        scored: ScoredBatch[MHNet],
        scores: MHPartScores | MHPartFactors,
        found: MHDerivations,
        search: str,
        normalised: bool,
    ) -> Decisions:
        """Describe the derivation of a sentence.

        Args:
            scored: The sentence.
            scores: The scores of the sentence, or their factors.
            found: The derivation.
            search: The name of the search that found the derivation.
            normalised: Whether transitions were trained as probabilities.
        """
        system = get_transition_system("mh4")
        names = system.transitions[: self._n_transitions]
        by_transition = self.score_transitions(scored, scores, found).tolist()
        return Decisions(
            system=system,
            oracle=system.oracles[0],
            transitions=[names[t] for t in found.transitions.tolist()],
            scores=[dict(zip(names, row, strict=True)) for row in by_transition],
            search=search,
            normalised=normalised,
        )

    def score_transitions(
        self,
        scored: ScoredBatch[MHNet],
        scores: MHPartScores | MHPartFactors,
        found: MHDerivations,
    ) -> Tensor:
        """Score all transitions in each configuration of some derivations.

        Args:
            scored: The sentences.
            scores: The scores of the sentences, or their factors.
            found: The derivations.

        Returns:
            [2 * n_words, n_transitions], the scores.
        """
        by_transition = scored.net.score_derivations(scores, scored.lengths, found)
        return by_transition[:, : self._n_transitions]


class GreedyMH:
    """Greedy search with MH3 or MH4, for sentences whose tables would be too large.

    Args:
        parts: The parts that score transitions.
        normalised: Whether transitions were trained as probabilities.

    Attributes:
        how: The phrase for this search in warnings.
    """

    how = "greedily"

    def __init__(self, parts: MHParts, *, normalised: bool):
        self._parts = parts
        self._normalised = normalised

    def best(self, scored: ScoredBatch[MHNet]) -> Found:
        """Find a tree for each sentence.

        Args:
            scored: The sentences.
        """
        _, found = self._search(scored)
        return Found(found.heads[None], found.scores[None])

    def derive(self, scored: ScoredBatch[MHNet]) -> Decisions:
        """Find a derivation of a sentence.

        Args:
            scored: The sentence.
        """
        factors, found = self._search(scored)
        return self._parts.decisions(scored, factors, found, _GREEDY, self._normalised)

    def _search(self, scored: ScoredBatch[MHNet]) -> tuple[MHPartFactors, MHDerivations]:
        factors = scored.net.factor_parts(scored.rows, scored.lengths, scored.arcs)
        lengths = scored.sentences.lengths
        return factors, decode_mh_greedily(factors.as_arrays(), lengths, self._parts.n_heads)


def _chosen(by_transition: Tensor, found: MHDerivations) -> Tensor:
    """Select the scores of the transitions taken: [2 * n_words]."""
    transitions = upload(found.transitions, by_transition.device).long()
    return by_transition.gather(1, transitions[:, None])[:, 0]
