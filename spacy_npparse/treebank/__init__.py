"""Treebanks: CoNLL-U to Doc and back without loss, and the corpus reader for training."""

from .corpus import ConlluCorpus
from .derivation import sentence_derivation
from .docs import doc_from_sentences, docs_from_conllu, unannotated_doc
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
    "parse_sentence",
    "raw_texts",
    "read_conllu",
    "sentence_derivation",
    "sentences_from_doc",
    "unannotated_doc",
    "write_conllu",
]
