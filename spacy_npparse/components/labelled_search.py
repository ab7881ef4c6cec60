"""The search of a component for labelled trees, under constraints and label rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Generic

import numpy as np
from spacy.tokens import Doc

from spacy_npparse.components.constraints.batch import ConstrainedSentences
from spacy_npparse.components.derivations import GoldTree
from spacy_npparse.components.labels import Labels
from spacy_npparse.components.network import Network
from spacy_npparse.components.prediction import LabelledTrees
from spacy_npparse.components.settings import UseOfRules
from spacy_npparse.parsing import (
    EncodedTokens,
    Found,
    ScoredBatch,
    Search,
    SentenceBatch,
    keep_allowed,
    tree_confidence,
)
from spacy_npparse.parsing.batch import NetT
from spacy_npparse.parsing.labelled_tree import LabelledTree
from spacy_npparse.parsing.ruled_trees import best_ruled_trees
from spacy_npparse.transitions import Derivation, parser_derivation
from spacy_npparse.trees.missing import NO_HEAD
from spacy_npparse.word_forms import word_forms


class LabelledSearch(Generic[NetT]):
    """A search for the best labelled trees of sentences that a network has scored.

    Args:
        name: The name of the component.
        system_name: The name of its factory, without `_parser`.
        search: The search for trees without labels.
        network: The network of the component, which has the temperatures of probabilities.
        labels: The labels of the component and their rules.
        rules: Whether rules affect only labels or trees as well; see `ParserSettings`.

    Attributes:
        search: The search for trees without labels.
        rules: Whether rules affect only labels or trees as well.
    """

    def __init__(
        self,
        name: str,
        system_name: str,
        search: Search[NetT],
        network: Network[NetT],
        labels: Labels,
        rules: UseOfRules,
    ):
        self._name = name
        self._system_name = system_name
        self.search = search
        self._network = network
        self._labels = labels
        self.rules = rules
        # Since the last report, the numbers of sentences with constraints whose labels break rules,
        # and of those whose trees the search cannot build.
        self._n_broken = self._n_by_arcs = 0

    def parse(
        self,
        encoded: EncodedTokens[NetT],
        sentences: SentenceBatch,
        constrained: ConstrainedSentences | None,
    ) -> LabelledTrees:
        """Score sentences and find their best labelled trees; see `best`.

        Args:
            encoded: The encoded tokens.
            sentences: The sentences.
            constrained: The sentences that have constraints.

        Returns:
            The trees.
        """
        return self.best(encoded.score(sentences), constrained)

    def best(
        self, scored: ScoredBatch[NetT], constrained: ConstrainedSentences | None = None
    ) -> LabelledTrees:
        """Find the best labelled trees of sentences.

        Args:
            scored: The sentences.
            constrained: The sentences that have constraints.

        Returns:
            The trees, in which pseudo-projective labels are decoded.

        Raises:
            ConstraintError: No tree meets the constraints on a sentence.
        """
        found = self.search.best(scored)
        trees = self._label(scored, found, None)
        if constrained:
            self._meet_constraints(scored, found, trees, constrained)
        confidence = None
        if self.search.decoder.confidence:
            # Probabilities are those of the tree before a pseudo-projective encoding is decoded.
            heads = trees[0].heads if self._labels.are_plain else found.heads[0]
            temperatures = self._network.temperatures
            confidence = tree_confidence(self.search, scored, temperatures, heads, trees[0].built)
        heads = np.stack([tree.heads for tree in trees])
        labels = np.stack([tree.labels for tree in trees])
        return LabelledTrees(Found(heads, found.scores), labels, confidence)

    def _label(
        self, scored: ScoredBatch[NetT], found: Found, constrained: ConstrainedSentences | None
    ) -> list[LabelledTree]:
        """Label trees, of which the best ones may change. A labelled tree for each rank."""
        allowed = constrained.allowed_labels(scored.sentences) if constrained else None
        labeller = self._labels.labeller
        trees = [labeller.label(scored, heads, allowed) for heads in found.heads]
        if self.rules == "trees":
            of_constraints = constrained.allowed_trees if constrained else {}
            trees[0] = best_ruled_trees(
                self.search, labeller, scored, found, trees[0], allowed, of_constraints
            )
        return trees

    def _meet_constraints(
        self,
        scored: ScoredBatch[NetT],
        found: Found,
        trees: list[LabelledTree],
        constrained: ConstrainedSentences,
    ) -> None:
        """Replace the trees of sentences in which one does not meet the constraints."""
        sentences = scored.sentences
        slices = sentences.slices()
        failed = np.zeros(len(sentences.lengths), dtype=bool)
        for number, one in constrained.by_number.items():
            words = slices[number]
            failed[number] = not all(
                one.admits(tree.heads[words], tree.labels[words]) for tree in trees
            )
        if failed.any():
            part = scored.take(np.flatnonzero(failed))
            own = found.select(sentences, failed)
            own_constrained = constrained.select(failed)
            self._find_allowed(own, part, own_constrained)
            found.put(sentences, failed, own)
            for tree, new in zip(trees, self._label(part, own, own_constrained), strict=True):
                tree.put(sentences, failed, new)
        self._n_broken += int((trees[0].n_broken[list(constrained.by_number)] > 0).sum())

    def _find_allowed(
        self, found: Found, scored: ScoredBatch[NetT], constrained: ConstrainedSentences
    ) -> None:
        """Replace trees by the best ones that meet constraints. If the search cannot build any of
        these, take the best spanning tree by the scores of arcs."""
        failed = keep_allowed(found, self.search, scored, constrained.allowed_trees)
        for number in failed:
            arcs = scored.arcs[number].cpu().numpy()
            heads = constrained.by_number[number].best_heads(arcs, self._name)
            words = scored.sentences.slices()[number]
            found.heads[:, words] = NO_HEAD
            found.heads[0, words] = heads
            # The search gives this tree no score.
            found.scores[:, number] = -np.inf
        self._n_by_arcs += len(failed)

    def derive(
        self, doc: Doc, scored: ScoredBatch[NetT], gold: GoldTree | None, oracle: str | None
    ) -> Derivation:
        """Derive the highest-scoring tree of one sentence.

        Args:
            doc: The Doc that contains the sentence.
            scored: The sentence.
            gold: The gold tree of the sentence, for the costs of transitions; None if unknown.
            oracle: The name of the oracle that computes the costs; by default that of the training.

        Returns:
            The derivation, with predicted labels.

        Raises:
            ValueError: The parser builds trees without transitions, gold heads form a cycle, or the
                transition system has no such oracle.
        """
        decisions = self.search.derive(scored)
        if decisions is None:
            raise ValueError(
                f"{self._name}: {self._system_name}_parser finds trees without transitions, so "
                "there are no derivations. Use a parser with a transition system."
            )
        forms = word_forms(doc)
        derivation = parser_derivation(
            [forms[i] for i in scored.sentences.words.tolist()],
            decisions,
            gold=gold and gold.heads,
            gold_labels=gold and gold.labels,
            oracle=oracle,
        )
        heads = np.array(derivation.heads[1:], dtype=np.int32)
        labels = self._labels.labeller.label(scored, heads, None).built
        return replace(derivation, labels=tuple(self._labels.spell(labels.tolist())))

    def report(self) -> list[str]:
        """Describe the sentences with constraints that could not be parsed as requested.

        Returns:
            A message for each kind of such sentences since the last report.
        """
        messages = []
        if self._n_broken:
            messages.append(
                f"{self._n_broken} sentences with constraints have labels that break rules of the "
                "treebank, because no labels of their trees meet both."
            )
        if self._n_by_arcs:
            messages.append(
                f"{self._n_by_arcs} sentences were parsed by the scores of arcs alone, because no "
                "tree that meets their constraints is one that "
                f"{self._system_name}_parser can build."
            )
        self._n_broken = self._n_by_arcs = 0
        return messages
