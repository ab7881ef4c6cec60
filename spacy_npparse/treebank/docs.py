"""From CoNLL-U sentences to spaCy Docs.

A Doc holds what spaCy can express: one token per syntactic word, with tag (XPOS), pos (UPOS),
morph (FEATS), lemma, head, dep and sentence starts, each left unset where the file has `_`.
The sentences themselves are kept, as written, in `doc.user_data[CONLLU_KEY]`; `writing.py`
takes from them whatever a Doc cannot hold. The key is a plain string and its value a list of
strings, so both survive `DocBin(store_user_data=True)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD, LEMMA, MORPH, POS, SENT_START, TAG
from spacy.parts_of_speech import IDS as POS_IDS
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_npparse.treebank.reading import OnError, read_conllu
from spacy_npparse.treebank.sentence import MISSING, Row, Sentence

CONLLU_KEY = "spacy_npparse.conllu"
MULTIWORD_SPANS = "mwt"
ANNOTATION = [TAG, POS, MORPH, LEMMA, HEAD, DEP]
UD_ROOT = "root"
SPACY_ROOT = "ROOT"


def docs_from_conllu(
    path: str | Path, vocab: Vocab, sentences_per_doc: int = 1, *, on_error: OnError = "raise"
) -> Iterator[Doc]:
    """Read a CoNLL-U file as Docs.

    path: the file.
    vocab: the vocabulary of the Docs.
    sentences_per_doc: how many consecutive sentences a Doc holds at most; a `# newdoc` always
        begins another Doc. 0: as many as there are up to the next `# newdoc`.
    on_error: see `read_conllu`.
    raises: ConlluError, FileNotFoundError.
    """
    sentences = read_conllu(path, on_error=on_error)
    for group in group_sentences(sentences, repeat(sentences_per_doc)):
        yield doc_from_sentences(group, vocab)


def group_sentences(
    sentences: Iterable[Sentence], sizes: Iterator[int], max_words: int = 0
) -> Iterator[list[Sentence]]:
    """Cut a sequence of sentences into consecutive groups that do not cross a `# newdoc`.

    sizes: the largest number of sentences of each group in turn; 0 for no limit.
    max_words: a group ends before it exceeds that many words; 0 for no limit.
    """
    group: list[Sentence] = []
    size = next(sizes)
    if size < 0:
        raise ValueError(f"sentences_per_doc is {size}: use 0 (whole documents), 1, 2, …")
    n_words = 0
    for sentence in sentences:
        full = len(group) == size > 0 or 0 < max_words < n_words + len(sentence.words)
        if group and (full or sentence.has_comment("newdoc")):
            yield group
            group, n_words, size = [], 0, next(sizes)
        group.append(sentence)
        n_words += len(sentence.words)
    if group:
        yield group


def doc_from_sentences(sentences: Sequence[Sentence], vocab: Vocab) -> Doc:
    """One Doc of the given sentences, annotated as far as they are.

    The words of a multiword token stand without space between them if together they spell the
    token, else with a space; the token itself is a span of `doc.spans["mwt"]`, its label the
    surface form.
    """
    doc = _words_only(sentences, vocab)
    doc.from_array(ANNOTATION, annotation_array(sentences, vocab))  # type: ignore[arg-type]
    # Afterwards, because spaCy derives sentence starts from the heads, wrongly where a root is
    # missing or there are several.
    set_sentence_starts(doc, sentences)
    spans = _multiword_spans(doc, sentences)
    if spans:
        doc.spans[MULTIWORD_SPANS] = spans
    return doc


def unannotated_doc(sentences: Sequence[Sentence], vocab: Vocab, *, sentence_starts: bool) -> Doc:
    """A Doc with the words and spaces of the sentences, for a pipeline to annotate.

    Written as CoNLL-U it has the annotation it got and, from the sentences, all that a Doc
    cannot hold.

    sentence_starts: whether it has their boundaries too.
    """
    doc = _words_only(sentences, vocab)
    if sentence_starts:
        set_sentence_starts(doc, sentences)
    return doc


def _words_only(sentences: Sequence[Sentence], vocab: Vocab) -> Doc:
    words = [word.form for sentence in sentences for word in sentence.words]
    spaces = [space for sentence in sentences for space in _spaces(sentence)]
    source = [str(sentence) for sentence in sentences]
    return Doc(vocab, words=words, spaces=spaces, user_data={CONLLU_KEY: source})


def set_sentence_starts(doc: Doc, sentences: Sequence[Sentence]) -> None:
    """Mark the first word of each sentence as a sentence start and all other words as none."""
    starts = np.full(len(doc), -1, dtype=np.int64)
    start = 0
    for sentence in sentences:
        starts[start] = 1
        start += len(sentence.words)
    doc.from_array([SENT_START], starts.astype(np.uint64))  # type: ignore[arg-type]


def annotation_array(sentences: Sequence[Sentence], vocab: Vocab) -> NDArray[np.uint64]:
    """What the sentences say about their words, in spaCy's terms.

    returns: [words, len(ANNOTATION)], as `Doc.from_array` takes it.
    """
    add = vocab.strings.add
    rows: list[tuple[int, int, int, int, int, int]] = []
    for sentence in sentences:
        for i, word in enumerate(sentence.words, 1):
            head = sentence.heads[i]
            if head is None:
                # spaCy takes a word that is its own head for a root unless its label is empty.
                offset, dep = 0, ""
            elif head == 0:
                offset, dep = 0, _dep(word.deprel) or SPACY_ROOT
            else:
                offset, dep = head - i, _dep(word.deprel)
            rows.append(
                (
                    0 if word.xpos == MISSING else add(word.xpos),
                    POS_IDS.get(word.upos, 0),
                    _morph(word, vocab),
                    0 if word.lemma == MISSING != word.form else add(word.lemma),
                    offset & 0xFFFFFFFFFFFFFFFF,
                    add(dep) if dep else 0,
                )
            )
    return np.array(rows, dtype=np.uint64).reshape(len(rows), len(ANNOTATION))


def _dep(deprel: str) -> str:
    if deprel == MISSING:
        return ""
    return SPACY_ROOT if deprel == UD_ROOT else deprel


def _morph(word: Row, vocab: Vocab) -> int:
    if word.feats != MISSING:
        key: int = vocab.morphology.add(word.feats)
        return key
    # A tagged word without features has none; for a word without tag they are unknown.
    return 0 if word.upos == MISSING else vocab.morphology.add("")


def _spaces(sentence: Sentence) -> list[bool]:
    """For each word, whether a space follows it in the Doc."""
    spaces = [not has_no_space_after(word) for word in sentence.words]
    for first, last, row in sentence.multiword_tokens:
        forms = [word.form for word in sentence.words[first - 1 : last]]
        inside = "".join(forms) != row.form
        spaces[first - 1 : last] = [inside] * (last - first) + [not has_no_space_after(row)]
    return spaces


def has_no_space_after(row: Row) -> bool:
    """Whether MISC says SpaceAfter=No."""
    return "SpaceAfter=No" in row.misc and "SpaceAfter=No" in row.misc.split("|")


def _multiword_spans(doc: Doc, sentences: Sequence[Sentence]) -> list[Span]:
    spans: list[Span] = []
    start = 0
    for sentence in sentences:
        for first, last, row in sentence.multiword_tokens:
            spans.append(Span(doc, start + first - 1, start + last, label=row.form))
        start += len(sentence.words)
    return spans
