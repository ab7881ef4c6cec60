"""Sentences without annotation, which keep their tokens, white space and identifying comments.

Words, multiword tokens, spaces and sentence boundaries are kept. Empty nodes belong to the enhanced
dependencies, and are removed unless DEPS is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from enum import Enum

from spacy_npparse.treebank.raw_text import SPACE_ATTRIBUTES
from spacy_npparse.treebank.sentence import EMPTY, Row, Sentence, comment_key, is_boundary


class Kept(str, Enum):
    """Annotation of a CoNLL-U file that can be copied to its parsed sentences.

    Attributes:
        value: The name of the column, or `comments`.
    """

    LEMMA = "LEMMA"
    UPOS = "UPOS"
    XPOS = "XPOS"
    FEATS = "FEATS"
    DEPS = "DEPS"
    MISC = "MISC"
    COMMENTS = "comments"


def without_annotation(sentence: Sentence, keep: Collection[Kept] = ()) -> str:
    """Write a sentence as CoNLL-U without its annotation.

    Args:
        sentence: The sentence.
        keep: The annotation to keep, in addition to FORM, the attributes of MISC that describe
            white space, and the comments `sent_id`, `text`, `newdoc` and `newpar`. HEAD and DEPREL
            are never kept.

    Examples:
        >>> from spacy_npparse.treebank import parse_sentence
        >>> row = "1\\tGo\\tgo\\tVERB\\t_\\t_\\t0\\troot\\t_\\tSpaceAfter=No|Gloss=x"
        >>> sentence = parse_sentence([row])
        >>> without_annotation(sentence, [Kept.LEMMA]).split("\\t")
        ['1', 'Go', 'go', '_', '_', '_', '_', '_', '_', 'SpaceAfter=No']
    """
    return "\n".join(_lines(sentence, keep))


def left_out(sentence: Sentence, keep: Collection[Kept] = ()) -> Counter[str]:
    """Count the annotation of a sentence that `without_annotation` drops, except HEAD and DEPREL.

    Args:
        sentence: The sentence.
        keep: The annotation to keep, see `without_annotation`.

    Returns:
        The number of lines with a value in each column, by the name of the column, and the numbers
        of `comments` and `empty nodes`.
    """
    found: Counter[str] = Counter()
    for kept in set(Kept).difference(keep):
        if kept is Kept.COMMENTS:
            found[kept.value] = sum(not _identifies(comment) for comment in sentence.comments)
            continue
        column = kept.value.lower()
        for row in sentence.rows:
            if "." in row.id:
                found["empty nodes"] += kept is Kept.DEPS
            else:
                value, blank = getattr(row, column), getattr(_blank(row, keep), column)
                found[kept.value] += value != blank
    return +found


def _lines(sentence: Sentence, keep: Collection[Kept]) -> Iterator[str]:
    for comment in sentence.comments:
        if Kept.COMMENTS in keep or _identifies(comment):
            yield comment
    for row in sentence.rows:
        if "." not in row.id:
            yield "\t".join(_blank(row, keep))
        elif Kept.DEPS in keep:
            yield "\t".join(row)


def _identifies(comment: str) -> bool:
    """Check whether a comment identifies the sentence, its text, document or paragraph."""
    key = comment_key(comment)
    return key in ("sent_id", "text") or is_boundary(key, "newdoc", "newpar")


def _blank(row: Row, keep: Collection[Kept]) -> Row:
    return Row(
        id=row.id,
        form=row.form,
        lemma=row.lemma if Kept.LEMMA in keep else EMPTY,
        upos=row.upos if Kept.UPOS in keep else EMPTY,
        xpos=row.xpos if Kept.XPOS in keep else EMPTY,
        feats=row.feats if Kept.FEATS in keep else EMPTY,
        head=EMPTY,
        deprel=EMPTY,
        deps=row.deps if Kept.DEPS in keep else EMPTY,
        misc=row.misc if Kept.MISC in keep else _spaces(row.misc),
    )


def _spaces(misc: str) -> str:
    """Select the attributes of MISC that describe white space."""
    if misc == EMPTY:
        return EMPTY
    attributes = misc.split("|")
    kept = [part for part in attributes if part.partition("=")[0] in SPACE_ATTRIBUTES]
    return "|".join(kept) or EMPTY
