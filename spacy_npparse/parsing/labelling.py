"""Labels of the arcs of trees that are built: predicted, as probabilities, and learnt.

Labels are numbers; that of the root's arc, which no network has to learn, is NO_LABEL.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from spacy_npparse.parsing.batch import Bools, Ints, ScoredBatch
from spacy_npparse.parsing.gold import GoldBatch
from spacy_npparse.trees.missing import NO_LABEL

Floats = NDArray[np.float32]


def predict_labels(
    scored: ScoredBatch[Any], heads: NDArray[np.int32], allowed: Bools | None = None
) -> Ints:
    """Find the best labels of trees.

    Args:
        scored: The sentences.
        heads: int32 [n_trees, n_words], in the sentence.
        allowed: bool [n_words, n_labels], None if all are.

    Returns:
        int64 [n_trees, n_words], NO_LABEL for the root's.
    """
    labels = np.full(heads.shape, NO_LABEL)
    for of_tree, found in zip(heads, labels, strict=True):
        arcs = of_tree > 0
        scores = _scores(scored, of_tree, arcs)
        if allowed is not None:
            forbidden = torch.from_numpy(~allowed[arcs]).to(scores.device)
            scores = scores.nan_to_num().masked_fill(forbidden, -torch.inf)
        found[arcs] = scores.argmax(dim=1).cpu().numpy()
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
        rows,
        torch.from_numpy(head_rows).to(rows.device),
        torch.from_numpy(sentences.rows[arcs]).to(rows.device),
    )
