"""The encoder of BERT and RoBERTa in torch."""

from __future__ import annotations

from collections.abc import Collection

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from spacy_npparse.models.transformer.frozen import FrozenLinear, FrozenNorm, FrozenTable


class EncoderNet(nn.Module):
    """The lower layers of a pretrained encoder. All are frozen except for the highest ones.

    Token types are not needed for single texts, so the embedding of the first type is added to
    those of positions.

    Args:
        hidden: The width of the vectors.
        inner: The width between the two feed-forward layers.
        heads: The number of attention heads in a layer.
        depth: The number of layers.
        n_pieces: The number of word pieces in the vocabulary.
        n_positions: The number of positions of a sequence.
        epsilon: The epsilon of the layer norms.
        n_tuned: The number of the highest layers that are tuned.

    Source: Devlin, Chang, Lee and Toutanova (2019).
    """

    positions: Tensor

    def __init__(
        self,
        hidden: int,
        inner: int,
        heads: int,
        depth: int,
        n_pieces: int,
        n_positions: int,
        epsilon: float,
        n_tuned: int = 0,
    ):
        super().__init__()
        self.n_tuned = n_tuned
        self.pieces = FrozenTable(n_pieces, hidden)
        self.register_buffer("positions", torch.zeros(n_positions, hidden))
        self.norm = FrozenNorm(hidden, epsilon)
        self.layers = nn.ModuleList(
            EncoderLayer(hidden, inner, heads, epsilon, is_tuned=number >= depth - n_tuned)
            for number in range(depth)
        )

    def forward(self, pieces: Tensor, lengths: Tensor, kept: Collection[int]) -> Tensor:
        """Encode sequences.

        Args:
            pieces: int64 [n_sequences, longest], the pieces of each sequence, with any padding.
            lengths: int64 [n_sequences], the lengths of the sequences, all positive.
            kept: The numbers of the layers whose outputs are returned, in ascending order, 0 for
                the embeddings.

        Returns:
            [n_sequences, longest, n_kept, hidden], the outputs.
        """
        places = torch.arange(pieces.shape[1], device=pieces.device)
        vectors = self.norm(self.pieces(pieces) + self.positions[: len(places)])
        is_inside = places < lengths[:, None]
        mask = None if bool(is_inside.all()) else is_inside[:, None, None, :]
        outputs = [vectors] if 0 in kept else []
        for number, layer in enumerate(self.layers, 1):
            if layer.is_tuned and torch.is_grad_enabled():
                # The backward pass computes what is inside the layer again, which saves memory.
                vectors = checkpoint(
                    layer, vectors, mask, use_reentrant=False, preserve_rng_state=False
                )
            else:
                vectors = layer(vectors, mask)
            if number in kept:
                outputs.append(vectors)
        return torch.stack(outputs, dim=2)


class EncoderLayer(nn.Module):
    """Self-attention and two feed-forward layers, each with a residual connection and a norm.

    Args:
        hidden: The width of the vectors.
        inner: The width between the two feed-forward layers.
        heads: The number of attention heads.
        epsilon: The epsilon of the layer norms.
        is_tuned: Whether the weights are tuned rather than frozen.
    """

    def __init__(self, hidden: int, inner: int, heads: int, epsilon: float, *, is_tuned: bool):
        super().__init__()
        self.heads = heads
        self.is_tuned = is_tuned
        linear, norm = (nn.Linear, nn.LayerNorm) if is_tuned else (FrozenLinear, FrozenNorm)
        self.attention_in = linear(hidden, 3 * hidden)
        self.attention_out = linear(hidden, hidden)
        self.attention_norm = norm(hidden, epsilon)
        self.inner = linear(hidden, inner)
        self.outer = linear(inner, hidden)
        self.norm = norm(hidden, epsilon)

    def forward(self, vectors: Tensor, mask: Tensor | None) -> Tensor:
        """Run the layer.

        Args:
            vectors: [n_sequences, longest, hidden], the inputs.
            mask: bool [n_sequences, 1, 1, longest], False for padding; None without padding.

        Returns:
            [n_sequences, longest, hidden], the outputs.
        """
        split = self.attention_in(vectors).unflatten(2, (3, self.heads, -1))
        query, key, value = split.permute(2, 0, 3, 1, 4)
        read = nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        attended = self.attention_out(read.transpose(1, 2).flatten(2))
        vectors = self.attention_norm(vectors + attended)
        return self.norm(vectors + self.outer(nn.functional.gelu(self.inner(vectors))))
