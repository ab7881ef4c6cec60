"""How probable each head of a word is: in Docs, as targets of training, and in MISC.

Source: the votes of an ensemble as targets of a single parser, Kuncoro, Ballesteros, Kong, Dyer and
Smith (2016).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc, Token

from spacy_npparse.treebank.sentence import Row, Sentence, shortened

# In doc.user_data: float64 [len(doc), 2 * N_HEADS], for each token the offsets of its most probable
# heads, 0 for the root, and then their probabilities, 0 where there are fewer.
DISTRIBUTIONS_KEY = "spacy_npparse.head_distributions"
N_HEADS = 4
# In MISC: the most probable heads, such as HeadDistribution=3:0.61,7:0.38.
HEAD_DISTRIBUTION = "HeadDistribution"
# Less probable heads are not written.
_LEAST = 0.01
_ATTRIBUTE = re.compile(rf"(?:^|\|){HEAD_DISTRIBUTION}=([^|]*)")
_HEAD = re.compile(r"([0-9]{1,9}):([01](?:\.[0-9]*)?)")

Floats = NDArray[np.float64]


def most_probable_heads(probabilities: NDArray[np.float32]) -> Floats:
    """Find the heads that are most probable.

    Args:
        probabilities: [n_words, size], of each head of each word, the root being the first.

    Returns:
        [n_words, 2 * N_HEADS]: the heads, most probable first, and then their probabilities.
    """
    n_words, size = probabilities.shape
    n_heads = min(size, N_HEADS)
    heads = np.argsort(-probabilities, axis=1, kind="stable")[:, :n_heads]
    sorted_ = np.take_along_axis(probabilities, heads, axis=1)
    found = np.zeros((n_words, 2, N_HEADS))
    # Padding has none.
    found[:, 0, :n_heads] = np.where(sorted_ > 0, heads, 0)
    found[:, 1, :n_heads] = sorted_
    return found.reshape(n_words, 2 * N_HEADS)


def doc_distributions(doc: Doc) -> Floats | None:
    """The distributions of heads that a Doc has.

    Args:
        doc: The Doc.

    Returns:
        See `DISTRIBUTIONS_KEY`; None if there are none, or if they are not those of its tokens, of
        which a component has merged or split some.
    """
    found: Floats | None = doc.user_data.get(DISTRIBUTIONS_KEY)
    return found if found is not None and len(found) == len(doc) else None


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
    offsets, probabilities = np.split(found[token.i], 2)
    pairs = zip(offsets.tolist(), probabilities.tolist(), strict=True)
    return {token.i + int(offset): p for offset, p in pairs if p > 0}


def spell_distribution(probabilities: Mapping[int, float]) -> str:
    """Write the heads of a word as the value of HeadDistribution.

    Args:
        probabilities: By the number of the head in the sentence, 0 for the root.
    """
    return ",".join(f"{head}:{p:.2f}" for head, p in probabilities.items() if p >= _LEAST)


def read_distributions(sentences: Iterable[Sentence]) -> Floats | None:
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
    if not any(map(len, found)):
        return None
    distributions = np.zeros((len(found), 2, N_HEADS))
    for row, pairs in zip(distributions, found, strict=True):
        row[:, : len(pairs)] = np.array(pairs).reshape(-1, 2).T
    return distributions.reshape(len(found), 2 * N_HEADS)


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
