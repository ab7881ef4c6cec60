"""Transition-based parsing with greedy search or beam search."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import numpy as np
from torch import Tensor

from spacy_npparse.decoding import (
    AllowedTrees,
    BeamResult,
    decode_beam,
    decode_greedy,
    derivable_trees,
    explain,
    max_violations,
    roll_out,
    score_trees,
)
from spacy_npparse.models.losses import LOSSES, max_violation_loss
from spacy_npparse.models.parser_net import Progress
from spacy_npparse.models.transition_net import TransitionNet
from spacy_npparse.models.upload import upload
from spacy_npparse.parsing.batch import Found, ScoredBatch, SentenceBatch
from spacy_npparse.parsing.gold import GoldBatch
from spacy_npparse.parsing.search import Search
from spacy_npparse.parsing.settings import MAX_VIOLATION, DecoderSettings, TransitionSettings
from spacy_npparse.transitions import Decisions, TransitionSystem, derivable

# Under constraints, this number is added to the log-probabilities of the arcs in the tree that was
# found without constraints.
_WEIGHT_OF_OWN_ARCS = 1.0
# The margin by which the gold derivation should outscore another one, for each wrong arc.
_MARGIN = 1.0


class TransitionSearch(Search[TransitionNet]):
    """Greedy search or beam search with a transition system.

    If the tree of a sentence is not allowed, the search finds the best allowed tree that the system
    derives, by the log-probabilities of arcs, with a bonus for the arcs of the original tree; see
    `derivable_trees`. If several trees are wanted, the best trees by arcs are ranked by the scores
    of their derivations, like those of a beam.

    Args:
        system: The transition system.
        settings: The settings of the search and its training.
        pseudo_projective: Whether trees are pseudo-projective, which derivations state.

    Attributes:
        decoder: The settings of the search.
    """

    net_class = TransitionNet
    decoder: DecoderSettings

    def __init__(
        self,
        system: TransitionSystem,
        settings: TransitionSettings,
        *,
        pseudo_projective: bool = False,
    ):
        self.system = system
        self.settings = settings
        self.decoder = settings.decoder
        self._pseudo_projective = pseudo_projective

    @property
    def net_sizes(self) -> dict[str, int]:
        return dict(
            n_positions=self.system.kernel.n_positions,
            n_candidate_arcs=self.system.kernel.n_candidate_arcs,
            n_transitions=self.system.kernel.n_transitions,
        )

    def best(self, scored: ScoredBatch[TransitionNet]) -> Found:
        net, lengths = scored.net, scored.sentences.lengths
        tables = net.tables(net.project(scored.rows), scored.arcs)
        width = self.decoder.beam_width
        if width == 1:
            # Greedy search has no score of the tree.
            heads = decode_greedy(self.system.kernel, tables, lengths).heads
            return Found(heads[None], np.zeros((1, len(lengths))))
        normalised = net.progress.normalised
        beam = decode_beam(self.system.kernel, tables, lengths, width, normalised)
        return _ranked(beam, scored.sentences, self.decoder.n_trees)

    def best_allowed(
        self, scored: ScoredBatch[TransitionNet], allowed: AllowedTrees
    ) -> Found | None:
        scores = scored.arcs[0].cpu().numpy().copy()
        free = self.best(scored).heads[0]
        scores[np.arange(1, len(scores)), free] += _WEIGHT_OF_OWN_ARCS
        ranked = derivable_trees(self.system.kernel, allowed, scores)
        trees = [tree.heads for tree in islice(ranked, self.decoder.n_trees)]
        if not trees:
            return None
        heads = np.stack(trees)
        if self.decoder.beam_width == 1:
            return Found(heads, np.zeros((len(heads), 1)))
        net = scored.net
        tables = net.tables(net.project(scored.rows), scored.arcs)
        totals = score_trees(self.system.kernel, tables, heads, net.progress.normalised)
        ranks = np.argsort(-totals, kind="stable")
        return Found(heads[ranks], totals[ranks, None])

    def loss(self, scored: ScoredBatch[TransitionNet], gold: GoldBatch) -> Tensor:
        """Compute the loss of the configurations in a roll-out, which are scored at once, or of the
        derivations on a beam.

        Args:
            scored: The sentences.
            gold: The gold trees of the sentences.
        """
        net, arcs = scored.net, scored.arcs
        table = net.project(scored.rows)
        sentences = (net.tables(table, arcs), gold.sentences.lengths, gold.heads)
        kernel, settings = self.system.kernel, self.settings
        if settings.loss == MAX_VIOLATION:
            width = self.decoder.beam_width
            found = max_violations(kernel, settings.oracle, *sentences, width, _MARGIN)
            return max_violation_loss(net.score(table, arcs, found), found)
        exploration = settings.exploration_at(net.progress.n_updates)
        seed = int(np.random.randint(2**31))
        visited = roll_out(kernel, settings.oracle, *sentences, exploration, seed)
        costs = upload(visited.costs, table.device)
        return LOSSES[settings.loss](net.score(table, arcs, visited), costs)

    def derive(self, scored: ScoredBatch[TransitionNet]) -> Decisions:
        net = scored.net
        tables = net.tables(net.project(scored.rows), scored.arcs)
        width, normalised = self.decoder.beam_width, net.progress.normalised
        n_words = int(scored.sentences.lengths[0])
        found = explain(self.system.kernel, tables, n_words, width, normalised)
        names = self.system.transitions
        search = "greedy search" if width == 1 else f"a beam of {width}"
        if self._pseudo_projective:
            search += ", pseudo-projective: ↑ marks arcs that are moved in the end"
        return Decisions(
            system=self.system,
            oracle=self.settings.oracle,
            transitions=[names[t] for t in found.transitions],
            scores=[dict(zip(names, row, strict=True)) for row in found.scores.tolist()],
            search=search,
            normalised=normalised,
        )

    def begin_training(self, net: TransitionNet, gold: Iterable[GoldBatch]) -> list[str]:
        """Begin training, see `Search.begin_training`. The messages count the gold trees that a
        static oracle cannot derive."""
        net.progress = Progress(normalised=self.settings.loss != MAX_VIOLATION)
        if self.system.kernel.oracle(self.settings.oracle).explores:
            return super().begin_training(net, gold)
        n_trees = n_derivable = 0
        for batch in gold:
            found = derivable(self.system.kernel, batch.sentences.lengths, batch.heads)
            n_trees += len(found)
            n_derivable += int(found.sum())
        if n_derivable == n_trees:
            return []
        return [
            f"{n_trees - n_derivable} of {n_trees} training trees have no derivation in "
            f"{self.system.name}. With the oracle {self.settings.oracle!r} they teach heads and "
            "labels, but no transitions."
        ]

    def end_update(self, net: TransitionNet) -> None:
        n_updates = net.progress.n_updates + 1
        net.progress = Progress(n_updates, normalised=self.settings.loss != MAX_VIOLATION)


def _ranked(beam: BeamResult, sentences: SentenceBatch, n_trees: int) -> Found:
    """Select the best trees of a beam."""
    found = Found.none(n_trees, sentences)
    for sentence, words in enumerate(sentences.slices()):
        scores = beam.joint_scores[:, sentence]
        ranks = np.argsort(-scores, kind="stable")[: np.isfinite(scores).sum()]
        ranks = ranks[:n_trees]
        found.heads[: len(ranks), words] = beam.heads[ranks, words]
        found.scores[: len(ranks), sentence] = scores[ranks]
    return found
