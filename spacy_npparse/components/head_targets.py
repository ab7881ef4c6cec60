"""Targets of head selection: gold heads, or head distributions where gold Docs have them.

Source: Kuncoro, Ballesteros, Kong, Dyer and Smith (2016), who train a single parser on the head
distributions of an ensemble.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.training import Example

from spacy_npparse.parsing import HeadTargets, SentenceBatch
from spacy_npparse.treebank.head_distributions import DISTRIBUTIONS_KEY, doc_distributions
from spacy_npparse.trees.head_distributions import N_HEADS
from spacy_npparse.trees.missing import NO_HEAD

Ints = NDArray[np.int64]


UNALIGNED = -1


class AlignedTokens(NamedTuple):
    """Alignment of the tokens of a predicted Doc and its reference.

    Attributes:
        to_gold: int64 [len(doc)], the reference token that each predicted token is aligned with one
            to one; UNALIGNED for none.
        from_gold: int64 [len(reference)], the predicted token that covers each reference token;
            UNALIGNED if it is divided.
    """

    to_gold: Ints
    from_gold: Ints


def head_targets(
    examples: Sequence[Example],
    alignments: Sequence[AlignedTokens],
    sentences: SentenceBatch,
    gold_heads: Ints,
) -> HeadTargets | None:
    """Read the head distributions of a batch.

    Heads outside the sentence are removed from a distribution, which is then normalised. Words
    without a distribution learn the gold head.

    Args:
        examples: The batch.
        alignments: The aligned tokens of each example.
        sentences: The sentences of the predicted Docs.
        gold_heads: int64 [n_words], the gold heads within the sentences, 0 for the root, NO_HEAD if
            unknown.

    Returns:
        The targets; None if no word has a distribution.
    """
    if not any(DISTRIBUTIONS_KEY in example.reference.user_data for example in examples):
        return None
    of_docs = [doc_distributions(example.reference) for example in examples]
    if all(found is None for found in of_docs):
        return None
    heads = np.full((N_HEADS, sentences.n_tokens), NO_HEAD, dtype=np.int64)
    weights = np.zeros((N_HEADS, sentences.n_tokens))
    first = 0
    for found, (to_gold, from_gold) in zip(of_docs, alignments, strict=True):
        if found is not None:
            aligned = np.flatnonzero(to_gold >= 0)
            offsets, probabilities = (column[to_gold[aligned]].T for column in found)
            in_doc = from_gold[to_gold[aligned] + offsets]
            heads[:, first + aligned] = np.where(in_doc >= 0, first + in_doc, NO_HEAD)
            weights[:, first + aligned] = probabilities
        first += len(to_gold)
    in_sentence = np.stack([sentences.in_sentence(of_rank) for of_rank in heads], axis=1)
    shares = np.where(in_sentence == NO_HEAD, 0.0, weights[:, sentences.words].T)
    totals = shares.sum(axis=1)
    none = totals == 0.0
    shares /= np.where(none, 1.0, totals)[:, None]
    targets = HeadTargets(np.maximum(in_sentence, 0).astype(np.int32), shares.astype(np.float32))
    of_tree = HeadTargets.of_tree(gold_heads[none].astype(np.int32))
    targets.heads[none, :1], targets.weights[none, :1] = of_tree
    return targets
