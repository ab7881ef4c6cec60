"""Label rules of a treebank: learning them from its sentences, and showing them in a table."""

from __future__ import annotations

from collections.abc import Iterable

from spacy.parts_of_speech import IDS as POS_IDS

from spacy_npparse.tables import Column, Table, count
from spacy_npparse.treebank.sentence import EMPTY, SPACY_ROOT, UD_ROOT, Sentence
from spacy_npparse.trees.label_counts import LabelCounts
from spacy_npparse.trees.label_rules import LabelRule, without_subtype
from spacy_npparse.trees.missing import NO_HEAD

_MEANINGS = {
    "unique": "at most one of the dependents of a word",
    "before": "precedes the head",
    "behind": "follows the head",
    "dependents": "no dependent is {}",
    "upos": "is never {}",
}


def treebank_rules(sentences: Iterable[Sentence]) -> list[LabelRule]:
    """Learn the rules that the labels of a treebank obey.

    Args:
        sentences: The treebank.

    Returns:
        The rules; see `spacy_npparse.trees.label_rules`.
    """
    counts = LabelCounts()
    for sentence in sentences:
        count_labels(counts, sentence)
    return counts.rules()


def count_labels(counts: LabelCounts, sentence: Sentence) -> None:
    """Count the labels of a tree as training does: those of words without a head and of misplaced
    roots are unknown, and so are parts of speech that spaCy does not know.

    Args:
        counts: The counts to add to.
        sentence: The sentence.
    """
    heads = sentence.heads[1:]
    labels = [
        SPACY_ROOT if head == 0 else word.deprel if head != NO_HEAD else ""
        for head, word in zip(heads, sentence.words, strict=True)
    ]
    known = ["" if label in (EMPTY, UD_ROOT) else label for label in labels]
    upos = [word.upos if word.upos in POS_IDS else "" for word in sentence.words]
    counts.add([head - 1 for head in heads], known, upos)


def meaning(rule: LabelRule) -> str:
    """Say what a rule requires of the words with its labels.

    Args:
        rule: The rule.
    """
    excluded = ", ".join(dict.fromkeys(map(without_subtype, rule.excluded)))
    return _MEANINGS[rule.kind].format(excluded)


def rules_table(rules: Iterable[LabelRule]) -> Table:
    """Show rules in a table.

    Args:
        rules: The rules.

    Returns:
        A table with a row for each rule.
    """
    rows = [
        (
            ", ".join(rule.labels),
            meaning(rule),
            rule.cases,
            rule.exceptions,
            rule.expected or None,
        )
        for rule in rules
    ]
    heads = [
        Column("Label"),
        Column("Rule", left=True),
        Column("cases", count),
        Column("exceptions", count),
        Column("by chance", count),
    ]
    return Table("Label rules", heads, rows)
