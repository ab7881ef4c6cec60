"""CoNLL-U sentences of Docs that were made from a text.

Tokens are spelt as the text spells them, multiword tokens are ranges, and white space is in MISC.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from conllu import Metadata
from spacy.attrs import DEP, HEAD
from spacy.tokens import Doc

from spacy_npparse.treebank.docs import DOCUMENT_KEY, METADATA_KEY, OFFSET_KEY, SENT_IDS_KEY
from spacy_npparse.treebank.raw_text import character_spans, form, space_misc
from spacy_npparse.treebank.rows import CUT_TOKENS, boundaries, make_sentence, token_annotations
from spacy_npparse.treebank.sentence import MISSING, DocError, Row, Sentence
from spacy_npparse.treebank.surface import SurfaceToken, source_text, surface_tokens

logger = logging.getLogger(__name__)


def text_sentences(doc: Doc, first_id: int, token_ranges: bool) -> list[Sentence]:
    """The sentences of a Doc that is not from CoNLL-U.

    Args:
        doc: The Doc.
        first_id: See `sentences_from_doc`.
        token_ranges: See there.

    Returns:
        Its sentences; those without words are left out.

    Raises:
        DocError: See `make_sentence`.
    """
    sentences: list[Sentence] = []
    spellings = {spelling.start: spelling for spelling in _spellings(doc, token_ranges)}
    forms = [form(token.text) for token in doc]
    heads = _heads(doc, forms)
    annotation = list(token_annotations(doc))
    n_lost = 0
    for begin, end in boundaries(doc):
        spelt = [spellings[i] for i in range(begin, end) if i in spellings]
        if not spelt:
            continue
        words = [i for spelling in spelt for i in range(spelling.start, spelling.end)]
        ids = {i: str(number) for number, i in enumerate(words, 1)}
        rows = []
        for spelling in spelt:
            if spelling.is_multiword:
                rows.append(_range(spelling, ids))
            for i in range(spelling.start, spelling.end):
                head = heads[i]
                head_id = MISSING if head is None else "0" if head == i else ids.get(head)
                if head_id is None:
                    n_lost += 1
                    head_id = MISSING
                lemma, upos, xpos, feats, deprel = annotation[i]
                misc = MISSING if spelling.is_multiword else spelling.misc
                columns = (lemma, upos, xpos, feats, head_id, deprel, MISSING, misc)
                rows.append(Row(ids[i], forms[i], *columns))
        text = "".join(spelling.text + (spelling.after or "") for spelling in spelt)
        metadata = Metadata(
            **(_beginning(doc) if not sentences else {}),
            sent_id=_sent_id(doc, first_id, len(sentences)),
            text=form(text),
        )
        sentences.append(make_sentence(rows, metadata))
    if n_lost:
        logger.warning("%d heads outside their sentence are written as missing.", n_lost)
    return sentences


class _Spelling(NamedTuple):
    """A token as the text spells it, with the white space after it; see `SurfaceToken`."""

    start: int
    end: int
    is_multiword: bool
    text: str
    after: str | None
    misc: str


def _spellings(doc: Doc, token_ranges: bool) -> list[_Spelling]:
    text = source_text(doc)
    offset = doc.user_data.get(OFFSET_KEY, 0)
    tokens = list(surface_tokens(doc))
    spans = character_spans(text, [token.form for token in tokens])
    spellings: list[_Spelling] = []
    n_cut = 0
    for i, (token, (begin, end)) in enumerate(zip(tokens, spans, strict=True)):
        before = "" if i else text[:begin]
        after = text[end : spans[i + 1][0]] if i + 1 < len(spans) else text[end:] or None
        if token.is_multiword and any(
            word.is_sent_start for word in doc[token.start + 1 : token.end]
        ):
            n_cut += 1
            spellings += _words_spelt(doc, token, after)
            continue
        misc = space_misc(before, text[begin:end], after)
        if token_ranges:
            token_range = f"TokenRange={offset + begin}:{offset + end}"
            misc = token_range if misc == MISSING else f"{misc}|{token_range}"
        whole = (token.start, token.end, token.is_multiword)
        spellings.append(_Spelling(*whole, text[begin:end], after, misc))
    if n_cut:
        logger.warning(CUT_TOKENS, n_cut)
    return spellings


def _words_spelt(doc: Doc, token: SurfaceToken, after: str | None) -> Iterator[_Spelling]:
    """The words of a multiword token as tokens of their own."""
    for word in doc[token.start : token.end]:
        space = after if word.i + 1 == token.end else word.whitespace_
        misc = space_misc("", word.text, space)
        yield _Spelling(word.i, word.i + 1, False, word.text, space, misc)


def _range(spelling: _Spelling, ids: Mapping[int, str]) -> Row:
    """The row of a multiword token."""
    numbers = f"{ids[spelling.start]}-{ids[spelling.end - 1]}"
    blank = Row(*[MISSING] * len(Row._fields))
    return blank._replace(id=numbers, form=form(spelling.text), misc=spelling.misc)


def _sent_id(doc: Doc, first_id: int, i: int) -> str:
    """The sent_id of the sentence with index i in its Doc."""
    prefix = doc.user_data.get(SENT_IDS_KEY)
    return str(first_id + i) if prefix is None else f"{prefix}{i + 1}"


def _beginning(doc: Doc) -> dict[str, str | None]:
    """The comments with which a paragraph of plain text, and perhaps its document, begins."""
    comments: dict[str, str | None] = {}
    name = doc.user_data.get(DOCUMENT_KEY)
    if name is not None:
        comments.update({"newdoc id": form(name)} if name.strip() else {"newdoc": None})
        comments.update(doc.user_data.get(METADATA_KEY, {}))
    if OFFSET_KEY in doc.user_data:
        comments["newpar"] = None
    return comments


def _heads(doc: Doc, forms: Sequence[str]) -> list[int | None]:
    """The closest ancestor of each token that is no white space, the token itself if it is a root;
    None if its head is missing. forms: empty for white space."""
    columns = doc.to_array([HEAD, DEP]).reshape(len(doc), 2)
    # spaCy encodes heads as offsets, and takes tokens without label for tokens without head.
    above = (np.arange(len(doc)) + columns[:, 0].view(np.int64)).tolist()
    heads = [head if label else None for head, label in zip(above, columns[:, 1], strict=True)]
    spaces = {i for i, word in enumerate(forms) if not word}
    return [_word_above(doc, i) if head in spaces else head for i, head in enumerate(heads)]


def _word_above(doc: Doc, i: int) -> int:
    """The closest ancestor of a token that is no white space, the token itself without one."""
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
    return token.i if head.text.isspace() else head.i
