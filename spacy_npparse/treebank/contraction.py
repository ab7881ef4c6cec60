"""Multiword tokens that cannot be cut into a slice for each word, and are one token of a Doc.

An example is Portuguese "à", which consists of the words "a" and "a" but of one character.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from spacy_npparse.treebank.head_distributions import HEAD_DISTRIBUTION
from spacy_npparse.treebank.parsing import validated
from spacy_npparse.treebank.rows import without_misc
from spacy_npparse.treebank.sentence import EMPTY, MultiwordToken, Row, Sentence
from spacy_npparse.word_slices import cut

# The relation that UD provides for words of which nothing else is known.
_DEPENDENT = "dep"


def uncut_tokens(sentence: Sentence) -> list[MultiwordToken]:
    """Find the multiword tokens that have no slices for their words.

    Args:
        sentence: The sentence.

    Returns:
        The tokens for which `cut` finds no slices.
    """
    words = sentence.words
    return [
        token
        for token in sentence.multiword_tokens
        if cut(token.row.form, tuple(word.form for word in words[token.first - 1 : token.last]))
        is None
    ]


def contracted(sentence: Sentence) -> Sentence:
    """Contract a sentence for a Doc: multiword tokens without slices for their words become words.

    Such a word has the annotation and the attachment of its highest word. DEPS and empty nodes are
    dropped, because their numbers would change.

    Args:
        sentence: The sentence.

    Returns:
        The sentence itself if it has no such tokens, otherwise a new one with the same `text`.
    """
    uncut = {token.first: token for token in uncut_tokens(sentence)}
    if not uncut:
        return sentence
    kept = {token.first: token for token in sentence.multiword_tokens if token.first not in uncut}
    numbers = _numbers(sentence, uncut.values())
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


def expanded(
    sentence: Sentence,
    contraction: Sentence,
    changed: Sequence[Row],
    kept: Collection[str] = (),
) -> list[Row]:
    """Expand the annotated words of a contraction to the rows of all words of the sentence.

    The highest word of a token gets the token's annotation, and the others get what they lack.
    They are attached to the token's head, or to the highest word if they stand between it and one
    of its dependents, so that a projective tree remains projective. Tokens whose annotation has not
    changed remain as they were.

    Args:
        sentence: The sentence.
        contraction: The sentence that `contracted` returned.
        changed: The words of the contraction with their new annotation.
        kept: The names of columns that do not change, in capital letters.

    Returns:
        A row for each word of the sentence.
    """
    uncut = uncut_tokens(sentence)
    numbers = _numbers(sentence, uncut)
    # The word of each token to which the others are attached.
    tops = {number: i for i, number in reversed(list(enumerate(numbers)))}
    for token in uncut:
        tops[numbers[token.first]] = _highest(sentence.heads, range(token.first, token.last + 1))
    below: dict[int, list[int]] = {top: [] for top in tops.values()}
    for number, new in enumerate(changed, 1):
        if new.head != EMPTY:
            below[tops[int(new.head)]].append(tops[number])
    rows: list[Row] = []
    for i, row in enumerate(sentence.words, 1):
        number = numbers[i]
        new = changed[number - 1]
        if new == contraction.words[number - 1]:
            rows.append(row)
            continue
        top = tops[number]
        head = new.head if new.head in (EMPTY, "0") else str(tops[int(new.head)])
        if i == top:
            found = new._replace(id=row.id, form=row.form, head=head, deps=row.deps, misc=row.misc)
        else:
            lacking = {
                name: getattr(new, name)
                for name in ("upos", "xpos", "feats", "deprel")
                if getattr(row, name) == EMPTY and name.upper() not in kept
            }
            if head == "0" or any((top < i) == (i < word) for word in below[top]):
                head, lacking["deprel"] = str(top), _DEPENDENT
            found = row._replace(head=head, **lacking)
        rows.append(found)
    return rows


def _numbers(sentence: Sentence, uncut: Iterable[MultiwordToken]) -> list[int]:
    """Find the number of each word in the contraction, and 0 for the root."""
    lasts = {token.first: token.last for token in uncut}
    numbers = [0]
    last = 0
    for i in range(1, len(sentence.words) + 1):
        numbers.append(numbers[-1] + (i > last))
        last = lasts.get(i, last)
    return numbers


def _highest(heads: Sequence[int], words: range) -> int:
    """Find the word with the shortest path to the root, or to a word without a head if none leads
    to the root. Its head is in a token with a higher word, so that tokens form no cycle."""

    def depth(word: int) -> int:
        n_above = 0
        while heads[word] > 0:
            word = heads[word]
            n_above += 1
        return n_above if heads[word] == 0 else len(heads) + n_above

    return min(words, key=depth)
