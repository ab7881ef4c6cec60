"""Settings, Docs and checks for the tests of parsers."""

from pathlib import Path
from typing import Any

import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_npparse.components import DependencyParser
from spacy_npparse.components.docs import read_tokens
from spacy_npparse.parsing import ScoredBatch
from spacy_npparse.systems import get_transition_system, transition_systems

SAMPLE = Path(__file__).parents[2] / "assets" / "sample_treebank" / "sample-ud-train.conllu"
TINY_ENCODER = {
    "@architectures": "spacy_npparse.CharBiLSTM.v1",
    "width": 16,
    "depth": 1,
    "word_width": 16,
    "word_rows": 200,
    "char_width": 8,
    "char_rows": 256,
    "affix_width": 8,
    "affix_rows": 200,
}
TINY_MODEL = {
    "@architectures": "spacy_npparse.Parser.v1",
    "hidden_size": 16,
    "label_size": 16,
    "dropout": 0.0,
    "tok2vec": TINY_ENCODER,
}
SYSTEMS = sorted(transition_systems.get_all())
# The factories and the settings of parsers with exact search.
GLOBAL: dict[str, tuple[str, dict[str, Any]]] = {
    "mst": ("mst", {}),
    "mst, local": ("mst", {"loss": "log-likelihood"}),
    "one_endpoint_crossing": ("one_endpoint_crossing", {}),
    "mh3, exact": ("mh3", {}),
    "mh4, exact": ("mh4", {}),
    "mh4, exact, two": ("mh4", {"features": "two"}),
    "mh4, exact, local": ("mh4", {"loss": "log-likelihood"}),
}
FACTORIES: dict[str, tuple[str, dict[str, Any]]] = {
    **{system: (system, {}) for system in SYSTEMS},
    "mh4": ("mh4", {"search": "greedy", "loss": "log-likelihood"}),
    **GLOBAL,
}
PARSERS = list(FACTORIES)
# A system of each kind (projective, SWAP, distant arcs, lists, stacks), and all exact parsers.
FAMILIES = ["arc_hybrid", "arc_hybrid_swap", "attardi", "covington", "two_planar", *GLOBAL]
ORACLES = [(name, oracle) for name in SYSTEMS for oracle in get_transition_system(name).oracles]


def one_sentence(nlp: Language, words: list[str]) -> Doc:
    """Make a Doc whose sentence boundaries are set to one sentence."""
    return Doc(nlp.vocab, words=words, sent_starts=[i == 0 for i in range(len(words))])


def example(nlp: Language, words: list[str], heads: list[Any], deps: list[Any], **gold) -> Example:
    """Make an example whose predicted and reference words are the same."""
    reference = Doc(nlp.vocab, words=words)
    return Example.from_dict(
        Doc(nlp.vocab, words=[t.text for t in reference]),
        {"words": words, "heads": heads, "deps": deps, **gold},
    )


def scored_batch(parser: DependencyParser, docs: list[Doc]) -> ScoredBatch:
    """Score the sentences of Docs with a parser that has its own encoder."""
    with torch.no_grad():
        return parser.network.encode(docs).score(read_tokens(docs).sentences())


def check_trees(doc: Doc) -> None:
    """Check that each sentence of a Doc is a tree with one root."""
    assert not len(doc) or doc.has_annotation("DEP")
    for sentence in doc.sents:
        roots = [token for token in sentence if token.head.i == token.i]
        assert len(roots) == 1, (doc.text, [t.head.i for t in doc])
        assert roots[0].dep_ == "ROOT"
        for token in sentence:
            steps = 0
            while token.head.i != token.i:
                token = token.head
                steps += 1
                assert steps <= len(sentence)
            assert token.i == roots[0].i
