"""The layer `ScaledGradient`, which scales the gradient of an objective."""

import numpy as np
import pytest
import spacy
from spacy.ml.models import build_tagger_model
from spacy.tokens import Doc
from thinc.api import Model

from spacy_npparse.models.scaled_gradient import ScaledGradient

WIDTH = 4
DOCS = [Doc(spacy.blank("xx").vocab, words=words) for words in (["a", "b"], [], ["c"])]


@pytest.fixture
def received():
    """Return the list of the gradients that the encoder gets."""
    return []


@pytest.fixture
def tok2vec(received):
    def forward(model, docs, is_train):
        return [np.ones((len(doc), WIDTH), dtype="f") for doc in docs], received.extend

    return Model("encoder", forward, dims={"nO": WIDTH})


@pytest.mark.parametrize("factor", [0.0, 0.25, 1.0])
def test_the_same_vectors_and_a_part_of_the_gradient(tok2vec, received, factor):
    model = ScaledGradient(tok2vec, factor)
    model.initialize(X=DOCS)
    assert model.get_dim("nO") == WIDTH
    vectors, backprop = model(DOCS, is_train=True)
    for mine, plain in zip(vectors, tok2vec.predict(DOCS), strict=True):
        np.testing.assert_array_equal(mine, plain)
    gradients = [np.random.default_rng(0).normal(size=v.shape) for v in vectors]
    backprop(gradients)
    for whole, part in zip(gradients, received, strict=True):
        np.testing.assert_allclose(part, factor * whole)


def test_fits_a_tagger(tok2vec):
    tagger = build_tagger_model(ScaledGradient(tok2vec, 0.5), nO=3)
    tagger.initialize(X=DOCS)
    assert [scores.shape for scores in tagger.predict(DOCS)] == [(2, 3), (0, 3), (1, 3)]


def test_refuses_negative_factors(tok2vec):
    with pytest.raises(ValueError, match="factor is -1.*, but must be 0.0 or more"):
        ScaledGradient(tok2vec, -1)
