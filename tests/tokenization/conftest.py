import pytest
import spacy
from tokenizer_helpers import TRAINED, sample_examples


@pytest.fixture(scope="session")
def nlp():
    """Return a blank pipeline with a tokenizer that was trained on a few German sentences."""
    nlp = spacy.blank("xx", config=TRAINED)
    nlp.initialize(lambda: sample_examples(nlp))
    return nlp
