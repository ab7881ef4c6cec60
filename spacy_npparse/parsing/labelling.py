"""Labels of the arcs of given trees: prediction, probabilities and loss.

Labels are numbers. That of an arc from the root, which the network does not predict, is NO_LABEL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from spacy_npparse.decoding import LEAST_SCORE, UNBROKEN, best_tree_labels
from spacy_npparse.models.upload import upload
from spacy_npparse.parsing.batch import Bools, Ints, ScoredBatch, SentenceBatch
from spacy_npparse.parsing.gold import GoldBatch
from spacy_npparse.parsing.labelled_tree import ChosenLabels, LabelledTree
from spacy_npparse.parsing.pseudo_projective import PseudoProjectiveLabels
from spacy_npparse.trees.label_rules import LabelRule
from spacy_npparse.trees.missing import NO_LABEL

Floats = NDArray[np.float32]

# The difference up to which sums of scores count as equal.
ROUNDING = 1e-4


class Labeller:
    """A search for the best labels of trees under rules.

    Args:
        rules: The rules. Labels that are unknown to the parser are ignored, and so is that of the
            root, except that it may exclude labels of dependents.
        labels: The plain labels by number, followed by that of the root.
        codec: The pseudo-projective labels; None if there are none.
        upos: The number of each part of speech, as in `SentenceBatch`. Others in rules are ignored.
    """

    def __init__(
        self,
        rules: Sequence[LabelRule],
        labels: Sequence[str],
        codec: PseudoProjectiveLabels | None,
        upos: Mapping[str, int],
    ):
        self._rules = rules
        self._codec = codec
        numbers = {label: number for number, label in enumerate(labels[:-1])}
        n_labels = len(numbers)
        self._groups = np.full(n_labels, -1, dtype=np.int32)
        # The costs of labels of words before and after their heads.
        self._side_costs = np.zeros((2, n_labels), dtype=np.float32)
        self._upos_costs = np.zeros((max(upos.values(), default=0) + 1, n_labels), dtype=np.float32)
        excluded = np.zeros((len(labels), n_labels), dtype=np.float32)
        group_costs: list[float] = []
        for rule in rules:
            own = [numbers[label] for label in rule.labels if label in numbers]
            if rule.kind == "dependents" and labels[-1] in rule.labels:
                own.append(n_labels)
            of_excluded = upos if rule.kind == "upos" else numbers
            others = [of_excluded[one] for one in rule.excluded if one in of_excluded]
            cost = min(rule.cost, UNBROKEN)
            match rule.kind:
                case "unique":
                    self._groups[own] = len(group_costs)
                    group_costs.append(cost)
                case "before":
                    self._side_costs[1, own] = cost
                case "behind":
                    self._side_costs[0, own] = cost
                case "dependents":
                    excluded[np.ix_(own, others)] = cost
                case "upos":
                    self._upos_costs[np.ix_(others, own)] = cost
        self._group_costs = np.array(group_costs, dtype=np.float32)
        # Labels that exclude the same labels of dependents form a class.
        self._excluded, classes = np.unique(excluded, axis=0, return_inverse=True)
        self._classes = classes.reshape(-1).astype(np.int32)

    def label(
        self, scored: ScoredBatch[Any], heads: NDArray[np.int32], allowed: Bools | None
    ) -> LabelledTree:
        """Label a tree of each sentence.

        Args:
            scored: The sentences.
            heads: int32 [n_words], the heads within the sentences.
            allowed: bool [n_words, n_labels], whether words may have labels; None for all.

        Returns:
            The labelled trees.
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
        by_word = _by_word(by_label, arcs)
        costs = self._costs(sentences, heads, allowed)
        kept, n_broken, values = self._solve(by_word, costs, heads, sentences)
        losses = _sums(sentences, by_word, _free(by_word, arcs, allowed)) - values
        built = np.where(kept == labels, built, kept)
        return LabelledTree(heads, kept, built, by_word, n_broken, losses)

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
            heads: int32 [n_words], the heads within the sentences.
            scores: float32 [n_arcs, n_labels], the log-probabilities of plain labels, see
                `label_log_probabilities`.
            allowed: bool [n_words, n_labels], whether words may have labels; None for all.

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
        """Find arcs that cause conflicts of rules: every tree with these arcs breaks as many rules,
        or loses as much.

        Args:
            sentences: The sentences.
            tree: The labelled trees that `label` returned.
            allowed: bool [n_words, n_labels], whether words may have labels; None for all.
            fixed: bool [n_words], whether a word has the same head in all trees of interest.

        Returns:
            bool [n_words], whether the arc to each word causes a conflict; and float64
            [n_sentences], the loss of all trees of interest.
        """
        heads, kept = tree.heads, tree.labels
        free = _free(tree.scores, heads > 0, allowed)
        changed = free != kept
        found = changed | self._in_the_way(sentences, heads, free, kept, changed)
        found |= self._breaking(sentences, heads, kept)
        # Usually, these are all causes. Otherwise, unique labels of siblings may block labels.
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
        """Count the rules that the labels of some words break, and compute their losses, if all
        other words may have any label: [n_sentences] each. free: see `_free`."""
        scores = np.where(some[:, None], tree.scores, np.float32(0.0))
        costs = self._costs(sentences, tree.heads, allowed)
        costs[~some] = 0.0
        _, n_broken, values = self._solve(scores, costs, tree.heads, sentences)
        return n_broken, _sums(sentences, scores, free) - values

    def _in_the_way(
        self,
        sentences: SentenceBatch,
        heads: NDArray[np.int32],
        free: Ints,
        kept: Ints,
        changed: Bools,
    ) -> Bools:
        """Find the words whose labels, or whose dependents' labels, block the free labels of words
        that have changed: bool [n_words]."""
        head_rows, n_groups = sentences.roots + heads, len(self._group_costs)
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
        """Find the words that break rules: bool [n_words]."""
        arcs = heads > 0
        costs = self._costs(sentences, heads, None)
        found = arcs & (costs[np.arange(len(labels)), labels] > 0)
        in_group = np.flatnonzero(arcs & (self._groups[labels] >= 0))
        head_rows = (sentences.roots + heads)[in_group]
        groups = head_rows * len(self._group_costs) + self._groups[labels[in_group]]
        _, group, counts = np.unique(groups, return_inverse=True, return_counts=True)
        found[in_group[counts[group] > 1]] = True
        above = _heads(sentences, heads)
        excluded = arcs & (self._excluded[self._head_classes(above, labels), labels] > 0)
        found[excluded] = found[above[excluded]] = True
        return found

    def _head_classes(self, above: Ints, labels: Ints) -> NDArray[np.int32]:
        """Find the classes of the heads' labels: [n_words]. above: see `_heads`."""
        of_head = np.where(above < 0, NO_LABEL, labels[above])
        return np.where(of_head == NO_LABEL, self._classes[-1], self._classes[of_head])

    def _costs(
        self, sentences: SentenceBatch, heads: NDArray[np.int32], allowed: Bools | None
    ) -> Floats:
        """Compute the costs of the rules that each label of each word breaks by itself, infinite
        for labels that are not allowed: [n_words, n_labels]."""
        costs = self._side_costs[_sides(sentences, heads)]
        if sentences.upos is not None:
            costs += self._upos_costs[sentences.upos[sentences.words]]
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
        # Where fewer trees were found, words have neither heads nor labels.
        heads = np.maximum(heads, 0)
        return ChosenLabels(*best_tree_labels(scores, costs, heads, sentences.lengths, *rules))


