"""Parsers that find the best of all derivations with multi-headed items."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from spacy.vocab import Vocab
from thinc.api import Model
from torch import Tensor

from spacy_npparse.components.chart_parser import ChartParser
from spacy_npparse.components.gold import FORBIDDING, GoldBatch
from spacy_npparse.components.search import Found
from spacy_npparse.components.sentences import SentenceBatch
from spacy_npparse.components.settings import DecoderSettings
from spacy_npparse.decoding import MHDerivations, MHScores, decode_mh, mh_marginals
from spacy_npparse.models.mh_net import N_LINKS, PairScores, mh_scores
from spacy_npparse.models.parser_net import sentences_and_words
from spacy_npparse.systems import get_transition_system
from spacy_npparse.transitions import Decisions


class MHParser(ChartParser):
    """Parses with MH3 or MH4: exact search over all derivations.

    Longer sentences than `max_length` are parsed greedily.

    The confidence in an arc is its marginal probability: how much of the sum of e^score over all
    derivations is theirs that build the arc, found in about twenty times the time of the search. A
    tree counts as often as it has derivations. Neither loss teaches how probable whole derivations
    are: the numbers are not calibrated, but tell which arcs are less sure than others. In sentences
    longer than `max_length`, the confidence is the probability of the head among all words.

    Args:
        vocab, model, name, max_length, scorer: see `ChartParser`.
        n_heads: heads of the largest items: 3 (projective trees) or 4.
        features: "hybrid" or "two", the words that transitions are scored by.
        loss: "margin" of the right derivation over all others, each wrong arc counting 1; or
            "log-likelihood" of each transition of the right derivation by itself, unless the tree
            is known in part only.
        decoder: only the confidence counts.

    Source: Gómez-Rodríguez, Shi and Lee (2018).
    """

    fallback = "greedily"

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        *,
        n_heads: int,
        features: str,
        loss: str,
        max_length: int,
        decoder: DecoderSettings,
        scorer: Callable[..., dict[str, Any]] | None,
    ):
        super().__init__(
            vocab,
            model,
            name,
            system_name=f"mh{n_heads}",
            max_length=max_length,
            decoder=decoder,
            fixed={"pseudo_projective": None, "search": "exact", "features": features},
            scorer=scorer,
        )
        self.n_heads = n_heads
        # With items of three heads the first transitions are all.
        self._n_transitions = 1 + N_LINKS if n_heads == 4 else 3
        self.loss = loss
        self.uncovered = f"have no derivation in {self.system_name}"

    def _net_sizes(self) -> dict[str, Any]:
        return {"scorer": "chart", "hybrid": self.cfg["features"] == "hybrid"}

    def _search(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor, sentences: SentenceBatch
    ) -> Found:
        scores = self._net.score_pairs(rows, lengths, arcs)
        found = self._best(scores, sentences)
        self._count_long(sentences)
        sentence, word = sentences_and_words(lengths)
        heads = torch.from_numpy(found.heads).to(arcs.device).long()
        probabilities = arcs[sentence, word, heads].exp().cpu().numpy()
        if self.decoder.confidence:
            exact = sentences.lengths <= self.max_length
            part, words = sentences.select(exact), exact[sentences.sentence]
            tables = MHScores(*(table[exact] for table in mh_scores(scores)))
            marginals = mh_marginals(tables, part.lengths, self.n_heads).arcs
            probabilities[words] = marginals[part.sentence, found.heads[words], part.places]
        return Found(found.heads[None], found.scores[None], probabilities)

    def _derive(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor, sentences: SentenceBatch
    ) -> Decisions:
        scores = self._net.score_pairs(rows, lengths, arcs)
        found = self._best(scores, sentences)
        system = get_transition_system("mh4")
        names = system.transitions[: self._n_transitions]
        by_transition = self._by_transition(scores, lengths, found).tolist()
        how = "exact search" if self.n_heads == 4 else "exact search, items of three heads"
        exact = sentences.lengths[0] <= self.max_length
        return Decisions(
            system=system,
            oracle=system.oracles[0],
            transitions=[names[t] for t in found.transitions.tolist()],
            scores=[dict(zip(names, row, strict=True)) for row in by_transition],
            search=how if exact else "greedy search: the sentence exceeds max_length",
            normalised=self.loss == "log-likelihood",
        )

    def _best(self, scores: PairScores, sentences: SentenceBatch) -> MHDerivations:
        """The best derivations; greedy ones where exact search would take too long."""
        tables = mh_scores(scores)
        return decode_mh(tables, sentences.lengths, self.n_heads, max_length=self.max_length)

    def _tree_loss(self, rows: Tensor, lengths: Tensor, arcs: Tensor, gold: GoldBatch) -> Tensor:
        scores = self._net.score_pairs(rows, lengths, arcs)
        wrong = _of_nodes(gold.wrong_arcs(arcs.shape[1])).to(arcs.device)
        right = self._best(scores._replace(arcs=scores.arcs - FORBIDDING * wrong), gold.sentences)
        heads = torch.from_numpy(gold.heads).to(arcs.device).long()
        loss = self._net.head_selection_loss(arcs, lengths, heads)
        if self.loss == "log-likelihood":
            # What is not known would be taught as it was guessed.
            complete = torch.from_numpy(gold.complete).to(arcs.device)
            probabilities = self._by_transition(scores, lengths, right).log_softmax(dim=1)
            return loss - self._total(probabilities, lengths, right, counted=complete)
        scores = scores._replace(arcs=scores.arcs + wrong)
        best = self._best(scores, gold.sentences)
        best_score, right_score = (
            self._total(self._by_transition(scores, lengths, found), lengths, found)
            for found in (best, right)
        )
        return loss + best_score - right_score

    def _by_transition(self, scores: PairScores, lengths: Tensor, found: MHDerivations) -> Tensor:
        """The scores of all transitions that the parser has, in each configuration of some
        derivations: [2 * n_words, n_transitions]."""
        scored: Tensor = self._net.score_derivations(scores, lengths, found)
        return scored[:, : self._n_transitions]

    def _total(
        self,
        by_transition: Tensor,
        lengths: Tensor,
        found: MHDerivations,
        counted: Tensor | None = None,
    ) -> Tensor:
        """The score of all derivations together, but for those of sentences that are too long.

        by_transition: see `_by_transition`; counted: bool [n_sentences], which count at all.
        """
        short = lengths <= self.max_length
        counted = short if counted is None else short & counted
        transitions = torch.from_numpy(found.transitions).to(lengths.device).long()
        chosen = by_transition.gather(1, transitions[:, None])[:, 0]
        return chosen[torch.repeat_interleave(counted, 2 * lengths)].sum()

    def _covers(self, gold: GoldBatch) -> NDArray[np.bool_]:
        wrong = _of_nodes(gold.wrong_arcs(int(gold.sentences.lengths.max()) + 1))
        links = wrong.new_zeros(1).expand(len(wrong), N_LINKS, *wrong.shape[1:])
        scores = PairScores(torch.zeros_like(wrong), links, links, -wrong)
        return self._best(scores, gold.sentences).scores >= 0


def _of_nodes(wrong: NDArray[np.float32]) -> Tensor:
    """Wrong arcs by head and dependent, the end of the sentence being a node too."""
    return torch.nn.functional.pad(torch.from_numpy(wrong).mT, (0, 1, 0, 1))
