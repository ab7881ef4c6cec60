"""The loss of a parser: that of sentence boundaries, heads, trees and labels."""

from __future__ import annotations

import math

from torch import Tensor

from spacy_npparse.components.gold import GoldBoundaries
from spacy_npparse.components.sentence_finder import WINDOW
from spacy_npparse.models.parser_net import ParserNet
from spacy_npparse.parsing import EncodedTokens, GoldBatch, Search
from spacy_npparse.parsing.batch import NetT
from spacy_npparse.parsing.labelling import label_loss


def batch_loss(
    name: str,
    search: Search[NetT],
    net: NetT,
    vectors: Tensor,
    gold: GoldBatch,
    boundaries: GoldBoundaries | None,
) -> tuple[float, Tensor]:
    """Compute the loss of a batch.

    Args:
        name: The name of the component.
        search: The search of the component, which defines the loss of trees.
        net: The network of the component.
        vectors: [n_tokens, width], the vectors of all tokens.
        gold: The gold trees.
        boundaries: The gold sentence boundaries; None if the component does not find sentences.

    Returns:
        The sum of four losses, as a number and as a scalar: that of the sentence boundaries; that
        of each head among the words of its sentence, and around it if the component finds
        sentences, which teaches the search for boundaries which arcs would cross one; that of the
        trees; and that of their labels.

    Raises:
        ValueError: The loss is not finite.
    """
    loss = vectors.new_zeros(())
    if boundaries is not None:
        loss = loss + _boundary_loss(net, vectors, boundaries)
    encoded = EncodedTokens(net, net.with_root(vectors))
    # Without a search for boundaries, no arc between sentences is ever scored.
    around = gold if boundaries is None else gold.join_sentences(WINDOW)
    for part in around.parts():
        scored = encoded.score(part.sentences)
        loss = loss + part.head_selection_loss(scored, scored.arcs)
    for part in gold.parts():
        scored = encoded.score(part.sentences)
        loss = loss + (search.loss(scored, part) + label_loss(scored, part))
    # Reading a number has to wait for a GPU, so the loss is read once.
    number = float(loss.detach())
    if not math.isfinite(number):
        cause = "" if vectors.isfinite().all() else ", because the vectors of its encoder are not"
        # The gradient of such a loss would destroy the weights.
        raise ValueError(
            f"{name}: the loss of a batch is {number} and not finite{cause}. Training stops, and "
            "the weights remain as they are: lower training.optimizer.learn_rate, or "
            "training.optimizer.grad_clip if weights grew before."
        )
    return number, loss


def _boundary_loss(net: ParserNet, vectors: Tensor, gold: GoldBoundaries) -> Tensor:
    """Compute the negative log-likelihood of the boundaries, 0 if none is known."""
    if not len(gold.is_start):
        return vectors.new_zeros(())
    return net.start_loss(vectors, *gold)
