"""The static vectors of the pipeline's vocabulary, with a learnt projection."""

from collections.abc import Callable
from typing import Any

from spacy.ml.staticvectors import StaticVectors
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Ragged

from spacy_npparse.word_forms import has_multiword_tokens, word_forms

NAME = "vocabulary_vectors"


def VocabularyVectors(owner: str, width: int) -> Model[list[Doc], Ragged]:
    """Build the layer `StaticVectors` of spaCy, with a clear error if there are no vectors.

    Words without a vector get zeros. In training, dimensions of the output are dropped, as in
    spaCy's embedding layers.

    Args:
        owner: The name of the encoder in a config, for messages.
        width: The width of the output.

    Returns:
        A thinc model from Docs to the projected vectors of all their tokens, [n_tokens, width].
    """
    return Model(
        NAME,
        forward,
        init=init,
        layers=[StaticVectors(width, dropout=0.0)],
        attrs={"owner": owner},
    )


def init(model: Model, X: list[Doc] | None = None, Y: Any = None) -> None:
    """Initialize the projection.

    Args:
        model: The model that `VocabularyVectors` returned.
        X: Sample Docs, whose vocabulary has the vectors.
        Y: Ignored.

    Raises:
        ValueError: The vocabulary has no vectors.
    """
    if X and not X[0].vocab.vectors.shape[1]:
        raise ValueError(_message(model, "has none"))
    model.layers[0].initialize(X=X)


def forward(
    model: Model[list[Doc], Ragged], docs: list[Doc], is_train: bool
) -> tuple[Ragged, Callable[[Ragged], Any]]:
    """Project the vectors of Docs.

    Args:
        model: The model that `VocabularyVectors` returned.
        docs: The Docs, at least one.
        is_train: Whether a backward pass may follow.

    Returns:
        The projected vectors, and the backward pass.

    Raises:
        ValueError: The vocabulary has no vectors, or not those of the training.
    """
    (static_vectors,) = model.layers
    found, width = docs[0].vocab.vectors.shape[1], static_vectors.get_dim("nM")
    if found != width:
        has = f"has vectors of {found} dimensions" if found else "has none"
        raise ValueError(_message(model, f"{has}, where the encoder learnt from {width}"))
    projected, backprop = static_vectors([*map(_spelt, docs)], is_train)
    return projected, backprop


def _spelt(doc: Doc) -> Doc:
    """Make a Doc whose tokens are spelled as the forms of the words, because the layer of spaCy
    looks up the slices of multiword tokens."""
    return Doc(doc.vocab, word_forms(doc)) if has_multiword_tokens(doc) else doc


def _message(model: Model, found: str) -> str:
    return (
        f"{model.attrs['owner']}: include_static_vectors is true and needs the vectors of the "
        f"pipeline's vocabulary, which {found}. Train with --paths.vectors FOLDER, the folder that "
        "`python -m spacy init vectors` wrote; load a trained pipeline with its vocabulary; or "
        "train with include_static_vectors = false."
    )
