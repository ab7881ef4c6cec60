"""The encoder `spacy_npparse.CharBiLSTM.v1`: a bidirectional LSTM over words and characters."""

from collections.abc import Callable
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from spacy.tokens import Doc
from thinc.api import Model, NumpyOps, torch2xp, xp2torch
from thinc.types import Floats2d, Ragged

from spacy_npparse.checks import MOST, MOST_ROWS, check_arguments, check_dropout, check_range
from spacy_npparse.models.char_bilstm_net import CharBiLSTMNet, WordBatch
from spacy_npparse.models.forms import forms_as_read, sequence_begins
from spacy_npparse.models.saved_length import Length
from spacy_npparse.models.shim import TorchShim, torch_shim
from spacy_npparse.models.spellings import AFFIXES, shared_spellings
from spacy_npparse.models.threads import threads_for
from spacy_npparse.models.treebank_embedding import (
    CHOICE,
    NAMES,
    TreebankChoice,
    corpus_treebanks,
    names_no_treebank,
    weights_of_docs,
)
from spacy_npparse.models.vocabulary_vectors import NAME as VECTORS
from spacy_npparse.models.vocabulary_vectors import VocabularyVectors

_NAME = "spacy_npparse.CharBiLSTM.v1"
# The maximum number of words in Docs that are encoded at once in prediction, at 10 kB for a word.
MOST_WORDS = 20_000


def CharBiLSTM(
    width: int = 320,
    depth: int = 2,
    word_width: int = 128,
    word_rows: int = 5000,
    char_width: int = 64,
    char_rows: int = 2048,
    affix_width: int = 32,
    affix_rows: int = 10000,
    max_chars: int = 32,
    block_dropout: float = 0.0,
    spelling_dropout: float = 0.0,
    include_static_vectors: bool = False,
    treebank_embedding: bool = False,
    treebank: str | None = None,
    transformer: Model[list[Doc], list[Floats2d]] | None = None,
) -> Model[list[Doc], list[Floats2d]]:
    """Build an encoder that can replace any tok2vec layer of spaCy.

    A word is represented by its spelling (characters and affixes) and, if it occurred at least
    twice in training, by an embedding of its own. In training, this embedding is dropped with a
    probability that decreases with the word's frequency, so that the network learns to represent
    unknown words by their spelling alone. The vocabulary is collected during training, not
    beforehand. If a Doc has sentence boundaries, the context of words ends there, so that a
    sentence has the same vectors alone and in a document. In training, where the boundaries are to
    be learnt, it does not. Long sentences and Docs without boundaries are read in overlapping
    windows.

    Args:
        width: The width of the output vectors, both directions together; even.
        depth: The number of layers of the LSTM over words.
        word_width: The width of the word embeddings.
        word_rows: The maximum number of words with an embedding.
        char_width: The width of the character embeddings, and of one direction of the LSTM over
            characters.
        char_rows: The number of rows of the character table. The row of a character is its code
            point modulo this number.
        affix_width: The width of the embedding of each affix.
        affix_rows: The number of rows of the hash table of each affix.
        max_chars: The maximum number of characters that are read. Longer words keep the first and
            the last ones.
        block_dropout: The rate at which whole words are masked in training, so that their
            neighbours do not rely on them.
        spelling_dropout: The dropout rate of whole affixes, and of the inputs and outputs of the
            LSTM over characters. It keeps the network from recognising a rare word by an affix or a
            sequence of characters that no other word has.
        include_static_vectors: Whether to add a learnt projection of the word's vector in the
            pipeline's vocabulary, as in spaCy's embedding layers. The vectors are saved with the
            vocabulary, not with the encoder.
        treebank_embedding: Whether to add an embedding of the treebank that a Doc is from. The
            treebanks are those of the training corpus.
        treebank: The treebank of Docs that do not name one: its name, or weights that interpolate
            several embeddings, such as "en_lines=0.7,sv_lines=0.3". None for the mean of all, with
            a warning. Can be changed when a pipeline is loaded, and by `use_treebank`.
        transformer: A `spacy_npparse.Transformer.v1` whose vectors the LSTM reads in addition to
            those of words and spellings; None if there is none.

    Returns:
        A thinc model from Docs to one [len(doc), width] array per Doc.

    Raises:
        ValueError: A setting has the wrong type or is out of range, `width` is odd, or there is a
            `treebank` without `treebank_embedding`.

    Source: Plank, Søgaard and Goldberg (2016) for words and characters together, summed as in
    Bojanowski et al. (2017); Kiperwasser and Goldberg (2016) for the dropout of rare words; the
    released parser of Gómez-Rodríguez, Shi and Lee (2018) for that of whole words; Stymne, de
    Lhoneux, Smith and Nivre (2018) for treebank embeddings.
    """
    sizes = dict(
        width=width,
        depth=depth,
        word_width=word_width,
        word_rows=word_rows,
        char_width=char_width,
        char_rows=char_rows,
        affix_width=affix_width,
        affix_rows=affix_rows,
    )
    rates = dict(block_dropout=block_dropout, spelling_dropout=spelling_dropout)
    others = dict(
        max_chars=max_chars,
        include_static_vectors=include_static_vectors,
        treebank_embedding=treebank_embedding,
        treebank=treebank,
        transformer=transformer,
    )
    check_arguments(_NAME, CharBiLSTM, {**sizes, **rates, **others})
    for name, size in {**sizes, "max_chars": max_chars}.items():
        # One row of the character table is padding.
        least = 2 if name == "char_rows" else 1
        check_range(f"{_NAME}: {name}", size, least, MOST_ROWS if name.endswith("_rows") else MOST)
    for name, rate in rates.items():
        check_dropout(f"{_NAME}: {name}", rate)
    if width % 2:
        raise ValueError(f"{_NAME}: width is {width}, but must be even")
    if treebank is not None and not treebank_embedding:
        raise ValueError(f"{_NAME}: treebank is set, but treebank_embedding is false")
    return Model(
        "char_bilstm",
        forward,
        init=partial(
            init,
            sizes={**sizes, "n_affixes": len(AFFIXES)},
            treebank_embedding=treebank_embedding,
        ),
        layers=[
            *([VocabularyVectors(_NAME, word_width)] if include_static_vectors else []),
            *([transformer] if transformer is not None else []),
        ],
        dims={"nO": width},
        attrs={
            "dropout_rate": 0.0,
            **rates,
            "max_chars": Length(max_chars),
            NAMES: [],
            CHOICE: TreebankChoice(treebank),
        },
        shims=[TorchShim(CharBiLSTMNet)],
    )


