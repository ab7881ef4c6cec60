"""Scores: the official attachment scores, and scores for crossing arcs."""

from .alignment import TextMismatchError
from .analysis import Analysis, analysis_of_docs, analysis_of_sentences
from .attachment import Score
from .nonprojective import NonProjectiveScores
from .parser_comparison import ParserComparison, SentenceMismatchError, compare_parsers
from .scorer import parser_score
from .scores import Scores, score_analyses, score_sentences

__all__ = [
    "Analysis",
    "NonProjectiveScores",
    "ParserComparison",
    "Score",
    "Scores",
    "SentenceMismatchError",
    "TextMismatchError",
    "analysis_of_docs",
    "analysis_of_sentences",
    "compare_parsers",
    "parser_score",
    "score_analyses",
    "score_sentences",
]
