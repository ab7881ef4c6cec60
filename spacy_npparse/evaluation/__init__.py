"""Evaluation: official scores, scores of non-projective arcs, significance tests."""

from spacy_npparse.evaluation.alignment import TextMismatchError
from spacy_npparse.evaluation.analysis import Analysis, analysis_of_docs, analysis_of_sentences
from spacy_npparse.evaluation.attachment import Score
from spacy_npparse.evaluation.enhanced import EnhancedDependencyError
from spacy_npparse.evaluation.metrics import ArcProperty, Metric
from spacy_npparse.evaluation.nonprojective import NonProjectiveScores
from spacy_npparse.evaluation.parser_comparison import (
    ParserComparison,
    compare_parsers,
)
from spacy_npparse.evaluation.scorer import make_parser_scorer, parser_score
from spacy_npparse.evaluation.scores import Scores, ScoreSum, score_analyses, score_sentences
from spacy_npparse.evaluation.validation import (
    TreeErrors,
    Validation,
    ValidatorError,
    validate_sentences,
)

__all__ = [
    "Analysis",
    "ArcProperty",
    "EnhancedDependencyError",
    "Metric",
    "NonProjectiveScores",
    "ParserComparison",
    "Score",
    "ScoreSum",
    "Scores",
    "TextMismatchError",
    "TreeErrors",
    "Validation",
    "ValidatorError",
    "analysis_of_docs",
    "analysis_of_sentences",
    "compare_parsers",
    "make_parser_scorer",
    "parser_score",
    "score_analyses",
    "score_sentences",
    "validate_sentences",
]
