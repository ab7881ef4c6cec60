"""The tagger with a linear hidden layer."""

import numpy as np
import pytest
import spacy
from spacy.training import Example
from thinc.api import get_current_ops

from spacy_npparse.models.tagger import TaggerModel

MODEL = {
    "@architectures": "spacy_npparse.Tagger.v1",
    "hidden_size": 8,
    "tok2vec": {
        "@architectures": "spacy.HashEmbedCNN.v2",
        "pretrained_vectors": None,
        "width": 12,
        "depth": 1,
        "embed_size": 100,
        "window_size": 1,
        "maxout_pieces": 2,
        "subword_features": True,
    },
}
ANNOTATION = {
    "words": ["the", "cats", "saw", "dogs"],
    "tags": ["DT", "NNS", "VBD", "NNS"],
    "pos": ["DET", "NOUN", "VERB", "NOUN"],
    "morphs": ["_", "Number=Plur", "Tense=Past", "Number=Plur"],
    "lemmas": ["the", "cat", "see", "dog"],
}


@pytest.fixture
def example():
    nlp = spacy.blank("xx")
    return Example.from_dict(nlp.make_doc("the cats saw dogs"), ANNOTATION)


@pytest.mark.parametrize("factory", ["tagger", "morphologizer", "trainable_lemmatizer"])
def test_components_learn_and_are_saved(factory, example, tmp_path):
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("xx")
    config = {"model": MODEL}
    if factory == "trainable_lemmatizer":
        config["min_tree_freq"] = 1
    nlp.add_pipe(factory, config=config)
    optimizer = nlp.initialize(lambda: [example])
    optimizer.learn_rate = 0.02
    for _ in range(60):
        nlp.update([example], sgd=optimizer)

    def predicted(pipeline):
        doc = pipeline("the cats saw dogs")
        return [(word.tag_, word.pos_, str(word.morph), word.lemma_) for word in doc]

    gold = [(w.tag_, w.pos_, str(w.morph), w.lemma_) for w in example.reference]
    assigned = {"tagger": [0], "morphologizer": [1, 2], "trainable_lemmatizer": [3]}[factory]
    assert [[word[i] for i in assigned] for word in predicted(nlp)] == [
        [word[i] for i in assigned] for word in gold
    ]
    nlp.to_disk(tmp_path / "model")
    assert predicted(spacy.load(tmp_path / "model")) == predicted(nlp)


def test_scores_in_training_are_probabilities(example):
    nlp = spacy.blank("xx")
    tagger = nlp.add_pipe("tagger", config={"model": MODEL})
    nlp.initialize(lambda: [example])
    ((scores,), _) = tagger.model([example.predicted], is_train=True)
    assert np.allclose(get_current_ops().to_numpy(scores).sum(1), 1)
    assert tagger.model.get_ref("output_layer").get_dim("nI") == 8


def test_the_linear_tagger_is_that_of_spacy(example):
    scores = []
    for architecture in ("spacy_npparse.LinearTagger.v1", "spacy.Tagger.v2"):
        spacy.util.fix_random_seed(0)
        nlp = spacy.blank("xx")
        model = {"@architectures": architecture, "tok2vec": MODEL["tok2vec"]}
        tagger = nlp.add_pipe("tagger", config={"model": model})
        optimizer = nlp.initialize(lambda: [example])
        optimizer.learn_rate = 0.02
        for _ in range(5):
            nlp.update([example], sgd=optimizer)
        scores.append(tagger.model.predict([example.predicted])[0])
    assert scores[0].any()
    np.testing.assert_allclose(*scores, rtol=1e-4, atol=1e-6)


def test_no_hidden_units_are_refused(example):
    tok2vec = spacy.registry.resolve({"t": MODEL["tok2vec"]})["t"]
    with pytest.raises(ValueError, match="hidden_size is 0, but must be 1 or more"):
        TaggerModel(tok2vec, 0)
