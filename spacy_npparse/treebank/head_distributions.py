"""How probable each head of a word is: in Docs, as targets of training, and in MISC.

Source: the votes of an ensemble as targets of a single parser, Kuncoro, Ballesteros, Kong, Dyer and
Smith (2016).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import numpy as np
from spacy.tokens import Doc, Token

from spacy_npparse.treebank.sentence import Row, Sentence, shortened
from spacy_npparse.trees.head_distributions import N_HEADS, HeadDistributions

# In doc.user_data: `HeadDistributions` of the tokens. Heads are offsets from the token, 0 for the
# root.
DISTRIBUTIONS_KEY = "spacy_npparse.head_distributions"
# In MISC: the most probable heads, such as HeadDistribution=3:0.61,7:0.38.
HEAD_DISTRIBUTION = "HeadDistribution"
# Less probable heads are not written.
_LEAST = 0.01
_ATTRIBUTE = re.compile(rf"(?:^|\|){HEAD_DISTRIBUTION}=([^|]*)")
_HEAD = re.compile(r"([0-9]{1,9}):([01](?:\.[0-9]*)?)")


def doc_distributions(doc: Doc) -> HeadDistributions | None:
    """The distributions of heads that a Doc has.

    Args:
        doc: The Doc.

    Returns:
        See `DISTRIBUTIONS_KEY`; None if there are none, or if they are not those of its tokens, of
        which a component has merged or split some.
    """
    found = doc.user_data.get(DISTRIBUTIONS_KEY)
    if found is None:
        return None
    if isinstance(found, np.ndarray):
        # Both in one array of float64, as earlier versions wrote them.
        offsets, probabilities = np.split(found, 2, axis=1)
        found = offsets.astype(np.int32), probabilities.astype(np.float32)
    # spaCy loads it as a list, or as another tuple.
    distributions = HeadDistributions(*found)
    return distributions if len(distributions.heads) == len(doc) else None


def token_distribution(token: Token) -> dict[int, float] | None:
    """The most probable heads of a token.

    Args:
        token: The token.

    Returns:
        The probability of each, by its number in the Doc, that of the token itself for the root;
        None if they are not known.
    """
    found = doc_distributions(token.doc)
    if found is None or token.is_space:
        return None
    offsets, probabilities = (column[token.i].tolist() for column in found)
    pairs = zip(offsets, probabilities, strict=True)
    return {token.i + offset: p for offset, p in pairs if p > 0}


def spell_distribution(probabilities: Mapping[int, float]) -> str:
    """Write the heads of a word as the value of HeadDistribution.

    Args:
        probabilities: By the number of the head in the sentence, 0 for the root.
    """
    return ",".join(f"{head}:{p:.2f}" for head, p in probabilities.items() if p >= _LEAST)


def read_distributions(sentences: Iterable[Sentence]) -> HeadDistributions | None:
    """Read HeadDistribution of the words of sentences.

    Args:
        sentences: Of one Doc.

    Returns:
        For `doc.user_data`, see `DISTRIBUTIONS_KEY`; None if no word has any.

    Raises:
        ValueError: If it is malformed, naming sentence and word.
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
    """The offsets of the heads of a word, and their probabilities."""
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
