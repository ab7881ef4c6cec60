"""Static vectors of the vocabulary in the encoder, in both modes of spaCy's vector tables."""

from pathlib import Path

import numpy as np
import pytest
import spacy
import torch
from spacy.tokens import Doc
from spacy.training import Example
from spacy.training.initialize import init_nlp
from spacy.util import fix_random_seed, load_config
from spacy.vectors import Vectors
from thinc.api import Adam

from spacy_npparse.laboratory import config_path
from spacy_npparse.models.char_bilstm import CharBiLSTM
from spacy_npparse.models.char_bilstm_net import CharBiLSTMNet
from spacy_npparse.models.shim import torch_shim
from spacy_npparse.word_forms import add_multiword_tokens

SAMPLE = Path(__file__).parents[2] / "assets" / "sample_treebank"
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
N_DIMENSIONS = 6
# The words have two classes, which only their vectors distinguish.
WORDS = [f"{a}{b}{c}" for a in "bdfg" for b in "aeio" for c in "klmn"]
MODES = ["default", "floret"]


def class_of(number):
    return number * 7 % 11 % 2


def vocabulary(mode="default", n_dimensions=N_DIMENSIONS):
    """Make a pipeline with random vectors, whose first dimension is the class in mode "default"."""
    nlp = spacy.blank("xx")
    random = np.random.default_rng(0)
    if mode == "default":
        table = random.normal(size=(len(WORDS), n_dimensions)).astype("float32")
        table[:, 0] = [3.0 if class_of(i) else -3.0 for i in range(len(WORDS))]
        nlp.vocab.vectors = Vectors(strings=nlp.vocab.strings, data=table, keys=WORDS)
    else:
        nlp.vocab.vectors = Vectors(
            strings=nlp.vocab.strings,
            data=random.normal(size=(80, n_dimensions)).astype("float32"),
            mode="floret",
            minn=2,
            maxn=3,
            hash_count=2,
        )
    return nlp


def encoder(docs, **settings):
    model = CharBiLSTM(**SIZES, **{"include_static_vectors": True, **settings})
    model.initialize(X=docs)
    return model


def tagger(nlp):
    model = {"@architectures": "spacy_npparse.CharBiLSTM.v1", **SIZES}
    model["include_static_vectors"] = bool(nlp.vocab.vectors.shape[1])
    config = {"@architectures": "spacy_npparse.Tagger.v1", "hidden_size": 8, "tok2vec": model}
    nlp.add_pipe("tagger", config={"model": config})
    return nlp


def examples(nlp, numbers):
    return [
        Example.from_dict(
            Doc(nlp.vocab, words=[WORDS[i] for i in some]),
            {"words": [WORDS[i] for i in some], "tags": ["BA"[class_of(i)] for i in some]},
        )
        for some in np.array_split(numbers, 8)
    ]


def train(nlp):
    """Train a tagger, and return its accuracy on words that are not in the training data."""
    numbers = np.random.default_rng(1).permutation(len(WORDS))
    seen, unseen = numbers[:32], numbers[32:]
    optimizer = nlp.initialize(lambda: examples(nlp, seen))
    optimizer.learn_rate = 0.02
    for _ in range(30):
        nlp.update(examples(nlp, seen), sgd=optimizer)
    return nlp.evaluate(examples(nlp, unseen))["tag_acc"]


@pytest.fixture(autouse=True)
def same_numbers():
    fix_random_seed(0)


@pytest.mark.parametrize("mode", MODES)
def test_a_projection_of_the_vectors_is_added_to_the_embeddings(mode):
    nlp = vocabulary(mode)
    words = [WORDS[0], "unknown", WORDS[5], WORDS[0]]
    docs = [Doc(nlp.vocab, words=words), Doc(nlp.vocab), Doc(nlp.vocab, words=words[2:])]
    model = encoder(docs)
    net = torch_shim(model, CharBiLSTMNet).net
    embedded, read = [], []
    net.spelling.register_forward_hook(lambda module, inputs, output: embedded.append(output))
    net.norm.register_forward_pre_hook(lambda module, inputs: read.append(inputs[0]))
    outputs = model.predict(docs)
    assert [len(output) for output in outputs] == [4, 0, 2]
    projection = next(node for node in model.walk() if node.has_param("W")).get_param("W")
    words = [token.text for doc in docs for token in doc]
    expected = np.array([nlp.vocab.get_vector(word) for word in words]) @ projection.T
    forms = {nlp.vocab.strings[word]: word for word in set(words)}
    rows = {forms[key]: row for row, key in enumerate(sorted(forms))}
    added = read[0] - embedded[0][[rows[word] for word in words]]
    np.testing.assert_allclose(added.detach().numpy(), expected, atol=1e-5)
    assert (np.abs(expected[1]).max() == 0.0) == (mode == "default")


