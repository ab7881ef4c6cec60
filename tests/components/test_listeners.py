"""Tests of encoders that a parser shares with other components."""

import numpy as np
import pytest
import spacy
import torch
from parser_helpers import TINY_ENCODER, TINY_MODEL, check_trees
from spacy.tokens import Doc
from spacy.training import Example

LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": 16}


def shared_pipeline():
    nlp = spacy.blank("xx")
    nlp.add_pipe("tok2vec", config={"model": TINY_ENCODER})
    for name in ("senter", "morphologizer"):
        tagger = {"@architectures": "spacy.Tagger.v2", "tok2vec": LISTENER}
        nlp.add_pipe(name, config={"model": tagger})
    nlp.add_pipe(
        "arc_hybrid_swap_parser",
        name="parser",
        config={"model": {**TINY_MODEL, "tok2vec": LISTENER}},
    )
    return nlp


@pytest.fixture
def shared(sample):
    nlp = shared_pipeline()
    nlp.initialize(lambda: sample(nlp))
    return nlp


def encoder(nlp):
    return nlp.get_pipe("tok2vec").model.shims[0].net


def trees(docs):
    return [[(t.head.i, t.dep_) for t in doc] for doc in docs]


def test_one_encoder_for_splitter_tagger_and_parser(shared, sample):
    examples = sample(shared, limit=5, sentences_per_doc=2)
    optimizer = shared.create_optimizer()
    optimizer.learn_rate = 0.01
    first = shared.update(examples, sgd=optimizer)
    for _ in range(10):
        losses = shared.update(examples, sgd=optimizer)
    assert all(losses[name] < first[name] for name in ("senter", "morphologizer", "parser"))
    for doc in shared.pipe(eg.reference.text for eg in examples):
        check_trees(doc)


def without_trees(eg):
    doc = eg.reference
    words, spaces = [t.text for t in doc], [bool(t.whitespace_) for t in doc]
    tagged = Doc(
        doc.vocab, words, spaces, pos=[t.pos_ for t in doc], morphs=[str(t.morph) for t in doc]
    )
    return Example(Doc(doc.vocab, words, spaces), tagged)


@pytest.mark.parametrize("has_gold", [True, False])
def test_encoder_gets_each_gradient_once(shared, sample, monkeypatch, has_gold):
    examples = sample(shared, limit=4)
    if not has_gold:
        examples = [without_trees(eg) for eg in examples]
    listeners = shared.get_pipe("tok2vec").listeners
    received = []
    for listener in listeners:

        def receive(batch_id, outputs, backprop, listener=listener, original=listener.receive):
            def counted(d_outputs):
                received.append((listener, sum(float(abs(d).sum()) for d in d_outputs)))
                return backprop(d_outputs)

            original(batch_id, outputs, counted)

        monkeypatch.setattr(listener, "receive", receive)
    before = encoder(shared).word_lstm.forwards[0].weight_hh_l0.clone()
    optimizer = shared.create_optimizer()
    losses = shared.update(examples)
    shared.get_pipe("tok2vec").finish_update(optimizer)
    assert losses["morphologizer"] > 0 and (losses["parser"] > 0) == has_gold
    assert [listener for listener, _ in received] == listeners
    assert (received[-1][1] > 0) == has_gold
    assert not torch.equal(before, encoder(shared).word_lstm.forwards[0].weight_hh_l0)


def test_frozen_encoder_stays_as_it_is(shared, sample):
    examples = sample(shared)
    before = {k: v.clone() for k, v in encoder(shared).state_dict().items()}
    optimizer = shared.create_optimizer()
    optimizer.learn_rate = 0.01
    frozen = ["tok2vec", "senter", "morphologizer"]
    losses = []
    for _ in range(20):
        losses.append(
            shared.update(examples, sgd=optimizer, exclude=frozen, annotates=["tok2vec"])["parser"]
        )
    assert min(losses[-5:]) < min(losses[:5])
    assert all(torch.equal(before[k], v) for k, v in encoder(shared).state_dict().items())


def test_replaced_listener_gives_the_same_trees(shared, sample, tmp_path):
    examples = sample(shared)
    shared.update(examples, sgd=shared.create_optimizer())
    texts = [eg.reference.text for eg in examples]
    expected = trees(shared.pipe(texts))
    shared.replace_listeners("tok2vec", "parser", ["model.tok2vec"])
    assert shared.get_pipe("tok2vec").listening_components == ["senter", "morphologizer"]
    assert trees(shared.pipe(texts)) == expected
    shared.to_disk(tmp_path)
    assert trees(spacy.load(tmp_path).pipe(texts)) == expected


