"""Multiword tokens that cannot be cut into slices for their words: one token of a Doc each.

Portuguese "à" is "a" and "a", two words in one character.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from spacy_npparse.treebank.head_distributions import HEAD_DISTRIBUTION
from spacy_npparse.treebank.rows import without_misc
from spacy_npparse.treebank.sentence import EMPTY, MultiwordToken, Row, Sentence
from spacy_npparse.word_slices import cut


def uncut_tokens(sentence: Sentence) -> list[MultiwordToken]:
    """The multiword tokens that have no slices for their words.

    Args:
        sentence: The sentence.

    Returns:
        Those of which `cut` makes nothing.
    """
    words = sentence.words
    return [
        token
        for token in sentence.multiword_tokens
        if cut(token.row.form, tuple(word.form for word in words[token.first - 1 : token.last]))
        is None
    ]


def contracted(sentence: Sentence) -> Sentence:
    """The sentence as a Doc has it: multiword tokens without slices for their words are words.

    Such a word is attached as the highest of its words is, and has its annotation. DEPS and empty
    nodes, whose numbers would change, are left out.

    Args:
        sentence: The sentence.

    Returns:
        The sentence itself if there are none; else another one with the same `text`.
    """
    uncut = uncut_tokens(sentence)
    if not uncut:
        return sentence
    n_words = len(sentence.words)
    # The first word of the token that each word is in.
    first_of = list(range(n_words + 1))
    for token in uncut:
        first_of[token.first : token.last + 1] = [token.first] * (token.last - token.first + 1)
    numbers = [0] * (n_words + 1)
    for i in range(1, n_words + 1):
        numbers[i] = numbers[i - 1] + 1 if first_of[i] == i else numbers[first_of[i]]
    surfaces = {token.first: token for token in uncut}
    words: list[Row] = []
    heads = [sentence.heads[0]]
    for i in range(1, n_words + 1):
        if first_of[i] != i:
            continue
        uncut_token = surfaces.get(i)
        top = i
        if uncut_token:
            top = _highest(sentence.heads, range(i, uncut_token.last + 1))
        head = sentence.heads[top]
        heads.append(numbers[head] if head > 0 else head)
        row = sentence.words[top - 1]
        if uncut_token:
            row = row._replace(form=uncut_token.row.form, misc=uncut_token.row.misc)
        row = row._replace(
            id=str(numbers[i]), head=EMPTY if head < 0 else str(heads[-1]), deps=EMPTY
        )
        words.append(without_misc(row, [HEAD_DISTRIBUTION]))
    kept = [
        MultiwordToken(
            numbers[token.first],
            numbers[token.last],
            token.row._replace(id=f"{numbers[token.first]}-{numbers[token.last]}"),
        )
        for token in sentence.multiword_tokens
        if token.first not in surfaces
    ]
    before = {token.first: token.row for token in kept}
    rows = [
        row
        for number, word in enumerate(words, 1)
        for row in ([before[number]] if number in before else []) + [word]
    ]
    return replace(
        sentence,
        rows=tuple(rows),
        words=tuple(words),
        heads=tuple(heads),
        multiword_tokens=tuple(kept),
    )


def _highest(heads: Sequence[int], words: range) -> int:
    """The last of the words on the way from the first one to the root: with its head, the others
    are in no cycle."""
    top = above = words[0]
    while above > 0:
        if above in words:
            top = above
        above = heads[above]
    return top
