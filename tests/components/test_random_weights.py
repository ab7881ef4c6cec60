"""Parsers build valid trees with weights of any scale, and for sentences of any words."""

import pytest
import torch
from parser_helpers import PARSERS, check_trees
from spacy.tokens import Doc

pytestmark = pytest.mark.fuzz
WORDS = [
    "Wir",
    "haben",
    "das",
    "Haus",
    "gesehen",
    ".",
    " ",
    "\n\n",
    "",
    "a" * 50,
    "ß",
    "😀",
    "\u200b",
]
SCALES = [0.0, 1e-6, 0.1, 1.0, 10.0, 1e3, 1e6]


@pytest.fixture
def randomized(shared):
    """Return a function that randomizes a shared pipeline's weights until the test ends."""
    changed = []

    def randomize(system, random):
        nlp = shared(system)
        parser = nlp.get_pipe("parser")
        nets = [shim.net for layer in parser.model.walk() for shim in layer.shims]
        if not changed:
            changed.extend(
                (net, {k: v.clone() for k, v in net.state_dict().items()}) for net in nets
            )
        scale = random.choice(SCALES)
        generator = torch.Generator().manual_seed(random.getrandbits(32))
        with torch.no_grad():
            for net in nets:
                for parameter in net.parameters():
                    parameter.copy_(torch.randn(parameter.shape, generator=generator) * scale)
        return nlp

    yield randomize
    for net, state in changed:
        net.load_state_dict(state)


def make_doc(vocab, random):
    words = [word for word in random.choices(WORDS, k=random.choice([0, 1, 2, 5, 20, 60])) if word]
    spaces = [random.random() < 0.8 for _ in words]
    doc = Doc(vocab, words=words, spaces=spaces)
    for token in doc[1:]:
        if random.random() < 0.3:
            token.is_sent_start = random.random() < 0.3
    return doc


@pytest.mark.parametrize("system", PARSERS)
def test_trees_are_valid(system, fuzz, randomized):
    def test(random):
        nlp = randomized(system, random)
        parser = nlp.get_pipe("parser")
        docs = [make_doc(nlp.vocab, random) for _ in range(random.randint(1, 3))]
        words = [[token.text for token in doc] for doc in docs]
        parser.set_annotations(docs, parser.predict(docs))
        for doc, before in zip(docs, words, strict=True):
            assert [token.text for token in doc] == before
            check_trees(doc)
            known = {"ROOT", "", *parser.labels}
            assert {token.dep_ for token in doc if not token.is_space} <= known
        return "trees are valid"

    fuzz(f"random weights: {system}", 2, test)
