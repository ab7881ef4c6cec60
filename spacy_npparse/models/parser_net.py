"""The torch network that all parsers share: scores of arcs, their labels and sentence starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypedDict

import torch
from torch import Tensor, nn
from typing_extensions import NotRequired

from spacy_npparse.decoding import IMPOSSIBLE
from spacy_npparse.models.products import Linear

# Lower bounds of the buckets of distances, in words.
_DISTANCES = [1, 2, 3, 4, 5, 6, 8, 11, 16, 24, 41]
# Buckets on either side, and one for the root.
N_DISTANCES = 2 * len(_DISTANCES) + 1
# Most distances that are looked up at once; they take several times the memory of scores.
MAX_DISTANCES = 2**20


class SharedSizes(TypedDict):
    """Sizes of the scorers of arcs and labels.

    Attributes:
        n_labels: Arc labels, the root's excluded.
        arc_size: See `spacy_npparse.models.parser.ParserModel`.
        label_size: Likewise.
        dropout: Likewise.
        finds_sentences: Whether sentence starts are scored too.
    """

    n_labels: int
    arc_size: int
    label_size: int
    dropout: float
    finds_sentences: NotRequired[bool]


@dataclass
class Progress:
    """What is saved with the weights because it changes with them.

    Attributes:
        n_updates: How many updates of transition-based search they have had.
        normalised: Whether transitions are normalised to probabilities: as in the last training.
    """

    n_updates: int = 0
    normalised: bool = True


class ArcVectors(NamedTuple):
    """What the scores of arcs consist of.

    Attributes:
        heads: [..., arc_size], words and roots as heads.
        biases: [..., 1], of arcs from these heads.
        dependents: [..., arc_size], words and roots as dependents. Their products with heads are
            scores.
        distances: [..., N_DISTANCES], scores of the distance to the head.
    """

    heads: Tensor
    biases: Tensor
    dependents: Tensor
    distances: Tensor

    def take(self, places: Tensor) -> ArcVectors:
        """Copy rows to places: see `spacy_npparse.models.parser_net.take`."""
        return ArcVectors(*(take(part, places) for part in self))


class ParserNet(nn.Module):
    """Scores arcs, labels by the two words of an arc, and sentence starts by the words around.

    The hidden layer of the labels is linear in both words before the activation, so that a word
    is projected once, whatever the number of arcs it takes part in. All arcs of a sentence are
    scored at once: each word selects its head among the others, by their vectors and by their
    distance and side.

    A subclass adds the layers that score what its trees are factored into, and then calls
    `add_arc_and_label_scorers`.

    Args:
        n_inputs: Width of the token vectors.

    Attributes:
        progress: Of the training.

    Source: the biaffine arc scorer of Dozat and Manning (2017); sides and distances were found to
        help by Qi et al. (2018), who score them in another way.
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
        finds_sentences: bool = False,
    ) -> None:
        """Add the layers that all parsers have.

        Args:
            n_inputs: Width of the token vectors.
            n_labels: Arc labels, the root's excluded.
            arc_size: See `spacy_npparse.models.parser.ParserModel`.
            label_size: Likewise.
            dropout: Likewise.
            finds_sentences: Add the scorer of sentence starts.
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
        # A buffer moves to the device with the network; it is no weight, and is not saved.
        self.register_buffer("distance_bounds", torch.tensor(_DISTANCES), persistent=False)
        self.dropout = nn.Dropout(dropout)
        self.finds_sentences = finds_sentences
        if finds_sentences:
            self.start_before = Linear(n_inputs, label_size)
            self.start_after = Linear(n_inputs, label_size)
            self.start_output = nn.Linear(label_size, 1)

    def add_labels(self, places: Sequence[int], n_labels: int, *, bias: float = 0.0) -> None:
        """Make room for more labels. What is known of the old ones is kept, gradients included.

        Args:
            places: The new numbers of the old labels, ascending.
            n_labels: Arc labels from now on, the root's excluded.
            bias: Of the new labels. Their weights are initialized as those of a new layer.
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

    def with_root(self, vectors: Tensor) -> Tensor:
        """Vectors of all tokens and, last, of the root: [n_tokens + 1, n_inputs]."""
        return torch.cat([vectors, self.root[None]])

    def project_tokens(self, vectors: Tensor) -> tuple[Tensor, ArcVectors]:
        """Compute once what sentences are found with, and then parsed.

        Args:
            vectors: [n_tokens, n_inputs].

        Returns:
            What `with_root` and then `project_for_arcs` return.
        """
        rows = self.with_root(vectors)
        return rows, self.project_for_arcs(rows)

    def project_for_arcs(self, rows: Tensor) -> ArcVectors:
        """Compute what each row adds to the scores of its arcs.

        Args:
            rows: [n_rows, n_inputs], vectors of roots and words.

        Returns:
            What `score_arcs` takes.
        """
        as_head = torch.relu(self.arc_head(rows))
        as_dependent = self.dropout(torch.relu(self.arc_dependent(rows)))
        return ArcVectors(
            self.dropout(as_head),
            self.arc_bias(as_head),
            as_dependent @ self.arc_weight,
            self.arc_distance(as_dependent),
        )

    def score_arcs(
        self, rows: Tensor | ArcVectors, lengths: Tensor, tokens: Tensor | None = None
    ) -> Tensor:
        """Score all arcs by themselves.

        Args:
            rows: [n_rows, n_inputs], vectors of each sentence's root and words; or what
                `project_tokens` returns for the tokens of Docs.
            lengths: int64 [n_sentences], words of each sentence.
            tokens: int64 [n_rows], the token of each sentence's root and words, if `rows` is of
                tokens.

        Returns:
            Log-probability of each head of each word among all words and the root: [n_sentences,
            size, size], dependents in the second dimension, size = longest sentence + 1.
        """
        nodes, places = nodes_and_rows(lengths)
        if isinstance(rows, Tensor):
            rows = self.project_for_arcs(rows)
        places = places if tokens is None else tokens[places]
        heads, biases, dependents, by_distance = rows.take(places)
        absent = (nodes > lengths[:, None]) * IMPOSSIBLE
        bias = biases.squeeze(2) + absent
        scores = torch.baddbmm(bias[:, None], dependents, heads.mT)
        step = max(1, MAX_DISTANCES // len(nodes))
        for start in range(0, len(nodes), step):
            part = slice(start, start + step)
            distances = distances_to_heads(nodes, nodes[part], self.distance_bounds)
            scores[:, part] += by_distance[:, part].gather(2, distances.expand(len(places), -1, -1))
        scores.diagonal(dim1=1, dim2=2).fill_(IMPOSSIBLE)
        return scores.log_softmax(dim=2)

    def head_selection_loss(
        self, arcs: Tensor, lengths: Tensor, heads: Tensor, weights: Tensor
    ) -> Tensor:
        """Cross-entropy of heads, summed over words.

        It teaches the encoder about every word and its head, also where a derivation never
        compares the two.

        Args:
            arcs: What `score_arcs` returns.
            lengths: int64 [n_sentences], words of each sentence.
            heads: int64 [n_words, n_heads], in the sentence, 0 for the root.
            weights: [n_words, n_heads], how probable each of them should be.
        """
        sentence, word = sentences_and_words(lengths)
        return -(arcs[sentence[:, None], word[:, None], heads] * weights).sum()

    def score_labels(
        self, projected: tuple[Tensor, Tensor], heads: Tensor, dependents: Tensor
    ) -> Tensor:
        """Score all labels of some arcs.

        Args:
            projected: [n_rows, label_size] each: all words by `label_head` and `label_dependent`,
                once for all arcs.
            heads: int64 [n_arcs], the row of the head.
            dependents: int64 [n_arcs], the row of the dependent.

        Returns:
            [n_arcs, n_labels], not normalised.
        """
        as_head, as_dependent = projected
        hidden = take(as_head, heads) + take(as_dependent, dependents)
        return self.label_output(self.dropout(torch.relu(hidden)))

    def score_starts(self, vectors: Tensor, before: Tensor, after: Tensor) -> Tensor:
        """Score the boundaries between adjacent words, if the network finds sentences.

        Args:
            vectors: [n_tokens, n_inputs].
            before: int64 [n], the word before each boundary.
            after: int64 [n], the word that would start a sentence.

        Returns:
            Log-odds of the boundaries: [n].
        """
        hidden = take(self.start_before(vectors), before) + take(self.start_after(vectors), after)
        return self.start_output(self.dropout(torch.relu(hidden)))[:, 0]


def take(rows: Tensor, places: Tensor) -> Tensor:
    """Copy rows to places. It is indexing, but several times as fast on CPU, as is its gradient.

    Args:
        rows: [n_rows, width].
        places: int64 [...], the row at each place.

    Returns:
        [..., width].
    """
    return rows.index_select(0, places.flatten()).unflatten(0, places.shape)


def nodes_and_rows(lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Where the nodes of padded sentences stand among the rows.

    Args:
        lengths: int64 [n_sentences], words of each sentence.

    Returns:
        The numbers of all nodes of the longest sentence, 0 being the root: int64 [size]. And the
        row of each node of each sentence, the last one as padding: int64 [n_sentences, size].
    """
    nodes = torch.arange(int(lengths.max()) + 1, device=lengths.device)
    roots = torch.cumsum(lengths + 1, dim=0) - (lengths + 1)
    return nodes, roots[:, None] + torch.minimum(nodes, lengths[:, None])


def distances_to_heads(nodes: Tensor, dependents: Tensor, bounds: Tensor) -> Tensor:
    """Bucket the distance of some nodes to each head, by side. The root has a bucket of its own.

    Args:
        nodes: [size], 0, 1, ….
        dependents: [n_dependents], some of them.
        bounds: [n_bounds], the lower bounds of the buckets of either side.

    Returns:
        int64 [n_dependents, size], at most 2 * n_bounds.
    """
    to_head = nodes - dependents[:, None]
    by_length = torch.bucketize(to_head.abs(), bounds, right=True)
    buckets = torch.where(to_head > 0, by_length + len(bounds), by_length)
    buckets[:, 0] = 0
    return buckets


def sentences_and_words(lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Where each word stands in a padded batch.

    Args:
        lengths: int64 [n_sentences], words of each sentence.

    Returns:
        The sentence of each word, and its number there, from 1: int64 [n_words] each.
    """
    sentence = torch.repeat_interleave(lengths)
    word = torch.arange(1, len(sentence) + 1, device=lengths.device)
    return sentence, word - (torch.cumsum(lengths, dim=0) - lengths)[sentence]
