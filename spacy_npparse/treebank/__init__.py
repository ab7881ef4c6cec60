"""Treebanks: lossless conversion between CoNLL-U and Doc, and the corpus reader for training."""

from spacy_npparse.errors import DocError
from spacy_npparse.treebank.annotating import annotate
from spacy_npparse.treebank.augmentation import (
    ExcerptAugmenter,
    NonceAugmenter,
    augmenting_batcher,
)
from spacy_npparse.treebank.blank import Kept, without_annotation
from spacy_npparse.treebank.corpus import ConlluCorpus
from spacy_npparse.treebank.derivation import sentence_derivation
from spacy_npparse.treebank.docs import (
    doc_from_sentences,
    docs_from_conllu,
    keep_annotation,
    unannotated_doc,
)
from spacy_npparse.treebank.edges import left_edge, right_edge, subtree_edges
from spacy_npparse.treebank.folders import TreebankFolderError, treebank_parts
from spacy_npparse.treebank.parsing import parse_sentence
from spacy_npparse.treebank.plain_text import (
    Paragraph,
    approximate_words,
    paragraphs_of_lines,
    paragraphs_of_text,
    paragraphs_of_treebank,
)
from spacy_npparse.treebank.raw_text import raw_texts
from spacy_npparse.treebank.reading import ConlluReader, read_conllu
from spacy_npparse.treebank.sentence import (
    ConlluError,
    MultiwordToken,
    Row,
    Sentence,
)
from spacy_npparse.treebank.writing import (
    doc_to_conllu,
    doc_to_tokenlists,
    sentences_from_doc,
    write_conllu,
)
from spacy_npparse.word_forms import SurfaceToken, multiword_tokens, surface_tokens, word_forms

__all__ = [
    "ConlluCorpus",
    "ConlluError",
    "ConlluReader",
    "DocError",
    "ExcerptAugmenter",
    "Kept",
    "MultiwordToken",
    "NonceAugmenter",
    "Paragraph",
    "Row",
    "Sentence",
    "SurfaceToken",
    "TreebankFolderError",
    "annotate",
    "approximate_words",
    "augmenting_batcher",
    "doc_from_sentences",
    "doc_to_conllu",
    "doc_to_tokenlists",
    "docs_from_conllu",
    "keep_annotation",
    "left_edge",
    "multiword_tokens",
    "paragraphs_of_lines",
    "paragraphs_of_text",
    "paragraphs_of_treebank",
    "parse_sentence",
    "raw_texts",
    "read_conllu",
    "right_edge",
    "sentence_derivation",
    "sentences_from_doc",
    "subtree_edges",
    "surface_tokens",
    "treebank_parts",
    "unannotated_doc",
    "without_annotation",
    "word_forms",
    "write_conllu",
]
