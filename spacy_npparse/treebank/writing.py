"""Conversion of spaCy Docs to CoNLL-U.

The annotation is that of the Doc's tokens. If the Doc comes from CoNLL-U, its columns are written
as they were wherever that is equivalent, together with what a Doc cannot represent (comments,
multiword tokens, empty nodes, DEPS, MISC). An unchanged Doc is therefore written back byte for
byte. A Doc from `unannotated_doc` has CoNLL-U without annotation, so that only the annotation of
the pipeline and of `keep_annotation` is written.
"""

from __future__ import annotations

import logging
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import accumulate, islice
from pathlib import Path

import numpy as np
from conllu import Metadata, TokenList
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD, LEMMA, MORPH, POS, TAG
from spacy.tokens import Doc, Span

from spacy_npparse.errors import DocError
from spacy_npparse.files import replacing
from spacy_npparse.treebank.contraction import contracted, expanded, uncut_tokens
from spacy_npparse.treebank.docs import (
    ANNOTATION,
    CONLLU_KEY,
    KEPT_KEY,
    annotation_array,
)
from spacy_npparse.treebank.heads import head_tokens
from spacy_npparse.treebank.parsing import parse_sentence
from spacy_npparse.treebank.raw_text import form
from spacy_npparse.treebank.rows import (
    CUT_TOKENS,
    UNCUT_TOKENS,
    annotation_columns,
    boundaries,
    make_sentence,
    with_comments,
    with_misc,
    without_misc,
)
from spacy_npparse.treebank.sentence import (
    EMPTY,
    ConlluError,
    Row,
    Sentence,
    conllu_text,
)
from spacy_npparse.treebank.text_sentences import text_sentences
from spacy_npparse.treebank.tokenlists import tokenlist_from_sentence
from spacy_npparse.trees.missing import NO_HEAD
from spacy_npparse.word_forms import word_forms

logger = logging.getLogger(__name__)

# The attributes of MISC with the white space after a token.
_AFTER = ("SpaceAfter=", "SpacesAfter=")
# The columns that are compared with the CoNLL-U of the Doc.
_COLUMN = {attribute: column for column, attribute in enumerate(ANNOTATION)}
# The fields in the order of `annotation_columns`.
_FIELDS = {
    "lemma": _COLUMN[LEMMA],
    "upos": _COLUMN[POS],
    "xpos": _COLUMN[TAG],
    "feats": _COLUMN[MORPH],
    "deprel": _COLUMN[DEP],
}


def write_conllu(
    docs: Iterable[Doc],
    path: str | Path,
    *,
    token_ranges: bool = False,
    choose: Callable[[Doc, Sequence[Sentence]], Sequence[Sentence]] | None = None,
) -> None:
    """Write Docs to a CoNLL-U file atomically.

    Args:
        docs: The Docs; see `sentences_from_doc`.
        path: The file to write. If an exception is raised, the file does not change.
        token_ranges: Whether MISC contains the position of each token, see `sentences_from_doc`.
        choose: A function that returns the sentences of a Doc to write; None to write all.

    Raises:
        DocError: A Doc cannot be represented, see `sentences_from_doc`. The message names the
            number of the Doc, from 1.
    """
    n_sentences = 0
    with replacing(path) as file:
        for number, doc in enumerate(docs, 1):
            first_id = n_sentences + 1
            try:
                found = sentences_from_doc(doc, first_id=first_id, token_ranges=token_ranges)
            except DocError as error:
                raise DocError(f"Doc {number}, {error}") from error
            n_sentences += len(found)
            file.write(conllu_text(found if choose is None else choose(doc, found)).encode("utf-8"))


def doc_to_conllu(doc: Doc) -> str:
    """Convert a Doc to CoNLL-U, with a blank line after each sentence.

    Args:
        doc: The Doc; see `sentences_from_doc`.
    """
    return conllu_text(sentences_from_doc(doc))