def test_shared_pipeline_is_saved(shared, tmp_path):
    texts = ["Wir haben das Haus gesehen .", "Das ist gut ."]
    shared.to_disk(tmp_path)
    assert trees(spacy.load(tmp_path).pipe(texts)) == trees(shared.pipe(texts))


@pytest.fixture
def tiny_transformer(tmp_path):
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("spacy_transformers")
    letters = "abcdefghijklmnopqrstuvwxyzäöüß.,?!"
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{c}" for c in letters)]
    folder = tmp_path / "bert"
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(pieces), encoding="utf8")
    config = transformers.BertConfig(
        vocab_size=len(pieces), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=16,
    )  # fmt: skip
    transformers.BertModel(config).save_pretrained(folder)
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


@pytest.fixture
def with_transformer(tiny_transformer, sample):
    nlp = spacy.blank("xx")
    nlp.add_pipe(
        "transformer",
        config={
            "model": {
                "@architectures": "spacy-transformers.TransformerModel.v3",
                "name": str(tiny_transformer),
                "get_spans": {"@span_getters": "spacy-transformers.doc_spans.v1"},
            }
        },
    )
    listener = {
        "@architectures": "spacy-transformers.TransformerListener.v1",
        "grad_factor": 1.0,
        "pooling": {"@layers": "reduce_mean.v1"},
    }
    nlp.add_pipe(
        "arc_hybrid_swap_parser",
        name="parser",
        config={"model": {**TINY_MODEL, "tok2vec": listener}},
    )
    nlp.initialize(lambda: sample(nlp))
    return nlp


def bert(nlp):
    return nlp.get_pipe("transformer").model.layers[0].shims[0]._model


def test_transformer_is_trained_saved_and_replaced(with_transformer, sample, tmp_path):
    nlp = with_transformer
    examples = sample(nlp, limit=4)
    before = {k: v.clone() for k, v in bert(nlp).named_parameters()}
    optimizer = nlp.create_optimizer()
    optimizer.learn_rate = 0.01
    losses = [nlp.update(examples, sgd=optimizer)["parser"] for _ in range(10)]
    assert min(losses[5:]) < losses[0]
    after = dict(bert(nlp).named_parameters())
    assert any(not torch.equal(before[k], after[k]) for k in before if "encoder" in k)
    texts = [eg.reference.text for eg in examples]
    expected = trees(nlp.pipe(texts))
    nlp.to_disk(tmp_path / "shared")
    assert trees(spacy.load(tmp_path / "shared").pipe(texts)) == expected
    nlp.replace_listeners("transformer", "parser", ["model.tok2vec"])
    assert trees(nlp.pipe(texts)) == expected
    nlp.to_disk(tmp_path / "alone")
    assert trees(spacy.load(tmp_path / "alone").pipe(texts)) == expected


def test_listeners_read_the_highest_layer_that_is_left(tiny_transformer, sample):
    """The documentation and a comment in configs/transformer.cfg say so."""
    nlp = spacy.blank("xx")
    model = {
        "@architectures": "spacy-transformers.TransformerModel.v3",
        "name": str(tiny_transformer),
        "get_spans": {"@span_getters": "spacy-transformers.doc_spans.v1"},
    }
    states = []
    for n_layers in (1, 2):
        settings = {"num_hidden_layers": n_layers, "output_hidden_states": True}
        pipe = nlp.create_pipe(
            "transformer", config={"model": {**model, "transformer_config": settings}}
        )
        pipe.initialize(lambda: sample(nlp))
        output = pipe(nlp.make_doc("das ist gut"))._.trf_data.model_output
        assert np.array_equal(output.last_hidden_state, output.hidden_states[n_layers])
        states.append(output.hidden_states)
    np.testing.assert_allclose(states[0][1], states[1][1], atol=1e-5)


def test_a_transformer_is_recognised_when_it_is_loaded(with_transformer, tmp_path, caplog):
    with_transformer.to_disk(tmp_path / "saved")
    caplog.clear()
    loaded = spacy.load(tmp_path / "saved")
    loaded.to_disk(tmp_path / "again")
    spacy.load(tmp_path / "again")
    assert "another encoder" not in caplog.text
    next(bert(loaded).parameters()).data += 1.0
    loaded.to_disk(tmp_path / "changed")
    spacy.load(tmp_path / "changed")
    assert "another encoder" in caplog.text
