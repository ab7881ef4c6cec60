"""Parsers that search greedily or with a beam, one for each transition system."""

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy
import torch
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model, Optimizer
from torch import Tensor

from ..decoding import explain, max_violations, roll_out
from ..models.losses import LOSSES, max_violation_loss
from ..transitions import Decisions, TransitionSystem, derivable
from .dependency_parser import DependencyParser
from .gold import GoldBatch
from .search import Found, search
from .sentences import SentenceBatch
from .settings import MAX_VIOLATION, DecoderSettings, TrainingSettings

logger = logging.getLogger(__name__)

# By how much right derivations should score higher than others, for each wrong arc of these.
_MARGIN = 1.0


class TransitionParser(DependencyParser):
    """Parses with a transition system.

    Args:
        vocab, model, name, scorer: see `DependencyParser`.
        system_name: of the transition system in the registry.
        system: the compiled transition system.
        settings: how it is trained.
        decoder: how it searches.
        fixed: see `DependencyParser`.
    """

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        *,
        system_name: str,
        system: Any,
        settings: TrainingSettings,
        decoder: DecoderSettings,
        fixed: Mapping[str, Any],
        scorer: Callable[..., dict[str, Any]] | None,
    ):
        super().__init__(
            vocab,
            model,
            name,
            system_name=system_name,
            decoder=decoder,
            fixed=fixed,
            scorer=scorer,
        )
        self.system = system
        self.settings = settings
        # Whether derivations are scored by their probability: by how it was trained last.
        self.cfg["normalised"] = settings.loss != MAX_VIOLATION
        self._n_updates = 0

    def _begin_training(self, gold: Iterable[GoldBatch]) -> None:
        self._n_updates = 0
        if self.system.oracle(self.settings.oracle).explores:
            super()._begin_training(gold)
        else:
            self._report_underivable(gold)

    def _net_sizes(self) -> dict[str, Any]:
        return dict(
            scorer="transitions",
            n_positions=self.system.n_positions,
            n_candidate_arcs=self.system.n_candidate_arcs,
            n_transitions=self.system.n_transitions,
        )

    def _report_underivable(self, gold: Iterable[GoldBatch]) -> None:
        """Warn if there are gold trees that teach a static oracle's parser no transitions."""
        n_trees = n_derivable = 0
        for batch in gold:
            found = derivable(self.system, batch.sentences.lengths, batch.heads)
            n_trees += len(found)
            n_derivable += int(found.sum())
        if n_derivable < n_trees:
            logger.warning(
                "%s: %d of %d training trees have no derivation in %s. With the oracle %r they "
                "teach heads and labels, but no transitions.",
                self.name,
                n_trees - n_derivable,
                n_trees,
                self.cfg["system"],
                self.settings.oracle,
            )

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Learn from a batch: roll out the system under the oracle, then score all visited states
        and all gold arcs in one differentiable pass. Otherwise as `DependencyParser.update`."""
        losses = super().update(examples, drop=drop, sgd=sgd, losses=losses)
        self._n_updates += 1
        self.cfg["normalised"] = self.settings.loss != MAX_VIOLATION
        return losses

    def _search(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor, sentences: SentenceBatch
    ) -> Found:
        tables = self._net.tables(self._net.project(rows), arcs)
        normalised = self.cfg["normalised"]
        return search(self.system, tables, sentences, self.decoder, normalised=normalised)

    def _derive(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor, sentences: SentenceBatch
    ) -> Decisions:
        tables = self._net.tables(self._net.project(rows), arcs)
        width, normalised = self.decoder.beam_width, self.cfg["normalised"]
        found = explain(self.system, tables, int(sentences.lengths[0]), width, normalised)
        system = TransitionSystem.of(self.system)
        names = system.transitions
        search = "greedy search" if width == 1 else f"a beam of {width}"
        if self.cfg["pseudo_projective"] is not None:
            search += ", pseudo-projective: ↑ marks arcs that are moved in the end"
        return Decisions(
            system=system,
            oracle=self.settings.oracle,
            transitions=[names[t] for t in found.transitions],
            scores=[dict(zip(names, row, strict=True)) for row in found.scores.tolist()],
            search=search,
            normalised=normalised,
        )

    def _tree_loss(self, rows: Tensor, lengths: Tensor, arcs: Tensor, gold: GoldBatch) -> Tensor:
        heads = torch.from_numpy(gold.heads).to(rows.device).long()
        return self._transition_loss(
            self._net.project(rows), arcs, gold
        ) + self._net.head_selection_loss(arcs, lengths, heads)

    def _transition_loss(self, table: Tensor, arcs: Tensor, gold: GoldBatch) -> Tensor:
        """Of the states of a roll-out, or of the derivations that a beam found.

        table, arcs: what `project` and `score_arcs` return.
        """
        sentences = (self._net.tables(table, arcs), gold.sentences.lengths, gold.heads)
        oracle = self.settings.oracle
        if self.settings.loss == MAX_VIOLATION:
            width = self.decoder.beam_width
            found = max_violations(self.system, oracle, *sentences, width, _MARGIN)
            return max_violation_loss(self._net.score(table, arcs, found), found)
        exploration = self.settings.exploration_at(self._n_updates)
        seed = int(numpy.random.randint(2**31))
        visited = roll_out(self.system, oracle, *sentences, exploration, seed)
        costs = torch.from_numpy(visited.costs).to(table.device)
        return LOSSES[self.settings.loss](self._net.score(table, arcs, visited), costs)