def doc_to_tokenlists(doc: Doc) -> list[TokenList]:
    """Convert a Doc to `TokenList`s of the `conllu` library.

    Args:
        doc: The Doc; see `sentences_from_doc`.

    Returns:
        The lists that `conllu.parse` returns for `doc_to_conllu(doc)`; see
        `tokenlist_from_sentence`.

    Examples:
        >>> from spacy.tokens import Doc
        >>> from spacy.vocab import Vocab
        >>> doc = Doc(Vocab(), ["Go", "!"], heads=[0, 0], deps=["ROOT", "punct"])
        >>> [tokens] = doc_to_tokenlists(doc)
        >>> [(token["form"], token["head"]) for token in tokens], tokens.metadata["text"]
        ([('Go', 0), ('!', 1)], 'Go !')
    """
    return [tokenlist_from_sentence(sentence) for sentence in sentences_from_doc(doc)]


def sentences_from_doc(
    doc: Doc, *, first_id: int = 1, token_ranges: bool = False
) -> list[Sentence]:
    """Convert a Doc to CoNLL-U sentences.

    Args:
        doc: A Doc from CoNLL-U (unchanged, or annotated by a pipeline) or from any other source.
            White-space tokens become `SpacesAfter` or `SpacesBefore` of their neighbours.
        first_id: The number of the first sentence, for the `# sent_id` of sentences without one.
        token_ranges: Whether MISC contains the position of each token in the text that the Doc was
            made from, as UDPipe writes it: `TokenRange=START:END`, in characters from the beginning
            of the file. Not for Docs from CoNLL-U.

    Raises:
        DocError: The heads form a cycle, or an annotation contains a tab or a line end.
        TypeError: `doc` is no Doc.
    """
    if not isinstance(doc, Doc):
        raise TypeError(
            f"{doc!r} is a {type(doc).__name__}; give a Doc, of a sentence "
            "sentence.as_doc(copy_user_data=True)"
        )
    originals = _originals(doc)
    if originals is None:
        return text_sentences(doc, first_id, token_ranges)
    sentences = list(map(contracted, originals))
    annotation = doc.to_array(ANNOTATION)
    changed: NDArray[np.bool_] = np.not_equal(annotation, annotation_array(sentences, doc.vocab))
    kept = doc.user_data.get(KEPT_KEY, ())
    changed[:, [column for name, column in _FIELDS.items() if name.upper() in kept]] = False
    words = [word for sentence in sentences for word in sentence.words]
    rows = _reannotated(words, doc, changed) if changed.any() else words
    if _same_boundaries(doc, sentences, changed):
        return _in_place(originals, sentences, rows, kept)
    n_uncut = sum(len(uncut_tokens(original)) for original in originals)
    if n_uncut:
        logger.warning(UNCUT_TOKENS, n_uncut)
    return _cut_anew(doc, sentences, rows, first_id)


def _originals(doc: Doc) -> list[Sentence] | None:
    """Read the sentences that the Doc comes from; None if it is not from CoNLL-U."""
    if CONLLU_KEY not in doc.user_data:
        return None
    try:
        sentences = [parse_sentence(text.split("\n")) for text in doc.user_data[CONLLU_KEY]]
    except (ConlluError, AttributeError, TypeError) as error:
        raise DocError(
            f"its CoNLL-U in user_data[{CONLLU_KEY!r}] is damaged ({error}). Read the treebank "
            "again, or remove it."
        ) from error
    forms = [word.form for sentence in map(contracted, sentences) for word in sentence.words]
    if forms != word_forms(doc):
        logger.warning(
            "The tokens of a Doc from CoNLL-U (%r) differ from those of the sentences in its "
            "user_data: comments, multiword tokens, empty nodes, DEPS and MISC are not written.",
            doc[:5].text,
        )
        return None
    return sentences


