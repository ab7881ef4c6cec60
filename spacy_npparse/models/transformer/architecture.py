"""The encoder `spacy_npparse.Transformer.v1`, which reads words with a pretrained encoder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import torch
from spacy.attrs import SENT_START
from spacy.tokens import Doc
from thinc.api import Model, NumpyOps, torch2xp, xp2torch
from thinc.types import Floats2d
from torch import Tensor

from spacy_npparse.checks import check_arguments, check_dropout, check_range
from spacy_npparse.models.shim import TorchShim, torch_shim
from spacy_npparse.models.threads import threads_for
from spacy_npparse.models.transformer.folder import EncoderFolder
from spacy_npparse.models.transformer.memory import VectorMemory
from spacy_npparse.models.transformer.net import TransformerNet
from spacy_npparse.models.transformer.passage_vectors import passage_vectors
from spacy_npparse.models.transformer.pieces import Pieces
from spacy_npparse.models.transformer.weights import EncoderWeights, read_frozen
from spacy_npparse.models.upload import upload
from spacy_npparse.passages import (
    AS_GIVEN,
    AS_TEXT,
    Passage,
    doc_passages,
    expect_reader,
    word_places,
)

_NAME = "spacy_npparse.Transformer.v1"
# A path, a list of paths, or weights of a corpus by path.
Texts: TypeAlias = str | list[str] | dict[str, float] | None
# The names of the model's attributes.
_PIECES, _MEMORY = "pieces", "memory"
# The number of words that are encoded at once in prediction, at 3 kB for a word with a hidden width
# of 384.
_MOST_WORDS = 4000


def Transformer(
    folder: str | None = None,
    width: int = 128,
    layers: list[int] | None = None,
    dropout: float = 0.3,
    texts: Texts = None,
    tune: Literal["none"] | int = "none",
    tune_rate: float = 0.005,
    save_encoder: bool = True,
) -> Model[list[Doc], list[Floats2d]]:
    """Build an encoder that consists of a pretrained one and a learnt projection of a weighted mean
    of its layers.

    The vector of a word is the mean of those of its pieces. Sentences with given boundaries are
    encoded separately. If the boundaries are to be found, final punctuation ends a passage.
    Training sees both: Docs of one sentence are read as they are, and Docs of several sentences as
    if the boundaries were unknown.

    Frozen weights are rounded to 8 bits, and layers above those of the mean are dropped.

    Args:
        folder: The folder of a pretrained encoder in the format of Hugging Face (BERT, RoBERTa,
            XLM-R, CamemBERT), with config.json, tokenizer.json and model.safetensors. It is read
            when the pipeline is initialized, and when it is loaded if it is not saved with the
            pipeline.
        width: The width of the output vectors.
        layers: The numbers of the layers in the mean, in ascending order; 0 is the embeddings. None
            for up to four in the middle, which contain most of the syntax.
        dropout: The rate at which parts of the mean are dropped in training.
        texts: Files in any format, such as those of the treebank and more text. Only the word
            pieces that occur in them are kept, and other words are cut into smaller pieces. For a
            single language, a multilingual encoder becomes several times smaller. None to keep all
            pieces.
        tune: The number of layers that are tuned, counted downwards from the highest layer of the
            mean; "none" to freeze all of them.
        tune_rate: The learning rate of the tuned layers, as a factor of the optimizer's. Gradients
            are computed with checkpointing.
        save_encoder: Whether the frozen weights are saved with the pipeline. Otherwise, the
            pipeline has the checksum of their file, and several pipelines can share it. `texts`
            must be None.

    Returns:
        A thinc model from Docs to one [len(doc), width] array per Doc.

    Raises:
        ValueError: A setting has the wrong type or is out of range, or pieces are removed from an
            encoder that is not saved.

    Source: Devlin, Chang, Lee and Toutanova (2019); Tenney, Das and Pavlick (2019) for the middle
    layers; Straka, Straková and Hajič (2019) for frozen vectors below a parser's own encoder; Chen,
    Xu, Zhang and Guestrin (2016) for checkpointing.
    """
    read: dict[str, Any] = dict(
        folder=folder,
        layers=layers,
        texts=texts,
        tune=tune,
        tune_rate=tune_rate,
        save_encoder=save_encoder,
    )
    check_arguments(_NAME, Transformer, {**read, "width": width, "dropout": dropout})
    check_range(f"{_NAME}: width", width)
    check_dropout(f"{_NAME}: dropout", dropout)
    if tune != "none":
        check_range(f"{_NAME}: tune", tune)
    check_range(f"{_NAME}: tune_rate", tune_rate, least=0.0, most=1.0)
    if texts is not None and not texts:
        raise ValueError(f"{_NAME}: texts is {texts!r}. Give files, or null to keep all pieces")
    if texts is not None and not save_encoder:
        raise ValueError(
            f"{_NAME}: texts is set, but an encoder that is not saved keeps all pieces"
        )
    if layers is not None and (not layers or layers != sorted(set(layers)) or layers[0] < 0):
        raise ValueError(f"{_NAME}: layers is {layers}, but must be ascending numbers of layers")
    expect_reader()
    return Model(
        "transformer",
        forward,
        init=partial(init, **read),
        dims={"nO": width},
        attrs={"dropout": dropout, _PIECES: Pieces(), _MEMORY: VectorMemory()},
        shims=[TorchShim(TransformerNet, complete=partial(read_frozen, folder=folder))],
    )


def init(
    model: Model,
    X: list[Doc] | None = None,
    Y: Any = None,
    *,
    folder: str | None,
    layers: list[int] | None,
    texts: Texts,
    tune: Literal["none"] | int,
    tune_rate: float,
    save_encoder: bool,
) -> None:
    """Read the pretrained encoder.

    Args:
        model: The model that `Transformer` returned.
        X: Ignored.
        Y: Ignored.
        folder: The folder of the pretrained encoder.
        layers: The numbers of the layers in the mean; None for those in the middle.
        texts: The files whose word pieces are kept; None to keep all pieces.
        tune: The number of layers that are tuned; "none" to freeze all of them.
        tune_rate: The learning rate of the tuned layers, as a factor of the optimizer's.
        save_encoder: Whether the frozen weights are saved with the pipeline.

    Raises:
        ValueError: There is no folder, it has no usable encoder, or the encoder has too few layers.
    """
    if folder is None:
        raise ValueError(
            f"{_NAME}: folder is not set. Give the folder of a pretrained encoder in the format "
            "of Hugging Face."
        )
    source = EncoderFolder.open(folder)
    mixed = layers or _middle_layers(source.depth)
    if mixed[-1] > source.depth:
        raise ValueError(
            f"{_NAME}: layers is {mixed}, but the encoder of {folder} has {source.depth}"
        )
    n_tuned = 0 if tune == "none" else tune
    if n_tuned > mixed[-1]:
        raise ValueError(
            f"{_NAME}: tune is {tune}, but the highest of the layers that are used is {mixed[-1]}"
        )
    weights = EncoderWeights(source, depth=mixed[-1])
    pieces, kept = source.pieces().cut_to(None if texts is None else _lines(texts))
    shim = torch_shim(model, TransformerNet)
    sizes = dict(width=model.get_dim("nO"), n_mixed=len(mixed), n_pieces=len(kept))
    tuning = dict(n_tuned=n_tuned, tune_rate=tune_rate)
    shim.initialize(**sizes, **weights.sizes, **tuning, is_saved=save_encoder)
    weights.load(shim.net.encoder, kept)
    if not save_encoder:
        weights.note_checksum(shim.net.encoder)
    shim.net.layers.copy_(torch.tensor(mixed))
    model.attrs[_PIECES] = pieces
    model.attrs[_MEMORY].forget()


def _lines(texts: str | list[str] | dict[str, float]) -> Iterator[str]:
    """Read the lines of files, and of the files in folders."""
    for text in [texts] if isinstance(texts, str) else texts:
        path = Path(text)
        for file in sorted(path.iterdir()) if path.is_dir() else [path]:
            try:
                with file.open(encoding="utf8", errors="replace") as lines:
                    yield from lines
            except OSError as error:
                raise ValueError(f"{_NAME}: texts: {file}: {error.strerror}") from error


def _middle_layers(depth: int) -> list[int]:
    """Choose the layers 4 to 7 of twelve, and the corresponding ones of other encoders."""
    places = np.linspace(depth / 3, 7 * depth / 12, 4)
    return sorted({max(1, round(place)) for place in places.tolist()})


def forward(
    model: Model, docs: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], list]]:
    """Encode Docs.

    Args:
        model: The model that `Transformer` returned.
        docs: The Docs.
        is_train: Whether a backward pass may follow.

    Returns:
        float32 [len(doc), width] for each Doc, on the model's device; and the backward pass.
    """
    net = torch_shim(model, TransformerNet).net_in_mode(is_train)
    net.dropout = model.attrs["dropout"]
    lengths = [len(doc) for doc in docs]
    n_words = sum(lengths)
    if not n_words:
        return [model.ops.alloc2f(0, model.get_dim("nO")) for _ in docs], lambda _: []
    with torch.set_grad_enabled(is_train), threads_for(n_words):
        if is_train:
            vectors = net(training_vectors(model, docs))
        else:
            vectors = torch.cat([net(part) for part in _predicted_vectors(model, docs)])
    detached = torch2xp(vectors.detach(), ops=model.ops)
    # Thinc would wait for a GPU to read lengths from it.
    parts = model.ops.unflatten(detached, NumpyOps().asarray1i(lengths))
    outputs = cast(list[Floats2d], parts)

    def backprop(d_outputs: list[Floats2d]) -> list:
        gradient = model.ops.flatten([model.ops.as_contig(d) for d in d_outputs])
        with threads_for(n_words):
            vectors.backward(xp2torch(gradient, device=vectors.device))
        return []

    return outputs, backprop


def training_vectors(model: Model, docs: Sequence[Doc]) -> Tensor:
    """Look up the layers of the words of training examples, each in the passage that it is from.

    Args:
        model: The model that `Transformer` returned.
        docs: The Docs. A Doc of several sentences is read as plain text, because vectors of single
            sentences would give away the boundaries, which are to be learnt.

    Returns:
        [n_words, n_layers, hidden], the vectors of the layers.
    """
    first_rows: dict[Passage, int] = {}
    n_rows = 0
    rows = []
    for doc in docs:
        found = word_places(doc)
        numbers, words = found.places[:, _reading(doc)].T
        used, which = np.unique(numbers, return_inverse=True)
        passages = [found.passages[number] for number in used.tolist()]
        for passage in passages:
            if passage not in first_rows:
                first_rows[passage] = n_rows
                n_rows += len(passage)
        starts = np.array([first_rows[passage] for passage in passages], dtype=np.int64)
        rows.append(starts[which] + words)
    vectors = torch.cat([*_encode(model, first_rows, is_train=True).values()])
    chosen = upload(np.concatenate(rows), vectors.device)
    return _inputs(model, vectors[chosen])


def _reading(doc: Doc) -> int:
    """Determine how a Doc is read in training."""
    has_several = bool((doc.to_array(SENT_START)[1:] == 1).any())
    return AS_TEXT if has_several else AS_GIVEN


def _predicted_vectors(model: Model, docs: Sequence[Doc]) -> Iterator[Tensor]:
    """Compute the layers of the words of Docs, a few thousand words at once."""
    passages = [passage for doc in docs for passage in doc_passages(doc, AS_GIVEN)]
    ends = np.cumsum([len(passage) for passage in passages])
    first = 0
    while first < len(passages):
        done = ends[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(ends, done + _MOST_WORDS, side="right")))
        part = passages[first:last]
        vectors = _encode(model, part, is_train=False)
        yield _inputs(model, torch.cat([vectors[passage] for passage in part]))
        first = last


def _encode(model: Model, passages: Iterable[Passage], *, is_train: bool) -> dict[Passage, Tensor]:
    """Compute the vectors of passages. Those of tuned layers change, and are not remembered."""
    memory: VectorMemory = model.attrs[_MEMORY]
    found = {passage: memory.get(passage) for passage in passages}
    new = [passage for passage, vectors in found.items() if vectors is None]
    net = torch_shim(model, TransformerNet).net
    # On a GPU, reading the layers waits for all computations.
    layers = net.layers.tolist() if new else []
    encoded = passage_vectors(net.encoder, model.attrs[_PIECES], layers, new)
    if net.encoder.n_tuned:
        return dict(zip(new, encoded, strict=True))
    # Half precision is used even if they are not remembered, so that the results are the same.
    halves = torch.cat(encoded).half().cpu().split([*map(len, new)]) if new else ()
    for passage, vectors in zip(new, halves, strict=True):
        found[passage] = vectors.numpy()
        if is_train or memory.takes_predicted:
            memory.add(passage, vectors.numpy(), predicted=not is_train)
    return {passage: torch.from_numpy(vectors) for passage, vectors in found.items()}


def _inputs(model: Model, vectors: Tensor) -> Tensor:
    mix = torch_shim(model, TransformerNet).net.mix
    return upload(vectors, mix.device).to(mix.dtype)