def _sides(sentences: SentenceBatch, heads: NDArray[np.int32]) -> Ints:
    """Find the side of each word: 1 after its head, 0 before it: [n_words]."""
    return (heads < sentences.places).astype(np.int64)


def _heads(sentences: SentenceBatch, heads: NDArray[np.int32]) -> Ints:
    """Find the heads, counted through all sentences, -1 for the root: [n_words]."""
    firsts = sentences.rows - sentences.sentence - sentences.places
    return np.where(heads > 0, firsts + heads - 1, -1)


def _free(scores: Floats, arcs: Bools, allowed: Bools | None) -> Ints:
    """Find the best labels without rules: [n_words], NO_LABEL for words without an arc. scores:
    [n_words, n_labels]."""
    if allowed is not None:
        scores = np.where(allowed, scores, -np.inf)
    return np.where(arcs, scores.argmax(axis=1), NO_LABEL)


def _by_word(scores: Floats, arcs: Bools) -> Floats:
    """Spread the scores of arcs over all words: [n_words, n_labels]."""
    found = np.zeros((len(arcs), scores.shape[1]), dtype=np.float32)
    found[arcs] = np.nan_to_num(scores, nan=LEAST_SCORE).clip(min=LEAST_SCORE)
    return found


def _sums(sentences: SentenceBatch, scores: Floats, labels: Ints) -> NDArray[np.float64]:
    """Sum the scores of labels: [n_sentences]. scores: [n_words, n_labels]; labels: [n_words],
    NO_LABEL for those that do not count."""
    of_words = scores[np.arange(len(labels)), labels].astype(np.float64)
    of_words[labels == NO_LABEL] = 0.0
    sums = np.bincount(sentences.sentence, of_words, minlength=len(sentences.lengths))
    return sums.astype(np.float64)


