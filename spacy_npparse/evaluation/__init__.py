"""Scores: the official attachment scores, and scores for crossing arcs."""

from .alignment import TextMismatchError
from .analysis import Analysis, analysis_of_docs, analysis_of_sentences
from .attachment import Score
from .nonprojective import NonProjectiveScores
from .scorer import parser_score
from .scores import Scores, score_analyses, score_sentences

__all__ = [
    "Analysis",
    "NonProjectiveScores",
    "Score",
    "Scores",
    "TextMismatchError",
    "analysis_of_docs",
    "analysis_of_sentences",
    "parser_score",
    "score_analyses",
    "score_sentences",
]
