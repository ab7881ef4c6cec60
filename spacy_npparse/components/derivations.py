"""Gold trees to compare the derivations of a parser with."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from spacy.tokens import Doc

from spacy_npparse.components.gold import MISSING, GoldBatch, head_tokens, heads_in_sentence
from spacy_npparse.components.labels import Labels
from spacy_npparse.components.sentences import SentenceBatch
from spacy_npparse.treebank.docs import UD_ROOT


class GoldTree(NamedTuple):
    """The gold tree of one sentence.

    heads: n + 1, 0 for the root, -1 if unknown; the first is -1.
    labels: of the arcs to the n words; None if the parser predicts others, with notes.
    """

    heads: Sequence[int]
    labels: Sequence[str] | None


def gold_trees(
    doc: Doc, gold: Doc, sentences: SentenceBatch, labels: Labels
) -> list[GoldTree | None]:
    """The gold trees of the sentences of a Doc, as the parser has to build them; None where nothing
    is known.

    gold: the same tokens. sentences: of the Doc. labels: of the parser.

    Raises ValueError if the tokens differ.
    """
    if [token.text for token in gold] != [token.text for token in doc]:
        raise ValueError(
            f"the gold Doc has the tokens of {gold.text!r}, not those of {doc.text!r}; parse its "
            "tokens"
        )
    heads = heads_in_sentence(sentences, head_tokens(gold)).astype(np.int32)
    unknown = np.full(len(heads), MISSING, dtype=np.int64)
    built = labels.encode(GoldBatch(sentences, heads, unknown)).heads
    trees: list[GoldTree | None] = []
    for words in sentences.slices():
        deps = [
            gold[token].dep_ if head else UD_ROOT
            for token, head in zip(sentences.words[words].tolist(), heads[words], strict=True)
        ]
        found = [MISSING, *built[words].tolist()]
        known = max(found) != MISSING
        trees.append(GoldTree(found, deps if labels.plain else None) if known else None)
    return trees
