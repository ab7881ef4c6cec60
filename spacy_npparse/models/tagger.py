"""The taggers `spacy_npparse.Tagger.v1`, for many labels, and `spacy_npparse.LinearTagger.v1`."""

from __future__ import annotations

from spacy.tokens import Doc
from thinc.api import Linear, Model, NumpyOps, Softmax_v2, chain, glorot_uniform_init, with_array
from thinc.types import Floats2d

from spacy_npparse.checks import check_arguments, check_range
from spacy_npparse.models.ops import TorchProductOps

_NAME = "spacy_npparse.Tagger.v1"
_LINEAR_NAME = "spacy_npparse.LinearTagger.v1"


def TaggerModel(
    tok2vec: Model[list[Doc], list[Floats2d]], hidden_size: int = 64
) -> Model[list[Doc], list[Floats2d]]:
    """Build a softmax classifier of words whose weight matrix is a product of two matrices of lower
    rank.

    It can replace `spacy.Tagger.v2` in spaCy's `tagger`, `morphologizer` and
    `trainable_lemmatizer`. `spacy.Tagger.v2` multiplies the vectors of the encoder by a weight
    vector for each label. With hundreds of labels, such as the edit trees of
    `trainable_lemmatizer`, this takes most of the time. A linear hidden layer that is narrower than
    the encoder makes it cheap.

    Args:
        tok2vec: The encoder, or a listener to it.
        hidden_size: The number of hidden units.

    Returns:
        A thinc model that scores the labels of each word. In training, the scores are
        probabilities.

    Raises:
        ValueError: A setting has the wrong type or is out of range.
    """
    check_arguments(_NAME, TaggerModel, {"tok2vec": tok2vec, "hidden_size": hidden_size})
    check_range(f"{_NAME}: hidden_size", hidden_size)
    # If it were initialized with zeros, as in `spacy.Tagger.v2`, the hidden layer would get no
    # gradient.
    output_layer = Softmax_v2(nI=hidden_size, init_W=glorot_uniform_init, normalize_outputs=False)
    hidden_layer = Linear(nO=hidden_size, nI=tok2vec.maybe_get_dim("nO"))
    return _tagger(tok2vec, [hidden_layer], output_layer)


def LinearTagger(
    tok2vec: Model[list[Doc], list[Floats2d]],
) -> Model[list[Doc], list[Floats2d]]:
    """Build a softmax classifier of words with the layers, weights and scores of `spacy.Tagger.v2`,
    but with the matrix products of `TorchProductOps`, like `spacy_npparse.Tagger.v1`.

    Args:
        tok2vec: The encoder, or a listener to it.

    Returns:
        A thinc model that scores the labels of each word. In training, the scores are
        probabilities.

    Raises:
        ValueError: The encoder is not a model.
    """
    check_arguments(_LINEAR_NAME, LinearTagger, {"tok2vec": tok2vec})
    output_layer = Softmax_v2(nI=tok2vec.maybe_get_dim("nO"), normalize_outputs=False)
    return _tagger(tok2vec, [], output_layer)


def _tagger(
    tok2vec: Model[list[Doc], list[Floats2d]], hidden_layers: list[Model], output_layer: Model
) -> Model[list[Doc], list[Floats2d]]:
    layers = [*hidden_layers, output_layer]
    for layer in layers:
        # GPUs, and platforms whose library thinc uses, keep their own operations.
        if type(layer.ops) is NumpyOps:
            layer.ops = TorchProductOps()
    scorer: Model = chain(*layers) if hidden_layers else output_layer
    model: Model[list[Doc], list[Floats2d]] = chain(tok2vec, with_array(scorer))
    model.set_ref("tok2vec", tok2vec)
    model.set_ref("softmax", output_layer)
    model.set_ref("output_layer", output_layer)
    return model