def init(
    model: Model,
    X: list[Doc] | None = None,
    Y: Any = None,
    *,
    sizes: dict,
    treebank_embedding: bool,
) -> None:
    """Build the network.

    Args:
        model: The model that `CharBiLSTM` returned.
        X: Sample Docs, whose vocabulary has the static vectors, and whose `user_data` has the
            treebanks of the corpus. Nothing else depends on them.
        Y: Ignored.
        sizes: The sizes of the network.
        treebank_embedding: Whether treebanks have embeddings.

    Raises:
        ValueError: Treebanks have embeddings, and Docs do not name their treebank.
    """
    for layer in model.layers:
        layer.initialize(X=X)
    # `spacy pretrain` reads the corpus before it initializes the model with another Doc.
    if treebank_embedding and not (model.attrs[NAMES] and names_no_treebank(X or [])):
        model.attrs[NAMES] = corpus_treebanks(_NAME, X or [])
    _, transformer = _static_and_beside(model)
    torch_shim(model, CharBiLSTMNet).initialize(
        **sizes,
        n_treebanks=len(model.attrs[NAMES]),
        beside_width=transformer.get_dim("nO") if transformer else 0,
    )


def forward(
    model: Model, docs: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], list]]:
    """Encode Docs.

    Args:
        model: The model that `CharBiLSTM` returned.
        docs: The Docs.
        is_train: Whether a backward pass may follow.

    Returns:
        float32 [len(doc), width] for each Doc, on the model's device; and the backward pass.
    """
    ends = [*accumulate(map(len, docs))]
    n_words = ends[-1] if ends else 0
    if not n_words:
        return [model.ops.alloc2f(0, model.get_dim("nO")) for _ in docs], _no_gradient
    if not is_train and len(docs) > 1 and n_words > MOST_WORDS:
        # Halving the batch saves memory and does not change vectors, which do not depend on other
        # Docs.
        middle = len(docs) // 2
        parts = [forward(model, part, False)[0] for part in (docs[:middle], docs[middle:])]
        return parts[0] + parts[1], _no_gradient
    shim = torch_shim(model, CharBiLSTMNet)
    net = shim.net_in_mode(is_train)
    # The sizes of the tables are those of the weights, whatever the config says.
    sizes = (model.attrs["max_chars"], shim.cfg["char_rows"], shim.cfg["affix_rows"])
    encoded = [doc for doc in docs if len(doc)]
    batch, doc_of_sequence = make_batch(encoded, *sizes, cut=not is_train)
    if is_train:
        rates = ("dropout_rate", "block_dropout", "spelling_dropout")
        net.set_dropout(*(model.attrs[name] for name in rates))
    treebanks = weights_of_docs(model, encoded, is_train)
    if treebanks is not None:
        treebanks = treebanks[doc_of_sequence]
    (static, backprop_static), (beside, backprop_beside) = (
        _read(layer, docs, is_train) for layer in _static_and_beside(model)
    )
    with torch.set_grad_enabled(is_train), threads_for(n_words):
        vectors = net(batch, static, treebanks, beside)
    detached = torch2xp(vectors.detach(), ops=model.ops)
    outputs = [cast(Floats2d, detached[start:end]) for start, end in pairwise([0, *ends])]

    def backprop(d_outputs: list[Floats2d]) -> list:
        gradient = model.ops.flatten([model.ops.as_contig(d) for d in d_outputs])
        with threads_for(n_words):
            vectors.backward(xp2torch(gradient, device=vectors.device))
        backprop_static()
        backprop_beside()
        return []

    return outputs, backprop