def _best(scores: Tensor, arcs: Bools, allowed: Bools | None) -> Ints:
    """Find the highest-scoring labels. scores: [arcs.sum(), n_labels]; arcs: bool [n_words];
    allowed: see `Labeller.label`."""
    if allowed is not None:
        forbidden = upload(~allowed[arcs], scores.device)
        scores = scores.nan_to_num().masked_fill(forbidden, -torch.inf)
    labels = np.full(arcs.shape, NO_LABEL)
    labels[arcs] = scores.argmax(dim=1).cpu().numpy()
    return labels


def label_log_probabilities(scored: ScoredBatch[Any], heads: NDArray[np.int32]) -> Floats:
    """Score all labels of all arcs of trees, except those from the root.

    Args:
        scored: The sentences.
        heads: int32 [n_words], the heads within the sentences.

    Returns:
        float32 [n_arcs, n_labels], log-probabilities of plain labels.
    """
    return _scores(scored, heads, heads > 0).log_softmax(dim=1).cpu().numpy()


def label_probabilities(
    scored: ScoredBatch[Any], heads: NDArray[np.int32], temperature: float
) -> Floats:
    """Compute the probabilities of all labels of all arcs of trees, except those from the root.

    Args:
        scored: The sentences.
        heads: int32 [n_words], the heads within the sentences.
        temperature: The temperature that scores are divided by.

    Returns:
        float32 [n_arcs, n_labels], including labels of a pseudo-projective encoding.
    """
    scores = _scores(scored, heads, heads > 0)
    return (scores / temperature).softmax(dim=1).cpu().numpy()


def label_loss(scored: ScoredBatch[Any], gold: GoldBatch) -> Tensor:
    """Compute the cross-entropy of the known gold labels.

    Args:
        scored: The sentences.
        gold: The gold trees of the sentences.

    Returns:
        A scalar.
    """
    known = gold.labels != NO_LABEL
    scores = _scores(scored, gold.heads, known)
    targets = torch.from_numpy(gold.labels[known])
    targets = targets.to(scores.device, non_blocking=scores.is_cuda)
    return torch.nn.functional.cross_entropy(scores, targets, reduction="sum")


def _scores(scored: ScoredBatch[Any], heads: NDArray[np.int32], arcs: Bools) -> Tensor:
    """Score all labels of the arcs of some words: [arcs.sum(), n_labels]. heads: int32 [n_words],
    the heads within the sentences; arcs: bool [n_words]."""
    sentences = scored.sentences
    head_rows = (sentences.roots + heads)[arcs]
    return scored.net.score_labels(
        scored.projected_for_labels,
        head_rows,
        sentences.rows[arcs],
    )
