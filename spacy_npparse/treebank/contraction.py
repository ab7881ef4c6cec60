"""Multiword tokens that cannot be cut into slices for their words: one token of a Doc each.

Portuguese "à" is "a" and "a", two words in one character.
"""

from __future__ import annotations

from collections.abc import Sequence

from spacy_npparse.treebank.head_distributions import HEAD_DISTRIBUTION
from spacy_npparse.treebank.parsing import validated
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
    uncut = {token.first: token for token in uncut_tokens(sentence)}
    if not uncut:
        return sentence
    kept = {token.first: token for token in sentence.multiword_tokens if token.first not in uncut}
    # Of each word, in the contracted sentence.
    numbers = [0]
    last = 0
    for i in range(1, len(sentence.words) + 1):
        numbers.append(numbers[-1] + (i > last))
        last = uncut[i].last if i in uncut else last
    rows: list[Row] = []
    for i, row in enumerate(sentence.words, 1):
        if numbers[i] == numbers[i - 1]:
            continue
        top = i
        if i in kept:
            ids = f"{numbers[i]}-{numbers[kept[i].last]}"
            rows.append(kept[i].row._replace(id=ids))
        if i in uncut:
            top = _highest(sentence.heads, range(i, uncut[i].last + 1))
            surface = uncut[i].row
            row = sentence.words[top - 1]._replace(form=surface.form, misc=surface.misc)
        head = sentence.heads[top]
        above = row.head if head < 1 else str(numbers[head])
        row = row._replace(id=str(numbers[i]), head=above, deps=EMPTY)
        rows.append(without_misc(row, [HEAD_DISTRIBUTION]))
    return validated(rows, sentence.comments, sentence.metadata, sentence.text)


def _highest(heads: Sequence[int], words: range) -> int:
    """The last of the words on the way from the first one to the root: with its head, the others
    are in no cycle."""
    top = above = words[0]
    while above > 0:
        if above in words:
            top = above
        above = heads[above]
    return top
