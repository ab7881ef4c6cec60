"""A config and examples for the tests of the tokenizer."""

from pathlib import Path

from spacy_npparse.treebank import ConlluCorpus

SAMPLE = Path(__file__).parents[2] / "assets" / "sample_treebank" / "sample-ud-train.conllu"
TRAINED = {"nlp": {"tokenizer": {"@tokenizers": "spacy_npparse.TrainedTokenizer.v1"}}}


def sample_examples(nlp, **settings):
    """Read enough examples of the sample treebank to train a tokenizer in a second."""
    return list(ConlluCorpus(SAMPLE, **{"limit": 60, **settings})(nlp))
