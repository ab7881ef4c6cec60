"""The torch network that all parsers share, which scores arcs, labels and sentence starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypedDict

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from spacy_npparse.decoding import IMPOSSIBLE
from spacy_npparse.models.products import Linear
from spacy_npparse.models.upload import upload

# The lower bounds of the buckets of distances, in words.
_DISTANCES = [1, 2, 3, 4, 5, 6, 8, 11, 16, 24, 41]
# The number of buckets on either side, and one for the root.
N_DISTANCES = 2 * len(_DISTANCES) + 1
# The maximum number of distances that are looked up at once. They take several times the memory of
# scores.
MAX_DISTANCES = 2**20


class SharedSizes(TypedDict):
    """The sizes of the scorers of arcs and labels.

    Attributes:
        n_labels: The number of arc labels, without that of the root.
        arc_size: The width of the layers that score arcs.
        label_size: The width of the hidden layer that scores labels.
        dropout: The dropout rate of the hidden layers.
        finds_sentences: Whether sentence starts are scored as well.
    """

    n_labels: int
    arc_size: int
    label_size: int
    dropout: float
    finds_sentences: bool


@dataclass
class Progress:
    """The progress of a training, which is saved with the weights.

    Attributes:
        n_updates: The number of updates of transition-based search.
        normalised: Whether the last training normalised transitions to probabilities.
    """

    n_updates: int = 0
    normalised: bool = True


class ArcVectors(NamedTuple):
    """Projections of words, from which the scores of arcs are computed.

    Attributes:
        heads: [..., arc_size], words and roots as heads.
        biases: [..., 1], the biases of arcs from these heads.
        dependents: [..., arc_size], words and roots as dependents. Their products with heads are
            scores.
        distances: [..., N_DISTANCES], the scores of each distance to the head.
    """

    heads: Tensor
    biases: Tensor
    dependents: Tensor
    distances: Tensor

    def take(self, places: Tensor) -> ArcVectors:
        """Copy rows to places; see `spacy_npparse.models.parser_net.take`."""
        return ArcVectors(*(take(part, places) for part in self))


class ParserNet(nn.Module):
    """A scorer of arcs, of labels by the two words of an arc, and of sentence starts by the words
    around.

    The hidden layer of labels is linear in both words before the activation, so each word is
    projected only once, whatever the number of its arcs. All arcs of a sentence are scored at once:
    each word selects its head among the others, by their vectors, their distance and their side.

    A subclass adds the layers that score the parts of its trees, and then calls
    `add_arc_and_label_scorers`.

    Args:
        n_inputs: The width of the token vectors.

    Attributes:
        progress: The progress of the training.

    Source: Dozat and Manning (2017) for the biaffine scorer of arcs; Qi et al. (2018) found that
    sides and distances help, but score them in another way.
    """

    distance_bounds: Tensor

    def __init__(self, n_inputs: int):
        super().__init__()
        self.root = nn.Parameter(torch.empty(n_inputs).uniform_(-0.1, 0.1))
        self.progress = Progress()

    def add_arc_and_label_scorers(
        self,
        n_inputs: int,
        *,
        n_labels: int,
        arc_size: int,
        label_size: int,
        dropout: float,
        finds_sentences: bool,
    ) -> None:
        """Add the layers that all parsers have.

        Args:
            n_inputs: The width of the token vectors.
            n_labels: The number of arc labels, without that of the root.
            arc_size: The width of the layers that score arcs.
            label_size: The width of the hidden layer that scores labels.
            dropout: The dropout rate of the hidden layers.
            finds_sentences: Whether to add the scorer of sentence starts.
        """
        self.arc_head = Linear(n_inputs, arc_size)
        self.arc_dependent = Linear(n_inputs, arc_size)
        self.arc_weight = nn.Parameter(torch.randn(arc_size, arc_size) * 0.5 / arc_size)
        self.arc_bias = nn.Linear(arc_size, 1)
        self.arc_distance = Linear(arc_size, N_DISTANCES)
        for parameter in self.arc_distance.parameters():
            nn.init.zeros_(parameter)
        self.label_head = Linear(n_inputs, label_size)
        self.label_dependent = Linear(n_inputs, label_size)
        self.label_output = nn.Linear(label_size, n_labels)
        # A buffer moves to the device with the network, but is not a weight, and is not saved.
        self.register_buffer("distance_bounds", torch.tensor(_DISTANCES), persistent=False)
        self.dropout = nn.Dropout(dropout)
        self.finds_sentences = finds_sentences
        if finds_sentences:
            self.start_before = Linear(n_inputs, label_size)
            self.start_after = Linear(n_inputs, label_size)
            self.start_output = nn.Linear(label_size, 1)

    def add_labels(self, places: Sequence[int], n_labels: int, *, bias: float = 0.0) -> None:
        """Make room for more labels, and keep the weights and gradients of the old ones.

        Args:
            places: The new numbers of the old labels, ascending.
            n_labels: The new number of arc labels, without that of the root.
            bias: The bias of the new labels. Their weights are initialized as in a new layer.
        """
        old = self.label_output
        self.label_output = nn.Linear(old.in_features, n_labels).to(old.weight)
        nn.init.constant_(self.label_output.bias, bias)
        kept = torch.tensor(places, device=old.weight.device)
        for name, parameter in self.label_output.named_parameters():
            before = old.get_parameter(name)
            parameter.data[kept] = before.data
            if before.grad is not None:
                parameter.grad = torch.zeros_like(parameter)
                parameter.grad[kept] = before.grad

    def activate(self, hidden: Tensor) -> Tensor:
        """Apply the activation function of hidden layers and, in training, dropout."""
        activated = torch.relu(hidden)
        return self.dropout(activated) if self.training else activated

    def with_root(self, vectors: Tensor) -> Tensor:
        """Append the vector of the root to those of all tokens: [n_tokens + 1, n_inputs]."""
        return torch.cat([vectors, self.root[None]])

    def project_tokens(self, vectors: Tensor) -> tuple[Tensor, ArcVectors]:
        """Compute the projections that finding sentences and parsing them share.

        Args:
            vectors: [n_tokens, n_inputs], the vectors of tokens.

        Returns:
            The results of `with_root` and of `project_for_arcs`.
        """
        rows = self.with_root(vectors)
        return rows, self.project_for_arcs(rows)

    def project_for_arcs(self, rows: Tensor) -> ArcVectors:
        """Project rows for the scores of arcs.

        Args:
            rows: [n_rows, n_inputs], the vectors of roots and words.

        Returns:
            The projections, which `score_arcs` takes.
        """
        as_head = torch.relu(self.arc_head(rows))
        as_dependent = self.activate(self.arc_dependent(rows))
        return ArcVectors(
            self.dropout(as_head),
            self.arc_bias(as_head),
            as_dependent @ self.arc_weight,
            self.arc_distance(as_dependent),
        )

    def score_arcs(
        self, rows: Tensor | ArcVectors, lengths: Tensor, tokens: Tensor | None = None
    ) -> Tensor:
        """Score all arcs independently of each other.

        Args:
            rows: [n_rows, n_inputs], the vectors of each sentence's root and words; or the
                projections of tokens that `project_tokens` returned.
            lengths: int64 [n_sentences], the number of words of each sentence, on the CPU.
            tokens: int64 [n_rows], on the CPU, the token of each sentence's root and words; None if
                `rows` are vectors.

        Returns:
            [n_sentences, size, size], the log-probability of each head of each word among all words
            and the root, with dependents in the second dimension, where size is the length of the
            longest sentence + 1.
        """
        nodes, places = nodes_and_rows(lengths)
        if isinstance(rows, Tensor):
            rows = self.project_for_arcs(rows)
        places = places if tokens is None else tokens[places]
        device = self.root.device
        heads, biases, dependents, by_distance = rows.take(upload(places, device))
        absent = (nodes > lengths[:, None]) * IMPOSSIBLE
        bias = biases.squeeze(2) + upload(absent, device)
        scores = torch.baddbmm(bias[:, None], dependents, heads.mT)
        nodes = upload(nodes, device)
        step = max(1, MAX_DISTANCES // len(nodes))
        for start in range(0, len(nodes), step):
            part = slice(start, start + step)
            distances = distances_to_heads(nodes, nodes[part], self.distance_bounds)
            scores[:, part] += by_distance[:, part].gather(2, distances.expand(len(places), -1, -1))
        scores.diagonal(dim1=1, dim2=2).fill_(IMPOSSIBLE)
        return scores.log_softmax(dim=2)

    def head_selection_loss(
        self,
        arcs: Tensor,
        lengths: Tensor,
        heads: NDArray[np.int32],
        weights: NDArray[np.float32],
    ) -> Tensor:
        """Compute the cross-entropy of heads, summed over words.

        This loss teaches the encoder about every word and its head, even if a derivation never
        compares the two.

        Args:
            arcs: [n_sentences, size, size], the scores that `score_arcs` returned.
            lengths: int64 [n_sentences], the number of words of each sentence, on the CPU.
            heads: int32 [n_words, n_heads], the heads within the sentences, 0 for the root.
            weights: float32 [n_words, n_heads], the target probability of each head.
        """
        sentence, word, head, weight = (
            upload(one, arcs.device) for one in (*sentences_and_words(lengths), heads, weights)
        )
        return -(arcs[sentence[:, None], word[:, None], head.long()] * weight).sum()

    def score_labels(
        self,
        projected: tuple[Tensor, Tensor],
        heads: NDArray[np.int64],
        dependents: NDArray[np.int64],
    ) -> Tensor:
        """Score all labels of some arcs.

        Args:
            projected: [n_rows, label_size] each, the projections of all words by `label_head` and
                `label_dependent`, which are computed once for all arcs.
            heads: int64 [n_arcs], the row of each head.
            dependents: int64 [n_arcs], the row of each dependent.

        Returns:
            [n_arcs, n_labels], the scores, not normalised.
        """
        as_head, as_dependent = projected
        device = self.root.device
        hidden = take(as_head, upload(heads, device))
        hidden = hidden + take(as_dependent, upload(dependents, device))
        return self.label_output(self.activate(hidden))

    def score_starts(
        self, vectors: Tensor, before: NDArray[np.int64], after: NDArray[np.int64]
    ) -> Tensor:
        """Score the boundaries between adjacent words, if the network finds sentences.

        Args:
            vectors: [n_tokens, n_inputs], the vectors of tokens.
            before: int64 [n], the word before each boundary.
            after: int64 [n], the word that would start a sentence.

        Returns:
            [n], the log-odds of the boundaries.
        """
        device = self.root.device
        hidden = take(self.start_before(vectors), upload(before, device))
        hidden = hidden + take(self.start_after(vectors), upload(after, device))
        return self.start_output(self.activate(hidden))[:, 0]

    def start_loss(
        self,
        vectors: Tensor,
        before: NDArray[np.int64],
        after: NDArray[np.int64],
        is_start: NDArray[np.bool_],
    ) -> Tensor:
        """Compute the negative log-likelihood of known boundaries, summed over them.

        Args:
            vectors: [n_tokens, n_inputs], the vectors of tokens.
            before: int64 [n], the word before each place.
            after: int64 [n], the word after it.
            is_start: bool [n], whether a sentence starts there.

        Returns:
            A scalar.
        """
        scores = self.score_starts(vectors, before, after)
        starts = upload(is_start, scores.device).to(scores.dtype)
        return nn.functional.binary_cross_entropy_with_logits(scores, starts, reduction="sum")


def take(rows: Tensor, places: Tensor) -> Tensor:
    """Copy rows to places. This is the same as indexing, but it and its gradient are several times
    as fast on CPU.

    Args:
        rows: [n_rows, width], the rows.
        places: int64 [...], the row at each place.

    Returns:
        [..., width], the copies.
    """
    return rows.index_select(0, places.flatten()).view(*places.shape, rows.shape[1])


def nodes_and_rows(lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Find the rows of the nodes of padded sentences, on the CPU.

    Args:
        lengths: int64 [n_sentences], the number of words of each sentence, on the CPU.

    Returns:
        int64 [size], the numbers of all nodes of the longest sentence, with 0 for the root; and
        int64 [n_sentences, size], the row of each node, with the last row as padding.
    """
    nodes = torch.arange(int(lengths.max()) + 1)
    roots = torch.cumsum(lengths + 1, dim=0) - (lengths + 1)
    return nodes, roots[:, None] + torch.minimum(nodes, lengths[:, None])


def distances_to_heads(nodes: Tensor, dependents: Tensor, bounds: Tensor) -> Tensor:
    """Find the bucket of the distance between nodes and each head, by side. The root has a bucket
    of its own.

    Args:
        nodes: [size], the numbers 0, 1, ….
        dependents: [n_dependents], some of these numbers.
        bounds: [n_bounds], the lower bounds of the buckets on either side.

    Returns:
        int64 [n_dependents, size], the buckets, at most 2 * n_bounds.
    """
    to_head = nodes - dependents[:, None]
    by_length = torch.bucketize(to_head.abs(), bounds, right=True)
    buckets = torch.where(to_head > 0, by_length + len(bounds), by_length)
    buckets[:, 0] = 0
    return buckets


def sentences_and_words(lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Find the place of each word in a padded batch, on the CPU.

    Args:
        lengths: int64 [n_sentences], the number of words of each sentence, on the CPU.

    Returns:
        int64 [n_words] each, the sentence of each word, and its number there, from 1.
    """
    sentence = torch.repeat_interleave(lengths)
    word = torch.arange(1, len(sentence) + 1)
    return sentence, word - (torch.cumsum(lengths, dim=0) - lengths)[sentence]
