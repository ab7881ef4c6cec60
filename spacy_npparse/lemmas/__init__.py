"""Lemmas: those of a treebank, and a network that spells others."""

from spacy_npparse.lemmas.edits import Edit, find_edits
from spacy_npparse.lemmas.mistagging import Mistagging
from spacy_npparse.lemmas.saved import Lexicon, lexicon_from_dict, lexicon_to_dict
from spacy_npparse.lemmas.spelling import lemmatize
from spacy_npparse.lemmas.symbols import Symbols
from spacy_npparse.lemmas.table import LemmaTable
from spacy_npparse.lemmas.word import Word

__all__ = [
    "Edit",
    "LemmaTable",
    "Lexicon",
    "Mistagging",
    "Symbols",
    "Word",
    "find_edits",
    "lemmatize",
    "lexicon_from_dict",
    "lexicon_to_dict",
]