def _static_and_beside(model: Model) -> tuple[Model | None, Model | None]:
    """Find the layers of static vectors and of the transformer."""
    static = next((layer for layer in model.layers if layer.name == VECTORS), None)
    return static, next((layer for layer in model.layers if layer is not static), None)


def _read(
    layer: Model | None, docs: list[Doc], is_train: bool
) -> tuple[torch.Tensor | None, Callable[[], Any]]:
    """Compute the vectors of all words by a layer, [n_words, width], if it exists; and the backward
    pass, which takes their gradient from the tensor."""
    if layer is None:
        return None, lambda: None
    found, backprop = layer(docs, is_train)
    is_ragged = isinstance(found, Ragged)
    vectors = found.dataXd if is_ragged else layer.ops.flatten(found)
    tensor = xp2torch(vectors, requires_grad=is_train)

    def backprop_tensor() -> Any:
        gradient = cast(Floats2d, torch2xp(cast(torch.Tensor, tensor.grad), ops=layer.ops))
        if is_ragged:
            return backprop(Ragged(gradient, found.lengths))
        # Thinc would wait for a GPU to read lengths from it.
        lengths = NumpyOps().asarray1i([len(doc) for doc in docs])
        return backprop(layer.ops.unflatten(gradient, lengths))

    return tensor, backprop_tensor


def _no_gradient(d_outputs: list[Floats2d]) -> list:
    return []


def make_batch(
    docs: list[Doc], max_chars: int, char_rows: int, affix_rows: int, *, cut: bool
) -> tuple[WordBatch, NDArray[np.int64]]:
    """Collect the different word forms of Docs, their spellings and their occurrences.

    Args:
        docs: The Docs, none of them empty.
        max_chars: The maximum number of characters that are read.
        char_rows: The number of rows of the character table.
        affix_rows: The number of rows of the table of each affix.
        cut: Whether each sentence of a Doc is a sequence of its own.

    Returns:
        The input of the network, and the number of the Doc of each sequence.
    """
    begins = sequence_begins(docs, cut=cut)
    forms, form_of_word = forms_as_read(docs, begins)
    spellings = shared_spellings(max_chars, char_rows, affix_rows)
    chars, n_chars, affixes = spellings.look_up(forms, docs[0].vocab.strings)
    batch = WordBatch(
        chars=chars,
        n_chars=n_chars,
        affixes=affixes,
        words=forms,
        form_of_word=form_of_word.reshape(-1),
        lengths=np.bincount(begins.cumsum() - 1).tolist(),
    )
    return batch, np.repeat(np.arange(len(docs)), list(map(len, docs)))[begins]
