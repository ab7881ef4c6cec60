"""The encoder of BERT and RoBERTa in torch."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import TypeAlias

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from spacy_npparse.models.transformer.frozen import FrozenLinear, FrozenNorm, FrozenTable
from spacy_npparse.models.upload import upload

# What makes the parts of a layer, given their widths.
MakeLinear: TypeAlias = Callable[[int, int], nn.Module]
MakeNorm: TypeAlias = Callable[[int], nn.Module]
Kinds: TypeAlias = tuple[MakeLinear, MakeNorm]


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
        is_saved: Whether the frozen weights are part of the state of the network. Otherwise, it has
            the SHA-256 checksum of the file that they are from.

    Source: Devlin, Chang, Lee and Toutanova (2019).
    """

    positions: Tensor
    checksum: Tensor

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
        is_saved: bool = True,
    ):
        super().__init__()
        self.n_frozen, self.n_tuned, self.is_saved = depth - n_tuned, n_tuned, is_saved
        self.pieces = FrozenTable(n_pieces, hidden, is_saved)
        self.register_buffer("positions", torch.zeros(n_positions, hidden), persistent=is_saved)
        if not is_saved:
            self.register_buffer("checksum", torch.zeros(32, dtype=torch.uint8))
        self.norm = FrozenNorm(hidden, epsilon, is_saved)
        frozen: Kinds = (
            partial(FrozenLinear, is_saved=is_saved),
            partial(FrozenNorm, epsilon=epsilon, is_saved=is_saved),
        )
        tuned: Kinds = nn.Linear, partial(nn.LayerNorm, eps=epsilon)
        kinds = [frozen] * self.n_frozen + [tuned] * n_tuned
        self.layers = nn.ModuleList(EncoderLayer(hidden, inner, heads, *kind) for kind in kinds)

    def forward(self, pieces: Tensor, lengths: Tensor, kept: Collection[int]) -> Tensor:
        """Encode sequences.

        Args:
            pieces: int64 [n_sequences, longest], the pieces of each sequence, with any padding.
            lengths: int64 [n_sequences], the lengths of the sequences, all positive, on the CPU.
            kept: The numbers of the layers whose outputs are returned, in ascending order, 0 for
                the embeddings.

        Returns:
            [n_sequences, longest, n_kept, hidden], the outputs.
        """
        vectors = self.norm(self.pieces(pieces) + self.positions[: pieces.shape[1]])
        mask = None
        if int(lengths.min()) < pieces.shape[1]:
            is_inside = torch.arange(pieces.shape[1]) < lengths[:, None]
            mask = upload(is_inside[:, None, None, :], pieces.device)
        outputs = [vectors] if 0 in kept else []
        for number, layer in enumerate(self.layers, 1):
            if number > self.n_frozen and torch.is_grad_enabled():
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
        linear: Makes a linear layer, given the widths of its input and output.
        norm: Makes a layer norm, given its width.
    """

    def __init__(self, hidden: int, inner: int, heads: int, linear: MakeLinear, norm: MakeNorm):
        super().__init__()
        self.heads = heads
        self.attention_in = linear(hidden, 3 * hidden)
        self.attention_out = linear(hidden, hidden)
        self.attention_norm = norm(hidden)
        self.inner = linear(hidden, inner)
        self.outer = linear(inner, hidden)
        self.norm = norm(hidden)

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
