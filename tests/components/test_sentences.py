"""How batches are cut into parts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from parser_helpers import FAMILIES

from spacy_npparse.components import sentences
from spacy_npparse.components.sentences import SentenceBatch


def batch(lengths):
    n_words = sum(lengths)
    return SentenceBatch(np.arange(n_words), np.array(lengths, dtype=np.int32), n_words)


@given(st.lists(st.integers(1, 2000), max_size=40))
def test_parts_hold_every_sentence_once_and_few_arcs(lengths):
    parts = list(batch(lengths).parts())
    assert [sum(part[i] for part in parts) for i in range(len(lengths))] == [1] * len(lengths)
    for part in parts:
        longest = max(n for n, chosen in zip(lengths, part, strict=True) if chosen)
        assert part.sum() == 1 or part.sum() * (longest + 1) ** 2 <= sentences._MAX_ARCS


def test_sentences_of_one_length_are_one_part():
    assert len(list(batch([20] * 128).parts())) == 1


@pytest.mark.parametrize("system", FAMILIES)
def test_trees_do_not_depend_on_the_parts(shared, sample, system, monkeypatch):
    nlp = shared(system)
    parser = nlp.get_pipe("parser")
    docs = [eg.predicted for eg in sample(nlp, limit=20)]
    together = parser.predict(docs)
    monkeypatch.setattr(sentences, "_MAX_ARCS", 1)
    for one, other in zip(together, parser.predict(docs), strict=True):
        assert (one.arcs == other.arcs).all()
