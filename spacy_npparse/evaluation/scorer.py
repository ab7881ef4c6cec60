"""The scorer for configs: official attachment scores in spaCy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from spacy.training import Example

from spacy_npparse.evaluation.alignment import align_words
from spacy_npparse.evaluation.analysis import Analysis, analysis_of_docs
from spacy_npparse.evaluation.attachment import Comparison, Score, exact_match, las_per_relation
from spacy_npparse.evaluation.metrics import Metric
from spacy_npparse.evaluation.nonprojective import nonprojective_scores
from spacy_npparse.evaluation.official import official_scores
from spacy_npparse.treebank.given_sentences import sentences_were_given
from spacy_npparse.treebank.heads import head_tokens
from spacy_npparse.trees.missing import NO_HEAD

_SENTENCE_SCORES = ("sents_p", "sents_r", "sents_f")
SCORE_NAMES = (
    "dep_uas",
    "dep_las",
    "dep_clas",
    "dep_las_per_type",
    "dep_exact_match",
    "nonproj_uas",
    "nonproj_las",
    "nonproj_p",
    "nonproj_r",
    "nonproj_r_strict",
    "nonproj_share",
    *_SENTENCE_SCORES,
)


def make_parser_scorer() -> Callable[..., dict[str, Any]]:
    """Return the scorer `spacy_npparse.parser_scorer.v1`."""
    return parser_score


def parser_score(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Score parses like the official evaluation.

    Args:
        examples: Predicted and reference Docs, whose texts may differ only in white space and case.
        **kwargs: Ignored. spaCy passes the settings of a component to every scorer.

    Returns:
        The scores of `SCORE_NAMES`, from 0 to 1, or None without gold annotation. The scores of
        sentences are missing if all boundaries were set before the Docs were parsed. `dep_uas` and
        `dep_las` have spaCy's names but the official definition: punctuation counts, and subtypes
        do not. `dep_las_per_type` maps relations to p, r and f. For `nonproj_*` see
        `NonProjectiveScores`.

    Raises:
        TextMismatchError: The texts differ.
    """
    examples = list(examples)
    scores: dict[str, Any] = dict.fromkeys(SCORE_NAMES)
    parsed = [eg for eg in examples if _has_heads(eg)]
    analyses = _analyses(parsed)
    if parsed:
        scores.update(_parse_scores(*analyses))
    segmented = [eg for eg in examples if eg.reference.has_annotation("SENT_START")]
    if segmented and all(sentences_were_given(eg.predicted) for eg in segmented):
        # Another component may have found and scored the sentences.
        for name in _SENTENCE_SCORES:
            del scores[name]
    elif segmented:
        gold, system = analyses if segmented == parsed else _analyses(segmented)
        in_both = len(set(gold.sentences) & set(system.sentences))
        sents = Score(in_both, len(gold.sentences), len(system.sentences))
        scores.update(sents_p=sents.precision, sents_r=sents.recall, sents_f=sents.f1)
    return scores


def _has_heads(example: Example) -> bool:
    return bool((head_tokens(example.reference) != NO_HEAD).any())


def _analyses(examples: list[Example]) -> tuple[Analysis, Analysis]:
    gold = analysis_of_docs(eg.reference for eg in examples)
    system = analysis_of_docs(eg.predicted for eg in examples)
    # As in spaCy's alignment of tokens, case is ignored.
    if len(system.text) == len(gold.text) and system.text.lower() == gold.text.lower():
        system.text = gold.text
    return gold, system


def _parse_scores(gold: Analysis, system: Analysis) -> dict[str, Any]:
    comparison = Comparison(gold, system, align_words(gold, system))
    official, match = official_scores(comparison), exact_match(comparison)
    nonprojective = nonprojective_scores(comparison)
    labelled = official[Metric.LAS].gold > 0
    return {
        "dep_uas": official[Metric.UAS].f1,
        "dep_las": official[Metric.LAS].f1 if labelled else None,
        "dep_clas": official[Metric.CLAS].f1 if official[Metric.CLAS].gold > 0 else None,
        "dep_las_per_type": {
            relation: {"p": score.precision, "r": score.recall, "f": score.f1}
            for relation, score in las_per_relation(comparison).items()
        }
        if labelled
        else None,
        "dep_exact_match": match.recall if match else None,
        "nonproj_uas": nonprojective.uas,
        "nonproj_las": nonprojective.las if labelled else None,
        "nonproj_p": nonprojective.precision,
        "nonproj_r": nonprojective.recall,
        "nonproj_r_strict": nonprojective.strict_recall,
        "nonproj_share": nonprojective.share,
    }
