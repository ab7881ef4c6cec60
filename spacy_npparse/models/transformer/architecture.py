"""`spacy_npparse.Transformer.v1`: the words of a pretrained encoder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
import torch
from spacy.attrs import SENT_START
from spacy.tokens import Doc
from thinc.api import Model, torch2xp, xp2torch
from thinc.types import Floats2d

from spacy_npparse.checks import check_arguments, check_dropout, check_range
from spacy_npparse.models.shim import TorchShim, torch_shim
from spacy_npparse.models.threads import threads_for
from spacy_npparse.models.transformer.folder import EncoderFolder
from spacy_npparse.models.transformer.memory import Halves, VectorMemory
from spacy_npparse.models.transformer.net import TransformerNet
from spacy_npparse.models.transformer.passage_vectors import passage_vectors
from spacy_npparse.models.transformer.pieces import Pieces
from spacy_npparse.models.transformer.weights import EncoderWeights
from spacy_npparse.passages import (
    AS_GIVEN,
    AS_TEXT,
    Passage,
    doc_passages,
    expect_reader,
    word_places,
)

_NAME = "spacy_npparse.Transformer.v1"
# One path, several, or by path how often training reads it.
Texts: TypeAlias = str | list[str] | dict[str, float] | None
# Attributes of the model.
_PIECES, _MEMORY = "pieces", "memory"
# In prediction, so many words are encoded at once: 3 kB each with a hidden width of 384.
_MOST_WORDS = 4000


def Transformer(
    folder: str | None = None,
    width: int = 128,
    layers: list[int] | None = None,
    dropout: float = 0.3,
    texts: Texts = None,
) -> Model[list[Doc], list[Floats2d]]:
    """Build the encoder: a pretrained one that remains as it is, and a learnt projection of a
    weighted mean of its layers.

    A word has the mean of the vectors of its pieces. Each sentence that a Doc gives is encoded by
    itself; where sentences are to be found, a passage is what final punctuation ends. Training
    sees both: Docs of one sentence as they are given, and those of several as if their sentences
    were not known.

    Weights are rounded to 8 bits; layers above those of the mean are left out. What is left is
    saved with the pipeline, which does not need the folder any more.

    Args:
        folder: Of a pretrained encoder as Hugging Face has it (BERT, RoBERTa, XLM-R, CamemBERT),
            with config.json, tokenizer.json and model.safetensors. Read when the pipeline is
            initialized.
        width: Of the output vectors.
        layers: Those that are mixed, 1 being the lowest, in ascending order. None: up to four in
            the middle, which know most of syntax.
        dropout: Rate at which parts of the mean are dropped in training.
        texts: Files whose pieces are kept, in any format: those of the treebank, and more text.
            Words that need others are cut into smaller ones. A multilingual encoder for one
            language becomes several times as small. None: all pieces are kept.

    Returns:
        A thinc model from Docs to one [len(doc), width] array per Doc.

    Raises:
        ValueError: If a setting is of another type or out of range.

    Source: Devlin, Chang, Lee and Toutanova (2019); the middle layers as in Tenney, Das and
        Pavlick (2019); frozen, under a parser's own encoder, as in Straka, Straková and Hajič
        (2019).
    """
    arguments = dict(folder=folder, width=width, layers=layers, dropout=dropout, texts=texts)
    check_arguments(_NAME, Transformer, arguments)
    check_range(f"{_NAME}: width", width)
    check_dropout(f"{_NAME}: dropout", dropout)
    if layers is not None and (not layers or layers != sorted(set(layers)) or layers[0] < 0):
        raise ValueError(f"{_NAME}: layers is {layers}, but must be ascending numbers of layers")
    expect_reader()
    return Model(
        "transformer",
        forward,
        init=partial(init, folder=folder, layers=layers, texts=texts),
        dims={"nO": width},
        attrs={"dropout": dropout, _PIECES: Pieces(), _MEMORY: VectorMemory()},
        shims=[TorchShim(TransformerNet)],
    )


def init(
    model: Model,
    X: list[Doc] | None = None,
    Y: Any = None,
    *,
    folder: str | None,
    layers: list[int] | None,
    texts: Texts,
) -> None:
    """Read the pretrained encoder.

    Args:
        model: What `Transformer` returns.
        X: Not looked at.
        Y: Not looked at.
        folder: See `Transformer`.
        layers: Likewise.
        texts: Likewise.

    Raises:
        ValueError: If there is no folder, or it has no encoder that can be used.
    """
    if folder is None:
        raise ValueError(
            f"{_NAME}: folder is not set. Give that of a pretrained encoder as Hugging Face has it."
        )
    source = EncoderFolder.open(folder)
    mixed = layers or _middle_layers(source.depth)
    if mixed[-1] > source.depth:
        raise ValueError(
            f"{_NAME}: layers is {mixed}, but the encoder of {folder} has {source.depth}"
        )
    weights = EncoderWeights(source, depth=mixed[-1])
    pieces, kept = source.pieces().cut_to(None if texts is None else _lines(texts))
    shim = torch_shim(model, TransformerNet)
    sizes = dict(width=model.get_dim("nO"), n_mixed=len(mixed), n_pieces=len(kept))
    shim.initialize(**sizes, **weights.sizes)
    weights.load(shim.net.encoder, kept)
    shim.net.layers.copy_(torch.tensor(mixed))
    model.attrs[_PIECES] = pieces
    model.attrs[_MEMORY].forget()


def _lines(texts: str | list[str] | dict[str, float]) -> Iterator[str]:
    """The lines of files, and of the files of folders."""
    for text in [texts] if isinstance(texts, str) else texts:
        path = Path(text)
        for file in sorted(path.iterdir()) if path.is_dir() else [path]:
            with file.open(encoding="utf8", errors="replace") as lines:
                yield from lines


def _middle_layers(depth: int) -> list[int]:
    """Four from 4 to 7 of twelve layers, and as far up in others."""
    places = np.linspace(depth / 3, 7 * depth / 12, 4)
    return sorted({max(1, round(place)) for place in places.tolist()})


def forward(
    model: Model, docs: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], list]]:
    """Encode Docs.

    Args:
        model: What `Transformer` returns.
        docs: The Docs.
        is_train: Whether a backward pass may follow.

    Returns:
        One array [len(doc), width] for each Doc, float32, on the model's device; and the backward
        pass.
    """
    net = torch_shim(model, TransformerNet).net
    net.train(is_train)
    net.dropout = model.attrs["dropout"]
    lengths = [len(doc) for doc in docs]
    n_words = sum(lengths)
    if not n_words:
        return [model.ops.alloc2f(0, model.get_dim("nO")) for _ in docs], lambda _: []
    with torch.set_grad_enabled(is_train), threads_for(n_words):
        if is_train:
            vectors = net(_tensor(net, training_vectors(model, docs)))
        else:
            parts = [net(_tensor(net, part)) for part in _predicted_vectors(model, docs)]
            vectors = torch.cat(parts)
    detached = torch2xp(vectors.detach(), ops=model.ops)
    outputs = cast(list[Floats2d], model.ops.unflatten(detached, model.ops.asarray1i(lengths)))

    def backprop(d_outputs: list[Floats2d]) -> list:
        gradient = model.ops.flatten([model.ops.as_contig(d) for d in d_outputs])
        vectors.backward(xp2torch(gradient, device=vectors.device))
        return []

    return outputs, backprop


def training_vectors(model: Model, docs: Sequence[Doc]) -> Halves:
    """Look up the layers of the words of training examples, each in the passage that it is from.

    Args:
        model: What `Transformer` returns.
        docs: The Docs. One of several sentences is read as plain text: its boundaries are to be
            learnt, and vectors of single sentences would tell them.

    Returns:
        [n_words, n_layers, hidden].
    """
    found = [word_places(doc) for doc in docs]
    places = [one.places[:, _reading(doc)] for one, doc in zip(found, docs, strict=True)]
    used = [
        {number: one.passages[number] for number in np.unique(at[:, 0]).tolist()}
        for one, at in zip(found, places, strict=True)
    ]
    vectors = _encode(model, [passage for passages in used for passage in passages.values()], True)
    rows = [
        vectors[passages[number]][word]
        for passages, at in zip(used, places, strict=True)
        for number, word in at.tolist()
    ]
    return np.stack(rows)


def _reading(doc: Doc) -> int:
    """How a Doc is read in training."""
    has_several = bool((doc.to_array(SENT_START)[1:] == 1).any())
    return AS_TEXT if has_several else AS_GIVEN


def _predicted_vectors(model: Model, docs: Sequence[Doc]) -> Iterator[Halves]:
    """The layers of the words of Docs, a few thousand words at once."""
    passages = [passage for doc in docs for passage in doc_passages(doc, AS_GIVEN)]
    ends = np.cumsum([len(passage) for passage in passages])
    # What is going on is a training if there is something to remember.
    remember = bool(len(model.attrs[_MEMORY]))
    first = 0
    while first < len(passages):
        done = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, done + _MOST_WORDS, side="right")))
        part = passages[first:last]
        vectors = _encode(model, part, remember)
        yield np.concatenate([vectors[passage] for passage in part])
        first = last


def _encode(model: Model, passages: Iterable[Passage], remember: bool) -> dict[Passage, Halves]:
    """The vectors of passages."""
    memory: VectorMemory = model.attrs[_MEMORY]
    found = {passage: memory.get(passage) for passage in passages}
    new = [passage for passage, vectors in found.items() if vectors is None]
    net = torch_shim(model, TransformerNet).net
    layers = net.layers.tolist()
    for passage, vectors in zip(
        new, passage_vectors(net.encoder, model.attrs[_PIECES], layers, new), strict=True
    ):
        found[passage] = vectors
        if remember:
            memory.add(passage, vectors)
    return cast(dict[Passage, Halves], found)


def _tensor(net: TransformerNet, vectors: Halves) -> torch.Tensor:
    return torch.from_numpy(vectors).to(net.mix.device).float()
