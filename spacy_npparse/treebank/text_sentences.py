"""CoNLL-U sentences of Docs that were made from text.

FORM contains the characters of the text, multiword tokens are ranges, and white space is in MISC.
"""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from conllu import Metadata
from spacy.tokens import Doc

from spacy_npparse.errors import DocError
from spacy_npparse.treebank.docs import (
    DOCUMENT_KEY,
    METADATA_KEY,
    OFFSET_KEY,
    SENT_IDS_KEY,
    TEXT_KEY,
)
from spacy_npparse.treebank.heads import head_tokens
from spacy_npparse.treebank.raw_text import character_spans, form, space_misc, unwrapped
from spacy_npparse.treebank.rows import CUT_TOKENS, annotation_columns, boundaries, make_sentence
from spacy_npparse.treebank.sentence import EMPTY, Row, Sentence
from spacy_npparse.trees.missing import NO_HEAD
from spacy_npparse.word_forms import has_multiword_tokens, surface_tokens, word_forms

logger = logging.getLogger(__name__)


def text_sentences(doc: Doc, first_id: int, token_ranges: bool) -> list[Sentence]:
    """Make the sentences of a Doc that is not from CoNLL-U.

    Args:
        doc: The Doc.
        first_id: The number of the first sentence, for its `# sent_id`.
        token_ranges: Whether MISC contains the position of each token in the text.

    Returns:
        The sentences, without those that have no words.

    Raises:
        DocError: The heads form a cycle, or an annotation contains a tab or a line end.
    """
    sentences: list[Sentence] = []
    bounds = boundaries(doc)
    spellings = _spellings(doc, {begin for begin, _ in bounds}, token_ranges)
    starts = [spelling.start for spelling in spellings]
    forms = [unwrapped(word) for word in word_forms(doc)]
    if has_multiword_tokens(doc):
        # The words of multiword tokens that a boundary cuts are spelt as in the text.
        for spelling in spellings:
            if not spelling.is_multiword:
                forms[spelling.start] = unwrapped(spelling.text)
    lemma, upos, xpos, feats, deprel = annotation_columns(doc)
    words = _Words(forms, lemma, upos, xpos, feats, deprel, _heads(doc, forms))
    for begin, end in bounds:
        spelt = spellings[bisect_left(starts, begin) : bisect_left(starts, end)]
        if not spelt:
            continue
        text = "".join(spelling.text + (spelling.after or "") for spelling in spelt)
        metadata = Metadata(
            **(_beginning(doc) if not sentences else {}),
            sent_id=_sent_id(doc, first_id, len(sentences)),
            text=unwrapped(text),
        )
        sentences.append(make_sentence(_rows(spelt, words), metadata))
    return sentences


class _Spelling(NamedTuple):
    """A token as in the text, with the white space after it; see `SurfaceToken`."""

    start: int
    end: int
    text: str
    after: str | None
    misc: str

    @property
    def is_multiword(self) -> bool:
        """Whether the token has several words."""
        return self.end - self.start > 1


class _Words(NamedTuple):
    """The columns of all tokens of a Doc, with heads as `_heads` returns them."""

    form: list[str]
    lemma: list[str]
    upos: list[str]
    xpos: list[str]
    feats: list[str]
    deprel: list[str]
    head: list[int]


def _spellings(doc: Doc, begins: set[int], token_ranges: bool) -> list[_Spelling]:
    text = doc.user_data.get(TEXT_KEY, doc.text)
    tokens = list(surface_tokens(doc))
    spans = character_spans(text, [token.text for token in tokens])
    spelt = [text[begin:end] for begin, end in spans]
    after: list[str | None] = [text[end:begin] for (_, end), (begin, _) in pairwise(spans)]
    wrapped = [
        bool(text[end:begin].strip(" ")) and " " not in unwrapped(text[end - 1 : begin + 1])
        for (_, end), (begin, _) in pairwise(spans)
    ]
    before = [""] * len(spans)
    if spans:
        after.append(text[spans[-1][1] :] or None)
        wrapped.append(False)
        before[0] = text[: spans[0][0]]
    columns = zip(before, spelt, after, wrapped, strict=True)
    misc = [space_misc(*spaces, wrapped=is_wrapped) for *spaces, is_wrapped in columns]
    if token_ranges:
        offset = doc.user_data.get(OFFSET_KEY, 0)
        ranges = [f"TokenRange={offset + begin}:{offset + end}" for begin, end in spans]
        misc = [
            token_range if value == EMPTY else f"{value}|{token_range}"
            for value, token_range in zip(misc, ranges, strict=True)
        ]
    found = zip((t.start for t in tokens), (t.end for t in tokens), spelt, after, misc, strict=True)
    spellings = list(map(_Spelling._make, found))
    if not has_multiword_tokens(doc):
        return spellings
    cut = [not begins.isdisjoint(range(spelling.start + 1, spelling.end)) for spelling in spellings]
    if any(cut):
        logger.warning(CUT_TOKENS, sum(cut))
    return [
        part
        for spelling, is_cut in zip(spellings, cut, strict=True)
        for part in (_words_spelt(doc, spelling) if is_cut else [spelling])
    ]


