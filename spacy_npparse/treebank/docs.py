"""Conversion of CoNLL-U sentences to spaCy Docs.

A Doc has the text of the sentences and one token for each syntactic word, with tag (XPOS), pos
(UPOS), morph (FEATS), lemma, head, dep and sentence starts. Attributes are unset where the file has
`_`. The CoNLL-U itself is kept in `doc.user_data[CONLLU_KEY]`, from which `writing.py` restores
what a Doc cannot represent. The key is a string and its value a list of strings, so both survive
`DocBin(store_user_data=True)`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import repeat
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD, LEMMA, MORPH, POS, SENT_START, TAG
from spacy.parts_of_speech import IDS as POS_IDS
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_npparse.treebank.blank import Kept, without_annotation
from spacy_npparse.treebank.contraction import contracted
from spacy_npparse.treebank.reading import ConlluSource, OnError, read_conllu
from spacy_npparse.treebank.sentence import EMPTY, SPACY_ROOT, UD_ROOT, Row, Sentence
from spacy_npparse.trees.missing import NO_HEAD
from spacy_npparse.word_forms import add_multiword_tokens
from spacy_npparse.word_slices import cut

CONLLU_KEY = "spacy_npparse.conllu"
KEPT_KEY = "spacy_npparse.kept"
# The key for a Doc from plain text: the characters of its paragraph, their offset in the document,
# the prefix of its sentences' sent_id, and the name and the metadata of the document that begins
# with it.
TEXT_KEY = "spacy_npparse.text"
OFFSET_KEY = "spacy_npparse.offset"
SENT_IDS_KEY = "spacy_npparse.sent_ids"
DOCUMENT_KEY = "spacy_npparse.document"
METADATA_KEY = "spacy_npparse.metadata"
ANNOTATION = [TAG, POS, MORPH, LEMMA, HEAD, DEP]


class _Grouped(Protocol):
    """A sentence in any form."""

    @property
    def n_words(self) -> int:
        """The number of words."""

    @property
    def begins_document(self) -> bool:
        """Whether the sentence begins a document."""


S = TypeVar("S", bound=_Grouped)


def docs_from_conllu(
    source: ConlluSource,
    vocab: Vocab,
    sentences_per_doc: int = 1,
    *,
    on_error: OnError = "raise",
) -> Iterator[Doc]:
    """Read a treebank as Docs.

    Args:
        source: The path of a CoNLL-U file, or `TokenList`s of the `conllu` library.
        vocab: The vocabulary of the Docs.
        sentences_per_doc: The maximum number of consecutive sentences in a Doc; 0 for all up to the
            next `# newdoc`, which always begins a new Doc.
        on_error: "raise" to stop at a malformed sentence, or "skip" to skip it; see `read_conllu`.

    Yields:
        Fully annotated Docs; see `doc_from_sentences`.

    Raises:
        ConlluError: A sentence is malformed.
        FileNotFoundError: The file does not exist.

    Examples:
        >>> import conllu
        >>> from spacy.vocab import Vocab
        >>> tokenlists = conllu.parse("1\\tGo\\tgo\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n")
        >>> doc = next(docs_from_conllu(tokenlists, Vocab()))
        >>> [(token.text, token.pos_, token.dep_) for token in doc]
        [('Go', 'VERB', 'ROOT')]
    """
    sentences = read_conllu(source, on_error=on_error)
    for group in group_sentences(sentences, repeat(sentences_per_doc)):
        yield doc_from_sentences(group, vocab)


def group_sentences(
    sentences: Iterable[S], sizes: Iterator[int], max_words: int = 0
) -> Iterator[list[S]]:
    """Group consecutive sentences of the same document.

    Args:
        sentences: The sentences. A `# newdoc` begins a document.
        sizes: The maximum numbers of sentences in the next groups; 0 for no limit.
        max_words: The maximum number of words in a group; 0 for no limit.

    Yields:
        The groups in order.

    Raises:
        ValueError: The first size is negative.
    """
    group: list[S] = []
    size = next(sizes)
    if size < 0:
        raise ValueError(f"sentences_per_doc is {size}: use 0 (whole documents), 1, 2, …")
    n_words = 0
    for sentence in sentences:
        full = len(group) == size > 0 or 0 < max_words < n_words + sentence.n_words
        if group and (full or sentence.begins_document):
            yield group
            group, n_words, size = [], 0, next(sizes)
        group.append(sentence)
        n_words += sentence.n_words
    if group:
        yield group


def doc_from_sentences(sentences: Sequence[Sentence], vocab: Vocab) -> Doc:
    """Make a Doc of sentences with their annotation.

    The tokens are slices of the text, which MISC describes. Each word of a multiword token is a
    token whose `token._.form` is the word, and the multiword token is in `doc._.multiword_tokens`.
    A multiword token with fewer characters than words is one token with the annotation of its
    highest word.

    Args:
        sentences: The sentences.
        vocab: The vocabulary of the Doc.
    """
    source = [str(sentence) for sentence in sentences]
    sentences = list(map(contracted, sentences))
    doc = _words_only(sentences, vocab, source)
    doc.from_array(ANNOTATION, annotation_array(sentences, vocab))  # type: ignore[arg-type]
    # Set last, because spaCy derives sentence starts from the heads, wrongly if a root is missing
    # or there are several.
    set_sentence_starts(doc, [len(sentence.words) for sentence in sentences])
    return doc


def unannotated_doc(
    sentences: Sequence[Sentence], vocab: Vocab, *, sentence_starts: bool = True
) -> Doc:
    """Make a Doc with the words and spaces of sentences, for a pipeline to annotate.

    The Doc contains no annotation of the sentences, so the pipeline cannot see it. Written as
    CoNLL-U, the Doc has the pipeline's annotation, the multiword tokens, the white space, and the
    comments that identify sentences, documents and paragraphs. To add other annotation, call
    `keep_annotation`.

    Args:
        sentences: The sentences.
        vocab: The vocabulary of the Doc.
        sentence_starts: Whether to set the sentence boundaries.
    """
    source = [without_annotation(sentence) for sentence in sentences]
    sentences = list(map(contracted, sentences))
    doc = _words_only(sentences, vocab, source)
    if sentence_starts:
        set_sentence_starts(doc, [len(sentence.words) for sentence in sentences])
    return doc


def keep_annotation(doc: Doc, sentences: Sequence[Sentence], keep: Collection[Kept]) -> Doc:
    """Copy annotation of sentences to the CoNLL-U that will be written for a Doc.

    Args:
        doc: A Doc from `unannotated_doc` that a pipeline may have annotated. Its tokens do not
            change.
        sentences: The sentences that the Doc was made of.
        keep: The annotation to copy, whatever the pipeline predicts.

    Returns:
        The same Doc.
    """
    doc.user_data[CONLLU_KEY] = [without_annotation(sentence, keep) for sentence in sentences]
    doc.user_data[KEPT_KEY] = [kept.value for kept in keep]
    return doc


def sentence_tokens(
    sentence: Sentence,
) -> tuple[list[str], list[bool], list[tuple[int, tuple[str, ...]]]]:
    """Find the tokens of a sentence.

    Args:
        sentence: A contracted sentence.

    Returns:
        The slices of the text, whether a space follows each, and the first token of each multiword
        token with the forms of its words.
    """
    slices = [word.form for word in sentence.words]
    spaces = [not has_no_space_after(word) for word in sentence.words]
    multiword: list[tuple[int, tuple[str, ...]]] = []
    for begin, end, row in sentence.multiword_tokens:
        part = slice(begin - 1, end)
        words = tuple(slices[part])
        multiword.append((part.start, words))
        slices[part] = cut(row.form, words) or words
        spaces[part] = [False] * (end - begin) + [not has_no_space_after(row)]
    return slices, spaces, multiword


def _words_only(sentences: Sequence[Sentence], vocab: Vocab, source: list[str]) -> Doc:
    """Make a Doc of contracted sentences without annotation."""
    slices: list[str] = []
    spaces: list[bool] = []
    multiword: list[tuple[int, tuple[str, ...]]] = []
    for sentence in sentences:
        forms, spaces_after, found = sentence_tokens(sentence)
        multiword += [(len(slices) + start, words) for start, words in found]
        slices += forms
        spaces += spaces_after
    return doc_of_tokens(vocab, slices, spaces, multiword, source)


def doc_of_tokens(
    vocab: Vocab,
    tokens: Sequence[str] | Sequence[int],
    spaces: Sequence[bool],
    multiword: Sequence[tuple[int, tuple[str, ...]]],
    source: list[str],
) -> Doc:
    """Make a Doc of tokens.

    Args:
        vocab: The vocabulary of the Doc.
        tokens: The tokens, or their hashes.
        spaces: Whether a space follows each token.
        multiword: The first token of each multiword token with the forms of its words.
        source: The CoNLL-U of each sentence.
    """
    doc = Doc(vocab, words=tokens, spaces=spaces, user_data={CONLLU_KEY: source})  # type: ignore[arg-type]
    add_multiword_tokens(doc, multiword)
    return doc


def set_sentence_starts(doc: Doc, lengths: Sequence[int]) -> None:
    """Set all sentence boundaries of a Doc, so that none is open.

    Args:
        doc: The Doc.
        lengths: The number of tokens in each sentence.
    """
    starts = np.full(len(doc), -1, dtype=np.int64)
    starts[np.cumsum([0, *lengths])[:-1]] = 1
    doc.from_array([SENT_START], starts.astype(np.uint64))  # type: ignore[arg-type]


def annotation_array(sentences: Sequence[Sentence], vocab: Vocab) -> NDArray[np.uint64]:
    """Encode the annotation of sentences as spaCy does.

    Returns:
        uint64 [words, len(ANNOTATION)], for `Doc.from_array`.
    """
    add = vocab.strings.add
    rows: list[tuple[int, int, int, int, int, int]] = []
    for sentence in sentences:
        for i, word in enumerate(sentence.words, 1):
            head = sentence.heads[i]
            if head == NO_HEAD:
                # For spaCy, a token that is its own head and has a label is a root.
                offset, dep = 0, ""
            elif head == 0:
                offset, dep = 0, _dep(word.deprel) or SPACY_ROOT
            else:
                offset, dep = head - i, _dep(word.deprel)
            rows.append(
                (
                    0 if word.xpos == EMPTY else add(word.xpos),
                    POS_IDS.get(word.upos, 0),
                    _morph(word, vocab),
                    0 if word.lemma == EMPTY != word.form else add(word.lemma),
                    offset & 0xFFFFFFFFFFFFFFFF,
                    add(dep) if dep else 0,
                )
            )
    return np.array(rows, dtype=np.uint64).reshape(len(rows), len(ANNOTATION))


def _dep(deprel: str) -> str:
    if deprel == EMPTY:
        return ""
    return SPACY_ROOT if deprel == UD_ROOT else deprel


def _morph(word: Row, vocab: Vocab) -> int:
    if word.feats != EMPTY:
        key: int = vocab.morphology.add(word.feats)
        return key
    # A tagged word without FEATS has no features. Those of an untagged word are unknown.
    return vocab.morphology.add("") if POS_IDS.get(word.upos) else 0


def has_no_space_after(row: Row) -> bool:
    """Check whether MISC contains SpaceAfter=No."""
    return "SpaceAfter=No" in row.misc and "SpaceAfter=No" in row.misc.split("|")
