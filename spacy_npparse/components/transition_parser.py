"""Transition-based parsing: greedy search or beam search with a transition system."""

import logging
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any

import numpy as np
import torch
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model, Optimizer
from torch import Tensor

from spacy_npparse.components.dependency_parser import DependencyParser
from spacy_npparse.components.gold import GoldBatch
from spacy_npparse.components.search import Found, search
from spacy_npparse.components.sentences import SentenceBatch
from spacy_npparse.components.settings import (
    MAX_VIOLATION,
    DecoderSettings,
    Sentences,
    TrainingSettings,
)
from spacy_npparse.decoding import (
    AllowedTrees,
    derivable_trees,
    explain,
    max_violations,
    roll_out,
)
from spacy_npparse.models.losses import LOSSES, max_violation_loss
from spacy_npparse.models.transition_net import TransitionNet
from spacy_npparse.transitions import Decisions, TransitionSystem, derivable

logger = logging.getLogger(__name__)

# Where constraints have to be met, so much is added to the log-probability of the arcs of the tree
# that would have been found without them.
_WEIGHT_OF_OWN_ARCS = 1.0
# By how much the gold derivation should outscore another one, for each wrong arc of that.
_MARGIN = 1.0


class TransitionParser(DependencyParser[TransitionNet]):
    """Parses with a transition system.

    A sentence whose tree does not meet the constraints on it gets the best allowed one that the
    system derives, by the log-probabilities of arcs, in which the arcs of that tree count for more;
    see `derivable_trees`.

    Args:
        vocab: Of the pipeline.
        model: See `spacy_npparse.Parser.v1`.
        name: Of the component in the pipeline.
        system_name: Of the component's factory, without `_parser`.
        system: The transition system.
        settings: How it is trained.
        sentences: See `DependencyParser`.
        decoder: How it searches.
        fixed: See `DependencyParser`.
        scorer: Computes the scores of `nlp.evaluate`.
    """

    net_class = TransitionNet

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        *,
        system_name: str,
        system: TransitionSystem,
        settings: TrainingSettings,
        sentences: Sentences,
        decoder: DecoderSettings,
        fixed: Mapping[str, Any],
        scorer: Callable[..., dict[str, Any]] | None,
    ):
        super().__init__(
            vocab,
            model,
            name,
            system_name=system_name,
            sentences=sentences,
            decoder=decoder,
            fixed=fixed,
            scorer=scorer,
        )
        self.system = system
        self.settings = settings
        self._set_normalised(settings.loss != MAX_VIOLATION)

    def _begin_training(self, gold: Iterable[GoldBatch]) -> None:
        self.model.attrs["n_updates"] = 0
        if self.system.kernel.oracle(self.settings.oracle).explores:
            super()._begin_training(gold)
        else:
            self._report_underivable(gold)

    def _net_sizes(self) -> dict[str, int]:
        return dict(
            n_positions=self.system.kernel.n_positions,
            n_candidate_arcs=self.system.kernel.n_candidate_arcs,
            n_transitions=self.system.kernel.n_transitions,
        )

    def _report_underivable(self, gold: Iterable[GoldBatch]) -> None:
        """Warn of gold trees without a derivation, from which a static oracle learns nothing."""
        n_trees = n_derivable = 0
        for batch in gold:
            found = derivable(self.system.kernel, batch.sentences.lengths, batch.heads)
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
        """Update the model with a batch: roll out the system under the oracle, then score all
        visited configurations and all gold arcs in one differentiable pass.

        Args:
            examples: See `DependencyParser.update`.
            drop: See there.
            sgd: See there.
            losses: See there.

        Returns:
            The losses.
        """
        losses = super().update(examples, drop=drop, sgd=sgd, losses=losses)
        self.model.attrs["n_updates"] += 1
        self._set_normalised(self.settings.loss != MAX_VIOLATION)
        return losses

    def _settings_loaded(self) -> None:
        super()._settings_loaded()
        # Version 0.1 saved it as a setting.
        if "normalised" in self.cfg:
            self._set_normalised(self.cfg.pop("normalised"))

    @property
    def _normalised(self) -> bool:
        """Whether transitions are normalised to probabilities: as in the last training."""
        return bool(self.model.attrs["normalised"])

    def _set_normalised(self, normalised: bool) -> None:
        self.model.attrs["normalised"] = normalised

    def _search(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor, sentences: SentenceBatch
    ) -> Found:
        tables = self._net.tables(self._net.project(rows), arcs)
        return search(
            self.system.kernel, tables, sentences, self.decoder, normalised=self._normalised
        )

    def _search_allowed(
        self,
        rows: Tensor,
        lengths: Tensor,
        arcs: Tensor,
        sentence: SentenceBatch,
        allowed: AllowedTrees,
    ) -> Found | None:
        scores = arcs[0].cpu().numpy().copy()
        free = self._search(rows, lengths, arcs, sentence).heads[0]
        scores[np.arange(1, len(scores)), free] += _WEIGHT_OF_OWN_ARCS
        ranked = derivable_trees(self.system.kernel, allowed, scores)
        trees = list(islice(ranked, self.decoder.n_trees))
        if not trees:
            return None
        return Found(
            np.stack([tree.heads for tree in trees]),
            np.array([[tree.score] for tree in trees]),
        )

    def _derive(
        self, rows: Tensor, lengths: Tensor, arcs: Tensor, sentences: SentenceBatch
    ) -> Decisions:
        tables = self._net.tables(self._net.project(rows), arcs)
        width, normalised = self.decoder.beam_width, self._normalised
        found = explain(self.system.kernel, tables, int(sentences.lengths[0]), width, normalised)
        names = self.system.transitions
        search = "greedy search" if width == 1 else f"a beam of {width}"
        if self.cfg["pseudo_projective"] is not None:
            search += ", pseudo-projective: ↑ marks arcs that are moved in the end"
        return Decisions(
            system=self.system,
            oracle=self.settings.oracle,
            transitions=[names[t] for t in found.transitions],
            scores=[dict(zip(names, row, strict=True)) for row in found.scores.tolist()],
            search=search,
            normalised=normalised,
        )

    def _tree_loss(self, rows: Tensor, lengths: Tensor, arcs: Tensor, gold: GoldBatch) -> Tensor:
        """The loss of the configurations of a roll-out, or of the derivations on a beam."""
        table = self._net.project(rows)
        sentences = (self._net.tables(table, arcs), gold.sentences.lengths, gold.heads)
        oracle = self.settings.oracle
        if self.settings.loss == MAX_VIOLATION:
            width = self.decoder.beam_width
            found = max_violations(self.system.kernel, oracle, *sentences, width, _MARGIN)
            return max_violation_loss(self._net.score(table, arcs, found), found)
        exploration = self.settings.exploration_at(self.model.attrs["n_updates"])
        seed = int(np.random.randint(2**31))
        visited = roll_out(self.system.kernel, oracle, *sentences, exploration, seed)
        costs = torch.from_numpy(visited.costs).to(table.device)
        return LOSSES[self.settings.loss](self._net.score(table, arcs, visited), costs)
