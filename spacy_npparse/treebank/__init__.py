"""Treebanks: lossless conversion between CoNLL-U and Doc, and the corpus reader for training."""

from spacy_npparse.treebank.corpus import ConlluCorpus
from spacy_npparse.treebank.derivation import sentence_derivation
from spacy_npparse.treebank.docs import doc_from_sentences, docs_from_conllu, unannotated_doc
from spacy_npparse.treebank.edges import left_edge, right_edge, subtree_edges
from spacy_npparse.treebank.parsing import parse_sentence
from spacy_npparse.treebank.raw_text import raw_texts
from spacy_npparse.treebank.reading import ConlluReader, read_conllu
from spacy_npparse.treebank.sentence import ConlluError, MultiwordToken, Row, Sentence
from spacy_npparse.treebank.writing import (
    doc_to_conllu,
    doc_to_tokenlists,
    sentences_from_doc,
    write_conllu,
)

__all__ = [
    "ConlluCorpus",
    "ConlluError",
    "ConlluReader",
    "MultiwordToken",
    "Row",
    "Sentence",
    "doc_from_sentences",
    "doc_to_conllu",
    "doc_to_tokenlists",
    "docs_from_conllu",
    "left_edge",
    "parse_sentence",
    "raw_texts",
    "read_conllu",
    "right_edge",
    "sentence_derivation",
    "sentences_from_doc",
    "subtree_edges",
    "unannotated_doc",
    "write_conllu",
]
