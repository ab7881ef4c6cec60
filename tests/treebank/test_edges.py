"""Edges of subtrees, compared with the subtrees themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.attrs import DEP, HEAD
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_npparse.treebank import left_edge, right_edge, subtree_edges
from spacy_npparse.treebank.edges import subtrees

VOCAB = Vocab()


def doc_of(heads):
    doc = Doc(VOCAB, words=[f"w{i}" for i in range(len(heads))])
    arcs = [
        (head - i, VOCAB.strings.add("ROOT" if head == i else "dep"))
        for i, head in enumerate(heads)
    ]
    array = np.array([(offset & (2**64 - 1), dep) for offset, dep in arcs], dtype=np.uint64)
    doc.from_array([HEAD, DEP], array.reshape(len(heads), 2))
    return doc


def brute_force(heads):
    edges = []
    for token in range(len(heads)):
        subtree = []
        for below in range(len(heads)):
            above = below
            while above not in (token, heads[above]):
                above = heads[above]
            if above == token:
                subtree.append(below)
        edges.append((min(subtree), max(subtree)))
    return edges


@st.composite
def forests(draw):
    """Draw the heads of one or more random trees, whose words are in any order."""
    n = draw(st.integers(0, 12))
    order = draw(st.permutations(range(n)))
    heads = [0] * n
    for i, word in enumerate(order):
        heads[word] = order[draw(st.integers(0, i))]
    return heads


@given(forests())
def test_edges_are_those_of_the_subtrees(heads):
    doc = doc_of(heads)
    assert subtree_edges(doc) == brute_force(heads)
    loaded = next(iter(DocBin(docs=[doc]).get_docs(VOCAB)))
    assert subtree_edges(loaded) == brute_force(heads)
    sizes = [len([*token.subtree]) for token in doc]
    assert [size for *_, size in subtrees(doc)] == sizes


def test_where_spacy_goes_wrong():
    # 3 is attached to 1, 1 to 2, and 2 to 0.
    doc = doc_of([0, 2, 0, 1])
    assert subtree_edges(doc) == [(0, 3), (1, 3), (1, 3), (3, 3)]
    assert right_edge(doc[0]) == doc[3] and left_edge(doc[2]) == doc[1]


def test_long_chains_have_no_limit():
    # Every third word is attached to the next word, the others to the word three places later.
    n = 3000
    heads = [min(i + 3, n - 1) if i % 3 else i - i % 3 + 1 for i in range(n)]
    heads[n - 1] = n - 1
    assert subtree_edges(doc_of(heads))[n - 1] == (0, n - 1)


def test_cycles_are_told():
    with pytest.raises(ValueError, match="cycle, among: 'w1', 'w2'"):
        subtree_edges(doc_of([0, 2, 1, 2]))