def _same_boundaries(doc: Doc, originals: Sequence[Sentence], changed: NDArray[np.bool_]) -> bool:
    """Check whether the Doc still has the sentence boundaries of its CoNLL-U.

    In a Doc with trees, sentence starts do not count where the tree of a sentence is unchanged.
    When the Doc is loaded, spaCy derives them from the heads, wrongly if a root is missing or there
    are several.
    """
    if not doc.has_annotation("SENT_START"):
        return True
    starts = [bool(token.is_sent_start) for token in doc]
    if not doc.has_annotation("DEP"):
        begins = {0, *accumulate(len(sentence.words) for sentence in originals)}
        return starts[1:] == [i in begins for i in range(1, len(doc))]
    parse_changed = changed[:, _COLUMN[HEAD]] | changed[:, _COLUMN[DEP]]
    heads = np.arange(len(doc)) + doc.to_array(HEAD).view(np.int64)
    begin = 0
    for sentence in originals:
        end = begin + len(sentence.words)
        if parse_changed[begin:end].any():
            # The first word of a Doc begins a sentence even if it is not marked.
            if (begin > 0 and not starts[begin]) or any(starts[begin + 1 : end]):
                return False
            # The sentence may have been joined with the next one, whose tree is unchanged.
            if not ((begin <= heads[begin:end]) & (heads[begin:end] < end)).all():
                return False
        begin = end
    return True


def _in_place(
    originals: Sequence[Sentence],
    contractions: Sequence[Sentence],
    words: Sequence[Row],
    kept: Collection[str] = (),
) -> list[Sentence]:
    """Put new rows for words into the original sentences. words: of the contractions. kept: see
    `expanded`."""
    remaining = iter(words)
    sentences = []
    for original, contraction in zip(originals, contractions, strict=True):
        own = list(islice(remaining, len(contraction.words)))
        if contraction is not original:
            own = expanded(original, contraction, own, kept)
        of_words = iter(own)
        rows = tuple(row if _is_extra(row) else next(of_words) for row in original.rows)
        # An unchanged sentence need not be written and validated again.
        unchanged = rows == original.rows
        sentences.append(
            original if unchanged else make_sentence(rows, original.metadata, original.comments)
        )
    return sentences


def _is_extra(row: Row) -> bool:
    """Check whether a row is a multiword token or an empty node."""
    return "-" in row.id or "." in row.id


def _cut_anew(
    doc: Doc, originals: Sequence[Sentence], words: Sequence[Row], first_id: int
) -> list[Sentence]:
    """Group words by the sentences of the Doc, which differ from the original ones.

    A sentence with the same words as an original one keeps its comments, empty nodes and DEPS.
    Other sentences keep multiword tokens. Their `# sent_id` consists of that of the original
    sentence in which they begin, and a number. A `# newdoc` or `# newpar` inside a sentence moves
    to the next one, if there is one.
    """
    places = [0, *accumulate(len(sentence.words) for sentence in originals)][:-1]
    original_at = dict(zip(places, originals, strict=True))
    bounds = boundaries(doc)
    starts = [begin for begin, _ in bounds]
    words, multiword = _with_cut_tokens(doc, original_at, words, starts)
    result: list[Sentence] = []
    n_parts: Counter[int] = Counter()
    heads = head_tokens(doc).tolist()
    for (begin, end), opening in zip(bounds, _openings(original_at, starts), strict=True):
        own = _renumbered(words, heads, begin, end)
        original = original_at.get(begin)
        if original is not None and len(original.words) == end - begin:
            [kept] = _in_place([original], [original], own)
            result.append(kept if opening == original.opening else with_comments(kept, opening))
            continue
        rows: list[Row] = []
        for i, row in enumerate(own):
            if begin + i in multiword:
                last, token_row = multiword[begin + i]
                rows.append(token_row._replace(id=f"{i + 1}-{last - begin}"))
            rows.append(row._replace(deps=EMPTY))
        source = bisect_right(places, begin) - 1
        n_parts[source] += 1
        known = originals[source].sent_id
        number = str(first_id + len(result))
        metadata = Metadata(opening)
        metadata["sent_id"] = f"{known}-{n_parts[source]}" if known else number
        result.append(make_sentence(rows, metadata))
    return result


