"""Distributions of heads in Docs, as training targets, and in MISC.

Source: Kuncoro, Ballesteros, Kong, Dyer and Smith (2016), who train a single parser on the votes of
an ensemble.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from spacy.tokens import Doc, Token

from spacy_npparse.treebank.sentence import Row, Sentence, shortened
from spacy_npparse.trees.head_distributions import N_HEADS, HeadDistributions

# The keys of doc.user_data for the `HeadDistributions` of tokens: those that a parser learns, and
# those that it predicts. Heads are offsets from the token, 0 for the root. Doc.from_docs() drops
# keys of another form, and moves these with the text.
DISTRIBUTIONS_KEY: Any = ("._.", "spacy_npparse.head_distributions", 0, None)
PREDICTIONS_KEY: Any = ("._.", "spacy_npparse.predicted_heads", 0, None)
# The attribute of MISC with the most probable heads, such as HeadDistribution=3:0.61,7:0.38.
HEAD_DISTRIBUTION = "HeadDistribution"
# Less probable heads are not written.
_LEAST = 0.01
_ATTRIBUTE = re.compile(rf"(?:^|\|){HEAD_DISTRIBUTION}=([^|]*)")
_HEAD = re.compile(r"([0-9]{1,9}):([01](?:\.[0-9]*)?)")


def doc_distributions(doc: Doc, key: Any = DISTRIBUTIONS_KEY) -> HeadDistributions | None:
    """Find the head distributions of a Doc.

    Args:
        doc: The Doc.
        key: `DISTRIBUTIONS_KEY` or `PREDICTIONS_KEY`.

    Returns:
        The distributions; None if there are none, or if a component has changed the number of
        tokens.
    """
    found = doc.user_data.get(key)
    if found is None:
        return None
    if len(found[0]) != len(doc):
        # After Doc.from_docs(), those of each Doc are there. They are joined, or removed, so that
        # the next call does not look for them.
        keys = [one for one in doc.user_data if isinstance(one, tuple) and one[:2] == key[:2]]
        parts = [doc.user_data.pop(one) for one in sorted(keys, key=lambda one: one[2])]
        found = [*map(np.concatenate, zip(*parts, strict=True))]
        if len(found[0]) != len(doc):
            return None
        doc.user_data[key] = found
    # spaCy loads it as a list or as another tuple.
    return HeadDistributions(*found)


def token_distribution(token: Token) -> dict[int, float] | None:
    """Find the most probable heads of a token: those that a parser has predicted, or else those of
    the treebank.

    Args:
        token: The token.

    Returns:
        The probability of each head, by its index in the Doc, or the token's own index for the
        root; None if they are unknown.
    """
    doc = token.doc
    found = doc_distributions(doc, PREDICTIONS_KEY) or doc_distributions(doc)
    if found is None or token.is_space:
        return None
    offsets, probabilities = (column[token.i].tolist() for column in found)
    pairs = zip(offsets, probabilities, strict=True)
    return {token.i + offset: p for offset, p in pairs if p > 0}


def spell_distribution(probabilities: Mapping[int, float]) -> str:
    """Write the head distribution of a word as the value of HeadDistribution.

    Args:
        probabilities: The probabilities by the number of the head in the sentence, 0 for the root.
    """
    return ",".join(f"{head}:{p:.2f}" for head, p in probabilities.items() if p >= _LEAST)


def read_distributions(sentences: Iterable[Sentence]) -> HeadDistributions | None:
    """Read HeadDistribution in MISC for the words of sentences.

    Args:
        sentences: The sentences of a Doc.

    Returns:
        The distributions for `doc.user_data`, see `DISTRIBUTIONS_KEY`; None if there are none.

    Raises:
        ValueError: A value is malformed. The message names the sentence and the word.
    """
    found = [
        _offsets(sentence, word, i)
        for sentence in sentences
        for i, word in enumerate(sentence.words, 1)
    ]
    if not any(found):
        return None
    distributions = HeadDistributions.unknown(len(found))
    for i, pairs in enumerate(found):
        for rank, (offset, probability) in enumerate(pairs):
            distributions.heads[i, rank] = offset
            distributions.probabilities[i, rank] = probability
    return distributions


def _offsets(sentence: Sentence, word: Row, i: int) -> list[tuple[int, float]]:
    """Read the offsets and the probabilities of a word's heads."""
    if HEAD_DISTRIBUTION not in word.misc or not (match := _ATTRIBUTE.search(word.misc)):
        return []
    pairs = [_HEAD.fullmatch(part) for part in match[1].split(",")]
    found = [(int(pair[1]), float(pair[2])) for pair in pairs if pair]
    valid = all(0 <= head <= len(sentence.words) and head != i and p <= 1 for head, p in found)
    if len(found) < len(pairs) or len(pairs) > N_HEADS or not valid:
        name = sentence.sent_id or shortened(" ".join(word.form for word in sentence.words))
        raise ValueError(
            f"sentence {name}, word {i}: {match[0].strip('|')!r} is not up to {N_HEADS} heads with "
            f"their probabilities, such as {HEAD_DISTRIBUTION}=3:0.61,7:0.38. Correct or remove it."
        )
    return [(head - i if head else 0, p) for head, p in found]
