"""Counts of the labels of training data, from which the rules of a component are learnt, and by
which further training contradicts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
from spacy.attrs import DEP, IS_SPACE, POS
from spacy.parts_of_speech import NAMES
from spacy.tokens import Doc

from spacy_npparse.components.gold import misplaced_roots
from spacy_npparse.treebank.heads import head_tokens
from spacy_npparse.treebank.sentence import SPACY_ROOT
from spacy_npparse.trees.label_counts import LabelCounts
from spacy_npparse.trees.label_rules import LabelRule


def count_labels(counts: LabelCounts, doc: Doc) -> None:
    """Count the known labels of the trees of a Doc.

    Args:
        counts: The counts to add to.
        doc: The Doc with gold trees.
    """
    values = doc.to_array([DEP, IS_SPACE, POS])
    heads = head_tokens(doc)
    is_root = heads == np.arange(len(doc))
    strings = doc.vocab.strings
    spelled = {number: strings[number] for number in {*values[:, 0].tolist()}}
    labels = [spelled[number] for number in values[:, 0].tolist()]
    for place in np.flatnonzero(is_root).tolist():
        labels[place] = SPACY_ROOT
    for place in np.flatnonzero(misplaced_roots(doc) | (values[:, 1] != 0)).tolist():
        labels[place] = ""
    heads[is_root] = -1
    counts.add(heads.tolist(), labels, [NAMES[number] for number in values[:, 2].tolist()])


class RuleCases:
    """Counts of how often the trees of a further training obey the rules of a parser, which were
    learnt from another treebank."""

    def __init__(self) -> None:
        self._cases: Counter[LabelRule] = Counter()
        self._exceptions: Counter[LabelRule] = Counter()

    def add(self, docs: Iterable[Doc], rules: Iterable[LabelRule]) -> list[LabelRule]:
        """Count the cases of a batch.

        Args:
            docs: The Docs with gold trees.
            rules: The rules.

        Returns:
            The rules that all trees so far contradict.
        """
        counts = LabelCounts()
        for doc in docs:
            count_labels(counts, doc)
        contradicted = []
        for rule in rules:
            cases, exceptions = counts.cases(rule)
            self._cases[rule] += cases
            self._exceptions[rule] += exceptions
            if rule.is_contradicted(self._cases[rule], self._exceptions[rule]):
                contradicted.append(rule)
        return contradicted
