"""Identifiers of scores, and their labels for display."""

from __future__ import annotations

from enum import Enum


class Identifier(str, Enum):
    """A key of dictionaries and JSON files that equals its string and has a label.

    Attributes:
        value: The key in JSON files, which does not change between versions.
        label: The text to display; by default the key.
    """

    label: str

    def __new__(cls, key: str, label: str = "") -> Identifier:
        """Make an identifier from a key and a label."""
        member = str.__new__(cls, key)
        member._value_ = key
        member.label = label or key
        return member

    def __str__(self) -> str:
        return self.label


class Metric(Identifier):
    """A score of a prediction, from the official ones to those of non-projective trees."""

    TOKENS = "Tokens"
    SENTENCES = "Sentences"
    WORDS = "Words"
    UPOS = "UPOS"
    XPOS = "XPOS"
    UFEATS = "UFeats"
    ALL_TAGS = "AllTags"
    LEMMAS = "Lemmas"
    UAS = "UAS"
    LAS = "LAS"
    CLAS = "CLAS"
    MLAS = "MLAS"
    BLEX = "BLEX"
    ELAS = "ELAS"
    EXACT_MATCH = "Exact match"
    NONPROJECTIVE_UAS = "Non-projective sentences: UAS"
    NONPROJECTIVE_LAS = "Non-projective sentences: LAS"
    NONPROJECTIVE_PRECISION = "Non-projective arcs: precision"
    NONPROJECTIVE_RECALL = "Non-projective arcs: recall"
    NONPROJECTIVE_STRICT_RECALL = "Non-projective arcs: strict recall"
    NONPROJECTIVE_SHARE = "Non-projective arcs predicted"
    NONPROJECTIVE_SENTENCE_SHARE = "Non-projective sentences predicted"


# The official scores, grouped as in tables.
SEGMENTATION = (Metric.TOKENS, Metric.SENTENCES, Metric.WORDS)
TAGS = (Metric.UPOS, Metric.XPOS, Metric.UFEATS, Metric.ALL_TAGS, Metric.LEMMAS)
TREES = (Metric.UAS, Metric.LAS, Metric.CLAS, Metric.MLAS, Metric.BLEX, Metric.ELAS)


class ArcProperty(Identifier):
    """A property of arcs by which scores are broken down."""

    ARC_LENGTH = "arc length"
    SENTENCE_LENGTH = "sentence length"
    ROOT_DISTANCE = "distance to the root"
    PROJECTIVITY = "projectivity"
    RELATION = "relation"
