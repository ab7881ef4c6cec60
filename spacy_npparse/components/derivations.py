"""Gold trees to compare with the derivations of a parser."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
from spacy.tokens import Doc

from spacy_npparse.components.labels import Labels
from spacy_npparse.parsing import GoldBatch, SentenceBatch
from spacy_npparse.treebank.heads import head_tokens
from spacy_npparse.treebank.sentence import UD_ROOT
from spacy_npparse.trees.missing import NO_HEAD, NO_LABEL


class GoldTree(NamedTuple):
    """The gold tree of one sentence.

    Attributes:
        heads: n + 1 heads, 0 for the root, NO_HEAD if unknown. The first one is NO_HEAD.
        labels: The labels of the n arcs; None if the parser predicts decorated labels instead.
    """

    heads: Sequence[int]
    labels: Sequence[str] | None


def gold_trees(
    doc: Doc, gold: Doc, sentences: SentenceBatch, labels: Labels
) -> list[GoldTree | None]:
    """Read the gold trees of the sentences of a Doc in the form that the parser builds.

    Args:
        doc: The Doc.
        gold: A Doc with the same tokens and gold trees.
        sentences: The sentences of the Doc.
        labels: The labels of the parser.

    Returns:
        A tree for each sentence; None if nothing is known about it.

    Raises:
        ValueError: The tokens of the Docs differ.
    """
    parsed, expected = ([token.text for token in one] for one in (doc, gold))
    if parsed != expected:
        place = next(i for i, pair in enumerate(zip_longest(parsed, expected)) if len({*pair}) > 1)
        raise ValueError(
            f"the gold Doc has other tokens than the one that is parsed: {expected[place:][:1]} "
            f"instead of {parsed[place:][:1]} at {place}; parse its tokens, with no component "
            "before the parser that merges or splits them"
        )
    heads = sentences.in_sentence(head_tokens(gold)).astype(np.int32)
    unknown = np.full(len(heads), NO_LABEL, dtype=np.int64)
    docs = np.zeros(len(sentences.lengths), dtype=np.int64)
    built = labels.encode(GoldBatch(sentences, heads, unknown, docs)).heads
    trees: list[GoldTree | None] = []
    for words in sentences.slices():
        deps = [
            gold[token].dep_ if head else UD_ROOT
            for token, head in zip(sentences.words[words].tolist(), heads[words], strict=True)
        ]
        found = [NO_HEAD, *built[words].tolist()]
        known = max(found) != NO_HEAD
        trees.append(GoldTree(found, deps if labels.are_plain else None) if known else None)
    return trees
