"""Treebank embeddings: the treebanks of Docs, interpolation, training and saving."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_npparse.models.char_bilstm import CharBiLSTM
from spacy_npparse.models.char_bilstm_net import CharBiLSTMNet
from spacy_npparse.models.shim import torch_shim
from spacy_npparse.models.treebank_embedding import known_treebanks, use_treebank
from spacy_npparse.treebank_names import TREEBANK_KEY, TREEBANKS_KEY

SIZES = {
    "width": 12,
    "depth": 1,
    "word_width": 10,
    "word_rows": 50,
    "char_width": 4,
    "char_rows": 64,
    "affix_width": 2,
    "affix_rows": 50,
}
NAMES = ["en", "got", "sv"]
VOCAB = spacy.blank("xx").vocab


def doc(treebank=None, words=("a", "bb", "c")):
    made = Doc(VOCAB, words=list(words))
    if treebank is not None:
        made.user_data[TREEBANK_KEY] = treebank
    return made


def sample():
    made = doc("en")
    made.user_data[TREEBANKS_KEY] = ["sv", "got"]
    return [made, doc("en")]


def encoder(**settings):
    model = CharBiLSTM(**SIZES, **{"treebank_embedding": True, **settings})
    model.initialize(X=sample())
    return model


def vectors(model, treebank=None):
    (found,) = model.predict([doc(treebank)])
    return found


def embeddings(model):
    return torch_shim(model, CharBiLSTMNet).net.treebank_embedding


def test_the_same_words_have_other_vectors_in_another_treebank():
    model = encoder()
    assert embeddings(model).shape == (3, 10)
    found = [vectors(model, name) for name in NAMES]
    assert not any(np.allclose(found[i], found[j]) for i, j in ((0, 1), (0, 2), (1, 2)))
    # Docs have the same vectors in a batch as alone, even with Docs without words.
    batch = [doc("sv", []), doc("got"), doc("en", ["x"]), doc("", []), doc("sv")]
    together = model.predict(batch)
    assert np.allclose(together[1], found[1], atol=1e-6)
    assert np.allclose(together[4], found[2], atol=1e-6)


def test_interpolation_is_linear_in_the_embedding():
    model = encoder()
    mixed = vectors(model, "en=0.25,sv=0.75")
    table = embeddings(model).data
    table[1] = 0.25 * table[0] + 0.75 * table[2]
    assert np.allclose(mixed, vectors(model, "got"), atol=1e-6)
    assert np.allclose(vectors(model, "en=0,sv=1"), vectors(model, "sv"), atol=1e-6)


def test_a_doc_without_treebank_has_the_mean_and_one_warning(caplog):
    model = encoder()
    found = vectors(model)
    vectors(model)
    assert len(caplog.messages) == 1 and "en, got, sv" in caplog.messages[0]
    embeddings(model).data[0] = embeddings(model).data.mean(dim=0)
    assert np.allclose(found, vectors(model, "en"), atol=1e-6)


def test_the_setting_is_for_docs_without_treebank(caplog):
    model = encoder(treebank="sv")
    assert np.array_equal(vectors(model), vectors(model, "sv"))
    assert not np.allclose(vectors(model, "en"), vectors(model, "sv"))
    assert not caplog.messages


def test_unknown_treebanks_are_refused():
    with pytest.raises(ValueError, match=r"'de' is none of the treebanks .* en, got, sv"):
        vectors(encoder(), "de")
    with pytest.raises(ValueError, match=r"'de' is none of the treebanks .* en, got, sv"):
        vectors(encoder(treebank="de"))


def test_training_examples_have_to_know_their_treebank():
    model = CharBiLSTM(**SIZES, treebank_embedding=True)
    with pytest.raises(ValueError, match=r"ConlluCorpus.*spacy_npparse\.treebank"):
        model.initialize(X=[doc()])
    model = encoder()
    with pytest.raises(ValueError, match=r"ConlluCorpus.*spacy_npparse\.treebank"):
        model.begin_update([doc("en"), doc()])
    with pytest.raises(ValueError, match="treebank is set, but treebank_embedding is false"):
        CharBiLSTM(**SIZES, treebank="en")


def test_only_the_treebanks_of_a_batch_learn():
    model = encoder()
    outputs, backprop = model.begin_update([doc("en"), doc("sv=0.5,en=0.5")])
    backprop([np.random.default_rng(0).normal(size=o.shape).astype("f") for o in outputs])
    gradient = embeddings(model).grad
    assert gradient[0].abs().sum() > 0 and gradient[2].abs().sum() > 0
    assert gradient[1].abs().sum() == 0


def test_names_and_embeddings_are_saved_and_the_setting_is_not():
    model = encoder(treebank="sv")
    other = CharBiLSTM(**SIZES, treebank_embedding=True, treebank="en")
    other.from_bytes(model.to_bytes())
    for name in NAMES:
        assert np.array_equal(vectors(model, name), vectors(other, name))
    assert np.array_equal(vectors(other), vectors(model, "en"))
    copied = model.copy()
    assert np.array_equal(vectors(copied), vectors(model))


def test_without_the_setting_nothing_depends_on_treebanks():
    model = CharBiLSTM(**SIZES)
    model.initialize(X=sample())
    assert embeddings(model) is None
    assert np.array_equal(vectors(model), vectors(model, "whatever"))
    assert "treebank_embedding" not in torch_shim(model, CharBiLSTMNet).net.state_dict()


def test_a_pipeline_is_told_which_treebank_to_use():
    nlp = spacy.blank("xx")
    config = {"@architectures": "spacy_npparse.CharBiLSTM.v1", **SIZES, "treebank_embedding": True}
    encoder = nlp.add_pipe("tok2vec", config={"model": config})
    encoder.model.initialize(X=sample())
    assert known_treebanks(nlp) == NAMES
    use_treebank(nlp, "sv=1")
    assert np.array_equal(nlp(doc()).tensor, nlp(doc("sv")).tensor)
    # The treebank of a Doc takes precedence.
    assert not np.allclose(nlp(doc("en")).tensor, nlp(doc("sv")).tensor)
    with pytest.raises(ValueError, match=r"^The treebank is 'de', .* en, got, sv"):
        use_treebank(nlp, "de")
    without = spacy.blank("xx")
    assert known_treebanks(without) == []
    with pytest.raises(ValueError, match="without treebank embeddings"):
        use_treebank(without, "en")