def _words_spelt(doc: Doc, token: _Spelling) -> Iterator[_Spelling]:
    """Make the words of a multiword token tokens of their own."""
    for word in doc[token.start : token.end]:
        space = token.after if word.i + 1 == token.end else word.whitespace_
        misc = space_misc("", word.text, space)
        yield _Spelling(word.i, word.i + 1, word.text, space, misc)


def _rows(spelt: Sequence[_Spelling], words: _Words) -> list[Row]:
    """Make the rows of a sentence."""
    places = [i for token in spelt for i in range(token.start, token.end)]
    numbers = list(map(str, range(1, len(places) + 1)))
    misc = [token.misc for token in spelt]
    if len(places) > len(spelt):
        # The MISC of a multiword token is in its own row.
        misc = [
            part
            for token in spelt
            for part in (
                [EMPTY] * (token.end - token.start) if token.is_multiword else [token.misc]
            )
        ]
    ids = {**dict(zip(places, numbers, strict=True)), NO_HEAD: EMPTY}
    heads = ["0" if (head := words.head[i]) == i else ids[head] for i in places]
    before = [[column[i] for i in places] for column in words[:5]]
    deprels = [words.deprel[i] for i in places]
    deps = [EMPTY] * len(places)
    columns = zip(numbers, *before, heads, deprels, deps, misc, strict=True)
    rows = list(map(Row._make, columns))
    for token in reversed(spelt):
        if token.is_multiword:
            rows.insert(int(ids[token.start]) - 1, _range(token, ids))
    return rows


def _range(spelling: _Spelling, ids: Mapping[int, str]) -> Row:
    """Make the row of a multiword token."""
    numbers = f"{ids[spelling.start]}-{ids[spelling.end - 1]}"
    blank = Row(*[EMPTY] * len(Row._fields))
    return blank._replace(id=numbers, form=unwrapped(spelling.text), misc=spelling.misc)


def _sent_id(doc: Doc, first_id: int, i: int) -> str:
    """Make the sent_id of the sentence with index i in its Doc."""
    prefix = doc.user_data.get(SENT_IDS_KEY)
    return str(first_id + i) if prefix is None else f"{prefix}{i + 1}"


def _beginning(doc: Doc) -> dict[str, str | None]:
    """Make the comments with which a paragraph of plain text, and possibly a document, begins."""
    comments: dict[str, str | None] = {}
    name = doc.user_data.get(DOCUMENT_KEY)
    if name is not None:
        comments.update({"newdoc id": form(name)} if name.strip() else {"newdoc": None})
        comments.update(doc.user_data.get(METADATA_KEY, {}))
    if OFFSET_KEY in doc.user_data:
        comments["newpar"] = None
    return comments


def _heads(doc: Doc, forms: Sequence[str]) -> list[int]:
    """Find the closest ancestor of each token that is not white space, the token itself if there is
    none, NO_HEAD if its head is missing. forms: empty for white space."""
    heads: list[int] = head_tokens(doc).tolist()
    spaces = {i for i, word in enumerate(forms) if not word}
    if not spaces:
        return heads
    return [_word_above(doc, i) if head in spaces else head for i, head in enumerate(heads)]


def _word_above(doc: Doc, i: int) -> int:
    """Find the closest ancestor of a token that is not white space, or the token itself if there is
    none."""
    token = doc[i]
    head = token.head
    n_steps = 0
    while head.text.isspace() and head.head.i != head.i:
        head = head.head
        n_steps += 1
        if n_steps > len(doc):
            raise DocError(
                f"token {token.i} ({token.text!r}): the heads of the white space above it form a "
                "cycle. Attach it to a word."
            )
    return i if head.text.isspace() else head.i
