"""MH3 and MH4: the highest-scoring derivation with multi-headed items."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from spacy.vocab import Vocab
from thinc.api import Model
from torch import Tensor

from spacy_npparse.components.chart_parser import ChartParser, select
from spacy_npparse.components.gold import GoldBatch
from spacy_npparse.components.search import Found
from spacy_npparse.components.sentences import SentenceBatch
from spacy_npparse.components.settings import DecoderSettings, MHFeatures, Sentences, TreeLoss
from spacy_npparse.decoding import (
    MHDerivations,
    decode_mh,
    decode_mh_greedily,
    mh_marginals,
)
from spacy_npparse.models.mh_net import N_LINKS, MHNet, MHPartFactors, MHPartScores
from spacy_npparse.systems import get_transition_system
from spacy_npparse.transitions import Decisions


class MHParser(ChartParser[MHNet, MHPartScores, MHDerivations]):
    """Parses with MH3 or MH4: exact search over all derivations.

    Sentences longer than `max_length` are parsed greedily.

    The confidence in an arc is its marginal probability: the share of the partition function that
    belongs to derivations with the arc. It takes about twenty times as long as the search. A tree
    counts as often as it has derivations. Neither loss maximises the probability of whole
    derivations, so that without a temperature confidences only tell which arcs are less certain
    than others. In sentences longer than `max_length`, the confidence is the probability of the
    head among all words.

    Args:
        vocab: Of the pipeline.
        model: See `spacy_npparse.Parser.v1`.
        name: Of the component in the pipeline.
        n_heads: Heads of the largest items: 3 (projective trees) or 4.
        features: The words that transitions are scored by: "two" (s0, b0), or "hybrid" (s1 too).
        loss: "margin", see `ExactParser`; or "log-likelihood" of each transition of the gold
            derivation, if all heads of the sentence are known.
        max_length: Words of the longest sentence that is searched exactly.
        sentences: See `DependencyParser`.
        decoder: Only the confidence counts.
        scorer: Computes the scores of `nlp.evaluate`.

    Source: Gómez-Rodríguez, Shi and Lee (2018): the deduction system of section 3.1, decoded with
        the scores of section 4.2.
    """

    net_class = MHNet
    fallback = "greedily"

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        *,
        n_heads: int,
        features: MHFeatures,
        loss: TreeLoss,
        max_length: int,
        sentences: Sentences,
        decoder: DecoderSettings,
        scorer: Callable[..., dict[str, Any]] | None,
    ):
        super().__init__(
            vocab,
            model,
            name,
            system_name=f"mh{n_heads}",
            loss=loss,
            max_length=max_length,
            sentences=sentences,
            decoder=decoder,
            fixed={"pseudo_projective": None, "search": "exact", "features": features},
            scorer=scorer,
        )
        self.n_heads = n_heads
        # The transitions of MH3 are the first three of MH4.
        self._n_transitions = 1 + N_LINKS if n_heads == 4 else 3
        self.uncovered = f"have no derivation in {self.system_name}"

    def _net_sizes(self) -> dict[str, int]:
        return {"hybrid": self.cfg["features"] == "hybrid"}

    def _search_chart(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor, sentences: SentenceBatch
    ) -> Found:
        scores = self._score_parts(rows, lengths, arcs)
        return self._found(self._best(scores, sentences), scores, lengths)

    def _found(self, trees: MHDerivations, scores: MHPartScores, lengths: Tensor) -> Found:
        return Found(trees.heads[None], trees.scores[None])

    def _fall_back(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor, sentences: SentenceBatch
    ) -> Found:
        factors = self._net.factor_parts(rows, lengths, arcs)
        found = self._best_greedy(factors, sentences)
        return Found(found.heads[None], found.scores[None])

    def _head_probabilities(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor, sentences: SentenceBatch
    ) -> NDArray[np.float32]:
        probabilities = super()._head_probabilities(rows, lengths, arcs, sentences)
        exact = sentences.lengths <= self.max_length
        if exact.any():
            scores = self._score_parts(*select(rows, lengths, arcs, exact))
            scores = scores.divided_by(self.temperatures.heads)
            marginals = mh_marginals(scores.as_arrays(), sentences.lengths[exact], self.n_heads)
            size = int(sentences.lengths[exact].max()) + 1
            probabilities[exact, :size, :size] = marginals.arcs.swapaxes(1, 2)[:, :size, :size]
        return probabilities

    def _derive(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor, sentences: SentenceBatch
    ) -> Decisions:
        exact = sentences.lengths[0] <= self.max_length
        scores: MHPartScores | MHPartFactors
        if exact:
            scores = self._score_parts(rows, lengths, arcs)
            found = self._best(scores, sentences)
        else:
            scores = self._net.factor_parts(rows, lengths, arcs)
            found = self._best_greedy(scores, sentences)
        system = get_transition_system("mh4")
        names = system.transitions[: self._n_transitions]
        by_transition = self._score_transitions(scores, lengths, found).tolist()
        how = "exact search" if self.n_heads == 4 else "exact search, items of three heads"
        return Decisions(
            system=system,
            oracle=system.oracles[0],
            transitions=[names[t] for t in found.transitions.tolist()],
            scores=[dict(zip(names, row, strict=True)) for row in by_transition],
            search=how if exact else "greedy search: the sentence exceeds max_length",
            normalised=self.loss == "log-likelihood",
        )

    def _score_parts(self, rows: Tensor, lengths: Tensor, arcs: Tensor) -> MHPartScores:
        return self._net.score_parts(rows, lengths, arcs)

    def _zero_scores(self, n_sentences: int, size: int) -> MHPartScores:
        nodes = (n_sentences, size + 1, size + 1)
        zeros = torch.zeros(nodes, device=self._net.root.device)
        links = zeros[:, None].expand(-1, N_LINKS, -1, -1)
        return MHPartScores(zeros, links, links, zeros)

    def _add_to_arcs(self, scores: MHPartScores, costs: Tensor) -> MHPartScores:
        return scores.add_to_arcs(costs)

    def _best(self, scores: MHPartScores, sentences: SentenceBatch) -> MHDerivations:
        return decode_mh(scores.as_arrays(), sentences.lengths, self.n_heads)

    def _best_greedy(self, factors: MHPartFactors, sentences: SentenceBatch) -> MHDerivations:
        return decode_mh_greedily(factors.as_arrays(), sentences.lengths, self.n_heads)

    def _total(self, scores: MHPartScores, lengths: Tensor, found: MHDerivations) -> Tensor:
        by_transition = self._score_transitions(scores, lengths, found)
        return _chosen(by_transition, found).sum()

    def _local_loss(self, scores: MHPartScores, lengths: Tensor, gold: GoldBatch) -> Tensor:
        right = self._most_similar(scores, gold)
        probabilities = self._score_transitions(scores, lengths, right).log_softmax(dim=1)
        # What is unknown would be learnt as it was guessed.
        complete = torch.from_numpy(gold.complete).to(lengths.device)
        learnt = torch.repeat_interleave(complete, 2 * lengths)
        return -_chosen(probabilities, right)[learnt].sum()

    def _score_transitions(
        self, scores: MHPartScores | MHPartFactors, lengths: Tensor, found: MHDerivations
    ) -> Tensor:
        """Scores of the parser's transitions in each configuration of some derivations:
        [2 * n_words, n_transitions]."""
        return self._net.score_derivations(scores, lengths, found)[:, : self._n_transitions]


def _chosen(by_transition: Tensor, found: MHDerivations) -> Tensor:
    """The scores of the transitions taken: [2 * n_words]."""
    transitions = torch.from_numpy(found.transitions).to(by_transition.device).long()
    return by_transition.gather(1, transitions[:, None])[:, 0]
