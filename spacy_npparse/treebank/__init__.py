"""Treebanks: CoNLL-U to Doc and back without loss, and the corpus reader for training."""

from .corpus import ConlluCorpus
from .derivation import sentence_derivation
from .docs import doc_from_sentences, docs_from_conllu, unannotated_doc
from .edges import left_edge, right_edge, subtree_edges
from .raw_text import raw_texts
from .reading import ConlluReader, read_conllu
from .sentence import ConlluError, Row, Sentence, parse_sentence
from .writing import doc_to_conllu, sentences_from_doc, write_conllu

__all__ = [
    "ConlluCorpus",
    "ConlluError",
    "ConlluReader",
    "Row",
    "Sentence",
    "doc_from_sentences",
    "doc_to_conllu",
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
