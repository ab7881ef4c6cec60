"""Support for annotators: probabilities of heads and labels, selection of sentences, contradicted
arcs of a treebank, and sentences whose predicted trees are probably right."""

from spacy_npparse.annotation.calibration import Predictions, read_gold
from spacy_npparse.annotation.contradictions import Contradiction, contradictions_of
from spacy_npparse.annotation.posteriors import PosteriorError, encode_sentences, parser_of
from spacy_npparse.annotation.selection import (
    Criterion,
    JudgedSentence,
    judge_sentences,
    select_doubtful_words,
    select_sentences,
    select_words,
)
from spacy_npparse.annotation.silver import ConfidentSentences

__all__ = [
    "ConfidentSentences",
    "Contradiction",
    "Criterion",
    "JudgedSentence",
    "PosteriorError",
    "Predictions",
    "contradictions_of",
    "encode_sentences",
    "judge_sentences",
    "parser_of",
    "read_gold",
    "select_doubtful_words",
    "select_sentences",
    "select_words",
]
