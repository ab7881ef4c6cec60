"""Training and parsing on a GPU, which is simulated. It gives the same trees as the CPU, and no
operation has operands on different devices."""

import random
from contextlib import nullcontext

import numpy as np
import pytest
import spacy
import torch
from fake_gpu import CPU, GpuTensor, simulated_gpu
from parser_helpers import FACTORIES, SAMPLE, TINY_ENCODER, TINY_MODEL
from tiny_encoder import write_encoder

from spacy_npparse.treebank import ConlluCorpus

KINDS = ["arc_hybrid_swap", "mst, local", "one_endpoint_crossing", "mh4", "mh4, exact"]
SETTINGS = {
    "arc_hybrid_swap": {"decoder": {"beam_width": 2, "k_best": 2}, "loss": "max-violation"},
    "mh4, exact": {"label_rules": "trees", "max_length": 12},
    "mst, local": {"decoder": {"confidence": True}},
}


def trained(kind, encoder, on_gpu):
    """Train for two updates. Return the losses, and the heads and labels of the trees."""
    factory, settings = FACTORIES[kind]
    settings = {**settings, **SETTINGS.get(kind, {})}
    if kind == "arc_hybrid_swap":
        settings["oracle"] = "static"
    model = {**TINY_MODEL, "tok2vec": encoder}
    for seed in (random.seed, np.random.seed, torch.manual_seed):
        seed(0)
    with simulated_gpu() if on_gpu else nullcontext():
        nlp = spacy.blank("xx")
        nlp.add_pipe("character_lemmatizer")
        parser = nlp.add_pipe(f"{factory}_parser", config={"model": model, **settings})
        corpus = ConlluCorpus(SAMPLE, sentences_per_doc=3, limit=12, gold_sentences=False)
        examples = list(corpus(nlp))
        optimizer = nlp.initialize(lambda: examples)
        weights = next(parser.network.shim.net.parameters())
        assert isinstance(weights.data, GpuTensor) == on_gpu
        losses = [nlp.update(examples[:2], sgd=optimizer) for _ in range(2)]
        docs = list(nlp.pipe([eg.predicted.copy() for eg in examples]))
    return losses, [[(t.head.i, t.dep_, t.lemma_) for t in doc] for doc in docs]


@pytest.mark.parametrize("kind", KINDS)
def test_training_and_parsing_on_a_gpu(kind):
    losses, trees = trained(kind, TINY_ENCODER, on_gpu=False)
    on_gpu, same_trees = trained(kind, TINY_ENCODER, on_gpu=True)
    assert on_gpu[0] == pytest.approx(losses[0], rel=1e-4)
    assert on_gpu[1] == pytest.approx(losses[1], rel=1e-2)
    assert np.mean([a == b for a, b in zip(trees, same_trees, strict=True)]) > 0.7


def test_tuning_a_pretrained_encoder_on_a_gpu(tmp_path):
    folder = str(write_encoder(tmp_path, "bert"))
    transformer = {"@architectures": "spacy_npparse.Transformer.v1", "folder": folder, "tune": 1}
    encoder = {**TINY_ENCODER, "transformer": transformer}
    losses, _ = trained("mst", encoder, on_gpu=False)
    on_gpu, _ = trained("mst", encoder, on_gpu=True)
    assert on_gpu[0] == pytest.approx(losses[0], rel=1e-4)


def test_the_simulation_rejects_operands_on_different_devices():
    with simulated_gpu():
        ours, other = torch.ones(2, device="meta"), torch.ones(2)
        assert (ours + 1.0).tolist() == [2.0, 2.0]
        assert (ours.to(CPU) + other).tolist() == [2.0, 2.0]
        with pytest.raises(AssertionError, match="different devices"):
            ours + other
