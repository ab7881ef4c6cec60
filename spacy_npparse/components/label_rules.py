"""Counts of the labels of training data, from which the rules of a component are learnt."""

from __future__ import annotations

import numpy as np
from spacy.attrs import DEP, IS_SPACE, POS
from spacy.parts_of_speech import NAMES
from spacy.tokens import Doc

from spacy_npparse.components.gold import misplaced_roots
from spacy_npparse.treebank.heads import head_tokens
from spacy_npparse.treebank.sentence import SPACY_ROOT
from spacy_npparse.trees.label_rules import LabelCounts


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