def _openings(
    original_at: Mapping[int, Sentence], starts: Sequence[int]
) -> list[dict[str, str | None]]:
    """Find the comments that begin a document or a paragraph, for each new sentence. starts: the
    first words of the new sentences."""
    found: list[dict[str, str | None]] = [{} for _ in range(len(starts) + 1)]
    for place, sentence in original_at.items():
        found[bisect_left(starts, place)] |= sentence.opening
    if found.pop():
        logger.warning(
            "Documents or paragraphs that begin inside the last sentence are not marked."
        )
    return found


def _with_cut_tokens(
    doc: Doc, original_at: Mapping[int, Sentence], words: Sequence[Row], starts: Sequence[int]
) -> tuple[list[Row], dict[int, tuple[int, Row]]]:
    """Spell the words of multiword tokens inside which a sentence starts. Return all words, and the
    end and the row of each other multiword token by its first word."""
    words = list(words)
    whole: dict[int, tuple[int, Row]] = {}
    n_cut = 0
    for place, sentence in original_at.items():
        for token in sentence.multiword_tokens:
            first, last = place + token.first - 1, place + token.last
            if bisect_right(starts, first) == bisect_left(starts, last):
                whole[first] = (last, token.row)
                continue
            n_cut += 1
            words[first:last] = _words_spelt(doc[first:last], words[first:last], token.row)
    if n_cut:
        logger.warning(CUT_TOKENS, n_cut)
    return words, whole


def _words_spelt(span: Span, words: Sequence[Row], token: Row) -> list[Row]:
    """Spell the words of a multiword token as in the text, like tokens of their own."""
    spelt = [
        with_misc(
            row._replace(form=form(word.text)), {} if word.whitespace_ else {"SpaceAfter": "No"}
        )
        for word, row in zip(span, words, strict=True)
    ]
    after = [part.split("=", 1) for part in token.misc.split("|") if part.startswith(_AFTER)]
    spelt[-1] = with_misc(without_misc(spelt[-1], ["SpaceAfter"]), dict(after))
    return spelt


def _renumbered(words: Sequence[Row], heads: Sequence[int], begin: int, end: int) -> list[Row]:
    """Write ID and HEAD of a sentence; `_` for missing heads."""

    def head(i: int) -> str:
        if heads[i] == i:
            return "0"
        return EMPTY if heads[i] == NO_HEAD else str(heads[i] - begin + 1)

    return [words[i]._replace(id=str(i - begin + 1), head=head(i)) for i in range(begin, end)]


def _reannotated(words: Sequence[Row], doc: Doc, changed: NDArray[np.bool_]) -> list[Row]:
    """Change the fields of rows whose annotation has changed. changed: see `_COLUMN`."""
    columns: dict[str, Sequence[str]] = dict(
        zip(Row._fields, zip(*words, strict=True), strict=True)
    )
    for name, values in zip(_FIELDS, annotation_columns(doc), strict=True):
        columns[name] = _replaced(columns[name], values, changed[:, _FIELDS[name]])
    heads = [
        EMPTY if head == NO_HEAD else "0" if head == i else str(int(word.id) + head - i)
        for i, (word, head) in enumerate(zip(words, head_tokens(doc).tolist(), strict=True))
    ]
    has_new_head = changed[:, _COLUMN[HEAD]] | changed[:, _COLUMN[DEP]]
    columns["head"] = _replaced(columns["head"], heads, has_new_head)
    return list(map(Row._make, zip(*columns.values(), strict=True)))


def _replaced(old: Sequence[str], new: Sequence[str], changed: NDArray[np.bool_]) -> list[str]:
    values = zip(old, new, changed.tolist(), strict=True)
    return [after if is_new else before for before, after, is_new in values]
