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

from spacy_npparse.decoding import FORBIDDEN, LEAST_SCORE, best_tree_labels
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
        n_broken: int64 [n_sentences], how many rules the labels break.
        losses: float64 [n_sentences], by how much their log-probabilities are below those of the
            best labels.
    """

    heads: NDArray[np.int32]
    labels: Ints
    built: Ints
    scores: Floats
    n_broken: Ints
    losses: NDArray[np.float64]


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
        # Labels that words before their heads do not have, and those behind.
        self._sides = np.zeros((2, n_labels), dtype=np.uint8)
        excluded = np.zeros((len(labels), n_labels), dtype=np.uint8)
        for number, rule in enumerate(rules):
            own = [numbers[label] for label in rule.labels if label in numbers]
            others = [numbers[label] for label in rule.excluded if label in numbers]
            match rule.kind:
                case "unique":
                    self._groups[own] = number
                case "before":
                    self._sides[1, own] = 1
                case "behind":
                    self._sides[0, own] = 1
                case "dependents":
                    excluded[np.ix_(own, others)] = 1
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
        kept, n_broken = self.choose(sentences, heads, by_label, allowed)
        free = _free(by_label, arcs, allowed)
        losses = _losses(sentences, by_label, free, kept)
        built = np.where(kept == labels, built, kept)
        return LabelledTree(heads, kept, built, by_label, n_broken, losses)

    def choose(
        self,
        sentences: SentenceBatch,
        heads: NDArray[np.int32],
        scores: Floats,
        allowed: Bools | None,
    ) -> tuple[Ints, Ints]:
        """Find the best labels that keep the rules, or break as few of them as possible.

        Args:
            sentences: The sentences.
            heads: int32 [n_words], in the sentence.
            scores: float32 [n_arcs, n_labels], log-probabilities of plain labels, see
                `label_log_probabilities`.
            allowed: See `label`.

        Returns:
            int64 [n_words], the numbers of the labels, NO_LABEL for the root's; and int64
            [n_sentences], how many rules they break.
        """
        by_word = _by_word(scores, heads > 0)
        broken = self._broken(sentences, heads, allowed)
        return self._solve(by_word, broken, heads, sentences)

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
        free = _free(tree.scores, arcs, allowed)
        changed = arcs & (free != kept)
        found = changed | self._in_the_way(sentences, heads, free, kept, changed)
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
        broken = self._broken(sentences, tree.heads, allowed)
        by_word[~some] = 0.0
        broken[~some] = 0
        labels, n_broken = self._solve(by_word, broken, tree.heads, sentences)
        return n_broken, _losses(sentences, by_word[arcs], free, labels)

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
        root_class = self._classes[-1]
        classes = np.full((2, len(sentences.tokens)), root_class)
        classes[:, sentences.rows] = np.where(arcs, self._classes[[kept, free]], root_class)
        word_of_row = np.zeros(len(sentences.tokens), dtype=np.int64)
        word_of_row[sentences.rows] = np.arange(len(heads))
        above = word_of_row[head_rows]
        of_head, of_free_head = classes[:, head_rows]
        found[above[changed & (self._excluded[of_head, free] > 0)]] = True
        found |= arcs & changed[above] & (self._excluded[of_free_head, kept] > 0)
        return found

    def _broken(
        self, sentences: SentenceBatch, heads: NDArray[np.int32], allowed: Bools | None
    ) -> NDArray[np.uint8]:
        """How many rules each label of each word breaks by itself: [n_words, n_labels]."""
        broken = self._sides[(heads < sentences.places).astype(np.int64)]
        if allowed is not None:
            broken[~allowed] = FORBIDDEN
        return broken

    def _solve(
        self,
        scores: Floats,
        broken: NDArray[np.uint8],
        heads: NDArray[np.int32],
        sentences: SentenceBatch,
    ) -> tuple[Ints, Ints]:
        rules = (self._groups, self._classes, self._excluded)
        # Where fewer trees were found, words have no heads, and get no labels.
        heads = np.maximum(heads, 0)
        return best_tree_labels(scores, broken, heads, sentences.lengths, *rules)


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


def _losses(
    sentences: SentenceBatch, scores: Floats, free: Ints, kept: Ints
) -> NDArray[np.float64]:
    """By how much labels score less than others: [n_sentences]. scores: of arcs."""
    arcs = kept != NO_LABEL
    clipped = np.nan_to_num(scores, nan=LEAST_SCORE).clip(min=LEAST_SCORE).astype(np.float64)
    places = np.arange(len(clipped))
    lost = clipped[places, free[arcs]] - clipped[places, kept[arcs]]
    found = np.bincount(sentences.sentence[arcs], lost, minlength=len(sentences.lengths))
    return found.astype(np.float64)


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
