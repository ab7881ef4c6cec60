"""Labels of the arcs of trees that are built: predicted, as probabilities, and learnt.

Labels are numbers; that of the root's arc, which no network has to learn, is NO_LABEL.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from spacy_npparse.decoding import LEAST_SCORE, UNBROKEN, best_tree_labels
from spacy_npparse.parsing.batch import Bools, Ints, ScoredBatch, SentenceBatch
from spacy_npparse.parsing.gold import GoldBatch
from spacy_npparse.parsing.pseudo_projective import PseudoProjectiveLabels
from spacy_npparse.trees.label_rules import LabelRule
from spacy_npparse.trees.missing import NO_LABEL

Floats = NDArray[np.float32]

# What sums of scores may differ by without being different.
ROUNDING = 1e-4


class LabelledTree(NamedTuple):
    """A labelled tree of each sentence.

    Attributes:
        heads: int32 [n_words], in the sentence.
        labels: int64 [n_words], numbers of plain labels, NO_LABEL for the root's.
        built: int64 [n_words], of the highest-scoring labels, which a pseudo-projective encoding
            decorates.
        scores: float32 [n_arcs, n_labels], log-probabilities of plain labels; empty without rules.
        n_broken: int64 [n_sentences], how many rules without exceptions the labels break.
        losses: float64 [n_sentences], by how much their log-probabilities are below those of the
            best labels, and what the other rules cost that they break.
    """

    heads: NDArray[np.int32]
    labels: Ints
    built: Ints
    scores: Floats
    n_broken: Ints
    losses: NDArray[np.float64]


class ChosenLabels(NamedTuple):
    """Labels that keep rules, or break as few and as cheap ones as possible.

    Attributes:
        labels: int64 [n_words], their numbers, NO_LABEL for the root's.
        n_broken: int64 [n_sentences], how many rules without exceptions they break.
        values: float64 [n_sentences], the sums of their scores, less what the other rules cost that
            they break.
    """

    labels: Ints
    n_broken: Ints
    values: NDArray[np.float64]


class Labeller:
    """Finds the labels of trees: the best that keep rules.

    Args:
        rules: The rules; other labels that they name do not count.
        labels: The plain labels, by their numbers; that of the root, which has none, last.
        codec: Decodes pseudo-projective labels, None for none.
    """

    def __init__(
        self,
        rules: Sequence[LabelRule],
        labels: Sequence[str],
        codec: PseudoProjectiveLabels | None,
    ):
        self._rules = rules
        self._codec = codec
        numbers = {label: number for number, label in enumerate(labels)}
        n_labels = len(labels) - 1
        self._groups = np.full(n_labels, -1, dtype=np.int32)
        self._group_costs = np.zeros(len(rules), dtype=np.float32)
        # Of labels of words before their heads, and of those behind.
        self._side_costs = np.zeros((2, n_labels), dtype=np.float32)
        excluded = np.zeros((len(labels), n_labels), dtype=np.float32)
        for number, rule in enumerate(rules):
            own = [numbers[label] for label in rule.labels if label in numbers]
            others = [numbers[label] for label in rule.excluded if label in numbers]
            cost = min(rule.cost, UNBROKEN)
            match rule.kind:
                case "unique":
                    self._groups[own] = number
                    self._group_costs[number] = cost
                case "before":
                    self._side_costs[1, own] = cost
                case "behind":
                    self._side_costs[0, own] = cost
                case "dependents":
                    excluded[np.ix_(own, others)] = cost
        # Labels that exclude the same labels of dependents are of one class.
        self._excluded, classes = np.unique(excluded, axis=0, return_inverse=True)
        self._classes = classes.reshape(-1).astype(np.int32)

    def label(
        self, scored: ScoredBatch[Any], heads: NDArray[np.int32], allowed: Bools | None
    ) -> LabelledTree:
        """Label a tree of each sentence.

        Args:
            scored: The sentences.
            heads: int32 [n_words], in the sentence.
            allowed: bool [n_words, n_labels], the labels that words may have, None for all.

        Returns:
            The tree.
        """
        arcs = heads > 0
        scores = _scores(scored, heads, arcs)
        built = _best(scores, arcs, allowed)
        labels, sentences = built, scored.sentences
        if self._codec is not None:
            heads, labels = self._codec.decode(sentences, heads, built)
        if not self._rules:
            zeros = np.zeros(len(sentences.lengths))
            none = np.empty((0, 0), dtype=np.float32)
            return LabelledTree(heads, labels, built, none, zeros.astype(np.int64), zeros)
        by_label = scores.log_softmax(dim=1).cpu().numpy()
        if self._codec is not None:
            by_label = self._codec.plain_scores(by_label)
        kept, n_broken, values = self.choose(sentences, heads, by_label, allowed)
        free = _free(by_label, arcs, allowed)
        losses = _sums(sentences, _by_word(by_label, arcs), free) - values
        built = np.where(kept == labels, built, kept)
        return LabelledTree(heads, kept, built, by_label, n_broken, losses)

    def choose(
        self,
        sentences: SentenceBatch,
        heads: NDArray[np.int32],
        scores: Floats,
        allowed: Bools | None,
    ) -> ChosenLabels:
        """Find the best labels under the rules.

        Args:
            sentences: The sentences.
            heads: int32 [n_words], in the sentence.
            scores: float32 [n_arcs, n_labels], log-probabilities of plain labels, see
                `label_log_probabilities`.
            allowed: See `label`.

        Returns:
            The labels.
        """
        by_word = _by_word(scores, heads > 0)
        return self._solve(by_word, self._costs(sentences, heads, allowed), heads, sentences)

    def conflicts(
        self,
        sentences: SentenceBatch,
        tree: LabelledTree,
        allowed: Bools | None,
        fixed: Bools,
    ) -> tuple[Bools, NDArray[np.float64]]:
        """Find arcs that rules conflict on: each tree with the same of these arcs breaks as many
        rules, or loses as much.

        Args:
            sentences: The sentences.
            tree: What `label` has returned for them.
            allowed: See `label`.
            fixed: bool [n_words], words that have no other head in any tree that is looked for.

        Returns:
            bool [n_words], whether the arc to a word is one of them; and float64 [n_sentences],
            what all trees that are looked for lose.
        """
        heads, kept = tree.heads, tree.labels
        arcs = heads > 0
        free = np.where(arcs, _free(tree.scores, arcs, allowed), NO_LABEL)
        changed = free != kept
        found = changed | self._in_the_way(sentences, heads, free, kept, changed)
        found |= self._breaking(sentences, heads, kept)
        # Mostly these are all; else what is unique beside them may be in the way of other labels.
        head_rows = sentences.roots + heads
        beside = np.isin(head_rows, head_rows[changed]) & (self._groups[kept] >= 0)
        every = np.ones(len(heads), dtype=bool)
        for others in (beside, every):
            n_broken, losses = self._loss_of(found, sentences, tree, allowed, free)
            more = (n_broken < tree.n_broken) | (losses < tree.losses - ROUNDING)
            if not more.any():
                break
            found |= others & more[sentences.sentence]
        if not (found & fixed).any():
            return found, np.zeros(len(sentences.lengths))
        _, least = self._loss_of(found & fixed, sentences, tree, allowed, free)
        return found, np.maximum(least, 0.0)

    def _loss_of(
        self,
        some: Bools,
        sentences: SentenceBatch,
        tree: LabelledTree,
        allowed: Bools | None,
        free: Ints,
    ) -> tuple[Ints, NDArray[np.float64]]:
        """How many rules the labels of some words break, and what they lose, if all other words may
        have any label: [n_sentences] each. free: see `_free`."""
        arcs = tree.heads > 0
        by_word = _by_word(tree.scores, arcs)
        costs = self._costs(sentences, tree.heads, allowed)
        by_word[~some] = 0.0
        costs[~some] = 0.0
        _, n_broken, values = self._solve(by_word, costs, tree.heads, sentences)
        return n_broken, _sums(sentences, by_word, free) - values

    def _in_the_way(
        self,
        sentences: SentenceBatch,
        heads: NDArray[np.int32],
        free: Ints,
        kept: Ints,
        changed: Bools,
    ) -> Bools:
        """The words whose labels, or those of whose dependents, are in the way of the free labels
        of words that have changed: bool [n_words]."""
        head_rows, n_groups = sentences.roots + heads, len(self._rules)
        arcs = heads > 0
        wanted = changed & (self._groups[free] >= 0)
        of_wanted = (head_rows * n_groups + self._groups[free])[wanted]
        has_group = arcs & (self._groups[kept] >= 0)
        found = has_group & np.isin(head_rows * n_groups + self._groups[kept], of_wanted)
        above = _heads(sentences, heads)
        found[above[changed & (self._excluded[self._head_classes(above, kept), free] > 0)]] = True
        of_free_head = self._head_classes(above, free)
        found |= changed[above] & (self._excluded[of_free_head, kept] > 0) & arcs
        return found

    def _breaking(self, sentences: SentenceBatch, heads: NDArray[np.int32], labels: Ints) -> Bools:
        """The words that rules are broken by: bool [n_words]."""
        arcs = heads > 0
        found = arcs & (self._side_costs[_sides(sentences, heads), labels] > 0)
        in_group = np.flatnonzero(arcs & (self._groups[labels] >= 0))
        head_rows = (sentences.roots + heads)[in_group]
        groups = head_rows * len(self._rules) + self._groups[labels[in_group]]
        _, group, counts = np.unique(groups, return_inverse=True, return_counts=True)
        found[in_group[counts[group] > 1]] = True
        above = _heads(sentences, heads)
        excluded = arcs & (self._excluded[self._head_classes(above, labels), labels] > 0)
        found[excluded] = found[above[excluded]] = True
        return found

    def _head_classes(self, above: Ints, labels: Ints) -> NDArray[np.int32]:
        """The classes of the labels of heads: [n_words]. above: see `_heads`."""
        of_head = np.where(above < 0, NO_LABEL, labels[above])
        return np.where(of_head == NO_LABEL, self._classes[-1], self._classes[of_head])

    def _costs(
        self, sentences: SentenceBatch, heads: NDArray[np.int32], allowed: Bools | None
    ) -> Floats:
        """What the rules cost that each label of each word breaks by itself, infinite for labels
        that are not allowed: [n_words, n_labels]."""
        costs = self._side_costs[_sides(sentences, heads)]
        if allowed is not None:
            costs[~allowed] = np.inf
        return costs

    def _solve(
        self,
        scores: Floats,
        costs: Floats,
        heads: NDArray[np.int32],
        sentences: SentenceBatch,
    ) -> ChosenLabels:
        rules = (self._groups, self._group_costs, self._classes, self._excluded)
        # Where fewer trees were found, words have no heads, and get no labels.
        heads = np.maximum(heads, 0)
        return ChosenLabels(*best_tree_labels(scores, costs, heads, sentences.lengths, *rules))


def _sides(sentences: SentenceBatch, heads: NDArray[np.int32]) -> Ints:
    """1 for words behind their heads, 0 for others: [n_words]."""
    return (heads < sentences.places).astype(np.int64)


def _heads(sentences: SentenceBatch, heads: NDArray[np.int32]) -> Ints:
    """The heads of words, counted through all sentences, -1 for the root: [n_words]."""
    firsts = sentences.rows - sentences.sentence - sentences.places
    return np.where(heads > 0, firsts + heads - 1, -1)


def _free(scores: Floats, arcs: Bools, allowed: Bools | None) -> Ints:
    """The best labels without rules: [n_words]. scores: of arcs."""
    by_word = _by_word(scores, arcs)
    if allowed is not None:
        by_word[~allowed] = -np.inf
    return by_word.argmax(axis=1)


def _by_word(scores: Floats, arcs: Bools) -> Floats:
    """The scores of the labels of all words: [n_words, n_labels]. scores: of arcs."""
    found = np.zeros((len(arcs), scores.shape[1]), dtype=np.float32)
    found[arcs] = np.nan_to_num(scores, nan=LEAST_SCORE).clip(min=LEAST_SCORE)
    return found


def _sums(sentences: SentenceBatch, scores: Floats, labels: Ints) -> NDArray[np.float64]:
    """The sums of the scores of labels: [n_sentences]. scores: [n_words, n_labels]; labels:
    [n_words], NO_LABEL where none counts."""
    of_words = scores[np.arange(len(labels)), labels].astype(np.float64)
    of_words[labels == NO_LABEL] = 0.0
    sums = np.bincount(sentences.sentence, of_words, minlength=len(sentences.lengths))
    return sums.astype(np.float64)


def _best(scores: Tensor, arcs: Bools, allowed: Bools | None) -> Ints:
    """The highest-scoring labels. scores: [arcs.sum(), n_labels]; arcs: bool [n_words]; allowed:
    see `Labeller.label`."""
    if allowed is not None:
        forbidden = torch.from_numpy(~allowed[arcs]).to(scores.device)
        scores = scores.nan_to_num().masked_fill(forbidden, -torch.inf)
    labels = np.full(arcs.shape, NO_LABEL)
    labels[arcs] = scores.argmax(dim=1).cpu().numpy()
    return labels


def label_log_probabilities(scored: ScoredBatch[Any], heads: NDArray[np.int32]) -> Floats:
    """Score all labels of all arcs of a tree of each sentence, those from the root excluded.

    Args:
        scored: The sentences.
        heads: int32 [n_words], in the sentence.

    Returns:
        float32 [n_arcs, n_labels].
    """
    return _scores(scored, heads, heads > 0).log_softmax(dim=1).cpu().numpy()


def label_probabilities(
    scored: ScoredBatch[Any], heads: NDArray[np.int32], temperature: float
) -> Floats:
    """Compute the probabilities of all labels of all arcs of a tree of each sentence, those from
    the root excluded.

    Args:
        scored: The sentences.
        heads: int32 [n_words], in the sentence.
        temperature: What scores are divided by.

    Returns:
        float32 [n_arcs, n_labels], labels that are decorated by a pseudo-projective encoding
        included.
    """
    scores = _scores(scored, heads, heads > 0)
    return (scores / temperature).softmax(dim=1).cpu().numpy()


def label_loss(scored: ScoredBatch[Any], gold: GoldBatch) -> Tensor:
    """Cross-entropy of the gold labels that are known.

    Args:
        scored: The sentences.
        gold: Their trees.

    Returns:
        A scalar.
    """
    known = gold.labels != NO_LABEL
    scores = _scores(scored, gold.heads, known)
    targets = torch.from_numpy(gold.labels[known]).to(scores.device)
    return torch.nn.functional.cross_entropy(scores, targets, reduction="sum")


def _scores(scored: ScoredBatch[Any], heads: NDArray[np.int32], arcs: Bools) -> Tensor:
    """Scores of all labels, [arcs.sum(), n_labels], for the arcs of some words. heads: int32
    [n_words], in the sentence; arcs: bool [n_words], which of them."""
    sentences, rows = scored.sentences, scored.rows
    head_rows = (sentences.roots + heads)[arcs]
    return scored.net.score_labels(
        scored.projected_for_labels,
        torch.from_numpy(head_rows).to(rows.device),
        torch.from_numpy(sentences.rows[arcs]).to(rows.device),
    )