def test_multiword_tokens_have_the_vectors_of_their_words():
    nlp = vocabulary()
    words = [WORDS[0], WORDS[5], WORDS[1]]
    spelt, sliced = Doc(nlp.vocab, words), Doc(nlp.vocab, ["d", "u", WORDS[1]])
    add_multiword_tokens(sliced, [(0, tuple(words[:2]))])
    (expected, found) = encoder([spelt]).predict([spelt, sliced])
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("mode", MODES)
def test_gradients_of_the_projection(mode):
    nlp = vocabulary(mode)
    # Each word occurs only once and so has no embedding, which training would drop at random.
    docs = [Doc(nlp.vocab, words=WORDS[:3]), Doc(nlp.vocab, words=WORDS[3:5])]
    model = encoder(docs)
    static = next(node for node in model.walk() if node.name == "static_vectors")
    outputs, backprop = model(docs, is_train=True)
    weights = [np.random.default_rng(i).normal(size=o.shape) for i, o in enumerate(outputs)]
    backprop([w.astype("float32") for w in weights])
    gradient = static.get_grad("W")

    def loss():
        return sum((w * o).sum() for w, o in zip(weights, model.predict(docs), strict=True))

    projection = static.get_param("W")
    for place in [(0, 0), (3, 1), (9, 5)]:
        sums = []
        for step in (1e-2, -1e-2):
            projection[place] += step
            sums.append(loss())
            projection[place] -= step
        assert (sums[0] - sums[1]) / 2e-2 == pytest.approx(gradient[place], rel=0.05, abs=1e-3)


def test_unseen_words_are_known_by_their_vectors():
    assert train(tagger(vocabulary())) > 0.9
    assert train(tagger(spacy.blank("xx"))) < 0.7


@pytest.mark.parametrize("mode", MODES)
def test_saved_with_the_vocabulary(mode, tmp_path):
    nlp = tagger(vocabulary(mode))
    train(nlp)
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    docs = [WORDS[i] + " " + WORDS[-i] + " unknown" for i in range(1, 20)]

    def scores(pipeline, texts):
        return np.concatenate(pipeline.get_pipe("tagger").model.predict(list(texts)))

    expected = scores(nlp, map(nlp.make_doc, docs))
    np.testing.assert_array_equal(scores(again, map(again.make_doc, docs)), expected)
    tags = [[token.tag_ for token in doc] for doc in nlp.pipe(docs)]
    assert [[t.tag_ for t in doc] for doc in again.pipe(docs, n_process=2)] == tags
    copy = nlp.get_pipe("tagger").model.copy()
    static = next(node for node in copy.walk() if node.name == "static_vectors")
    static.get_param("W")[:] = 0.0
    np.testing.assert_array_equal(scores(nlp, map(nlp.make_doc, docs)), expected)


def test_parameter_averages_reach_the_projection():
    nlp = tagger(vocabulary())
    nlp.initialize(lambda: examples(nlp, np.arange(32)))
    optimizer = Adam(use_averages=True)
    optimizer.learn_rate = 0.02
    for _ in range(3):
        nlp.update(examples(nlp, np.arange(32)), sgd=optimizer)
    model = nlp.get_pipe("tagger").model
    static = next(node for node in model.walk() if node.name == "static_vectors")
    last = static.get_param("W").copy()
    with nlp.use_params(optimizer.averages):
        assert not np.array_equal(static.get_param("W"), last)
    np.testing.assert_array_equal(static.get_param("W"), last)


def test_missing_vectors():
    nlp = tagger(vocabulary())
    nlp.vocab.vectors = Vectors()
    with pytest.raises(ValueError, match=r"which has none\. Train with --paths\.vectors FOLDER"):
        nlp.initialize(lambda: examples(nlp, np.arange(32)))


@pytest.mark.parametrize(
    "other, has", [(spacy.blank("xx"), "has none"), (vocabulary(n_dimensions=7), "of 7 dimensions")]
)
def test_a_vocabulary_with_other_vectors(other, has, tmp_path):
    nlp = tagger(vocabulary())
    train(nlp)
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path, vocab=other.vocab, exclude=["vocab"])
    with pytest.raises(ValueError, match=rf"{has}.*learnt from 6.*include_static_vectors = false"):
        loaded(WORDS[0])


def test_without_vectors_the_encoder_is_as_it_was():
    nlp = vocabulary()
    docs = [Doc(nlp.vocab, words=WORDS[:3])]
    torch.manual_seed(0)
    off = encoder(docs, include_static_vectors=False)
    # Saved layers are identified by their order, so a further layer would break older models.
    assert [node.name for node in off.walk()] == ["char_bilstm"]
    torch.manual_seed(0)
    on = encoder(docs)
    next(node for node in on.walk() if node.name == "static_vectors").get_param("W")[:] = 0.0
    np.testing.assert_array_equal(off.predict(docs)[0], on.predict(docs)[0])


@pytest.mark.parametrize("name", ["accuracy", "fast"])
def test_options_of_the_configs(name, tmp_path):
    vocabulary().to_disk(tmp_path / "vectors")
    config = load_config(
        config_path(name),
        overrides={
            "paths.train": str(SAMPLE / "sample-ud-train.conllu"),
            "paths.dev": str(SAMPLE / "sample-ud-dev.conllu"),
            "paths.vectors": str(tmp_path / "vectors"),
            "components.tok2vec.model.include_static_vectors": True,
            "nlp.tokenizer.@tokenizers": "spacy.Tokenizer.v1",
            "initialize.tokenizer": {},
        },
    )
    nlp = init_nlp(config)
    static = [n for n in nlp.get_pipe("tok2vec").model.walk() if n.name == "static_vectors"]
    assert [node.get_dim("nM") for node in static] == [N_DIMENSIONS]
