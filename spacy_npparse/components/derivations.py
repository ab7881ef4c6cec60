"""Gold trees that the derivations of a parser are compared with."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
from spacy.tokens import Doc

from spacy_npparse.components.gold import head_tokens
from spacy_npparse.components.labels import Labels
from spacy_npparse.parsing import GoldBatch, SentenceBatch
from spacy_npparse.treebank.sentence import UD_ROOT
from spacy_npparse.trees.missing import NO_HEAD, NO_LABEL


class GoldTree(NamedTuple):
    """The gold tree of one sentence.

    Attributes:
        heads: n + 1 of them, 0 for the root, NO_HEAD if unknown; the first is NO_HEAD.
        labels: Of the arcs to the n words; None if the parser predicts decorated ones instead.
    """

    heads: Sequence[int]
    labels: Sequence[str] | None


def gold_trees(
    doc: Doc, gold: Doc, sentences: SentenceBatch, labels: Labels
) -> list[GoldTree | None]:
    """Read the gold trees of the sentences of a Doc, as the parser has to build them.

    Args:
        doc: The Doc.
        gold: The same tokens with gold trees.
        sentences: Of the Doc.
        labels: Of the parser.

    Returns:
        A tree for each sentence, None where nothing is known.

    Raises:
        ValueError: If the tokens differ.
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
