"""Sentences in spaCy's encoding, from which Docs are made and which take little memory.

A word takes about 100 bytes, a twentieth of what it takes as a `Sentence` or in the two Docs of an
example. Making a Doc takes a fraction of the time for reading CoNLL-U.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD, LEMMA, MORPH, POS, TAG
from spacy.lookups import Lookups
from spacy.parts_of_speech import IDS as POS_IDS
from spacy.strings import StringStore
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_npparse.treebank.blank import without_annotation
from spacy_npparse.treebank.contraction import contracted, uncut_tokens
from spacy_npparse.treebank.docs import (
    ANNOTATION,
    annotation_array,
    doc_of_tokens,
    sentence_tokens,
    set_sentence_starts,
)
from spacy_npparse.treebank.head_distributions import DISTRIBUTIONS_KEY, read_distributions
from spacy_npparse.treebank.reading import ConlluReader, OnError
from spacy_npparse.treebank.sentence import EMPTY, Sentence, shortened
from spacy_npparse.trees.head_distributions import HeadDistributions

logger = logging.getLogger(__name__)


# A word in memory: the hashes of its token and its lemma, the offset of its head, and its kind.
_WORD = np.dtype([("token", "u8"), ("lemma", "u8"), ("head", "i4"), ("kind", "i4")])
# The other columns, after that of whether a space follows.
_OF_KIND = [ANNOTATION.index(attribute) for attribute in (TAG, POS, MORPH, DEP)]
_LEMMA, _HEAD = ANNOTATION.index(LEMMA), ANNOTATION.index(HEAD)


class Kinds:
    """The kinds of words of a treebank, which differ in tags, labels or the space that follows. All
    words of a kind share their number."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, ...], int] = {}
        self._table = np.zeros((0, 1 + len(_OF_KIND)), dtype=np.uint64)

    def add(self, rows: NDArray[np.uint64]) -> list[int]:
        """Number the kinds of words.

        Args:
            rows: uint64 [n_words, 5]: whether a space follows, and TAG, POS, MORPH and DEP.

        Returns:
            The number of each word's kind.
        """
        numbers = self._numbers
        return [numbers.setdefault(kind, len(numbers)) for kind in map(tuple, rows.tolist())]

    @property
    def table(self) -> NDArray[np.uint64]:
        """The rows of all kinds by their numbers, see `add`."""
        if len(self._table) < len(self._numbers):
            self._table = np.array(list(self._numbers), dtype=np.uint64)
        return self._table


class EncodedSentence(NamedTuple):
    """A sentence, encoded for a vocabulary.

    Attributes:
        words: _WORD [n_tokens], the tokens with their annotation.
        kinds: The kinds of words.
        multiword: The first token of each multiword token with the forms of its words.
        n_words: The number of words, which exceeds that of tokens if a multiword token is one
            token.
        begins_document: Whether the sentence has a `# newdoc`.
        bare: The CoNLL-U of the sentence without annotation, in UTF-8.
        distributions: The head distributions; None if there are none.
    """

    words: NDArray[Any]
    kinds: Kinds
    multiword: tuple[tuple[int, tuple[str, ...]], ...]
    n_words: int
    begins_document: bool
    bare: bytes
    distributions: HeadDistributions | None


def encode(sentence: Sentence, vocab: Vocab, kinds: Kinds) -> EncodedSentence:
    """Encode a sentence.

    Args:
        sentence: The sentence.
        vocab: The vocabulary, to which strings are added.
        kinds: The kinds of words of the treebank, to which new ones are added.

    Raises:
        ValueError: A HeadDistribution in MISC is malformed.
    """
    contraction = contracted(sentence)
    forms, spaces, multiword = sentence_tokens(contraction)
    annotation = annotation_array([contraction], vocab)
    words = np.empty(len(forms), dtype=_WORD)
    words["token"] = [vocab.strings.add(form) for form in forms]
    words["lemma"] = annotation[:, _LEMMA]
    words["head"] = annotation[:, _HEAD].view(np.int64)
    words["kind"] = kinds.add(np.column_stack([spaces, annotation[:, _OF_KIND]]))
    return EncodedSentence(
        words,
        kinds,
        tuple(multiword),
        len(sentence.words),
        sentence.begins_document,
        without_annotation(sentence).encode(),
        read_distributions([contraction]),
    )


def reference_doc(sentences: Sequence[EncodedSentence], vocab: Vocab, *, tag: str = "") -> Doc:
    """Make a Doc of sentences with their annotation.

    Args:
        sentences: The sentences of a treebank.
        vocab: The vocabulary that they are encoded for.
        tag: The tag of words that have none.

    Returns:
        The Doc, with head distributions. Its CoNLL-U is that of `predicted_doc`.
    """
    doc, words, of_kinds = _words_only(sentences, vocab)
    annotation = np.empty((len(words), len(ANNOTATION)), dtype=np.uint64)
    annotation[:, _OF_KIND] = of_kinds[:, 1:]
    annotation[:, _LEMMA] = words["lemma"]
    annotation[:, _HEAD] = words["head"].astype(np.int64).view(np.uint64)
    if tag:
        annotation[annotation[:, 0] == 0, 0] = vocab.strings.add(tag)
    doc.from_array(ANNOTATION, annotation)  # type: ignore[arg-type]
    # Set last, because spaCy derives sentence starts from the heads.
    set_sentence_starts(doc, [len(sentence.words) for sentence in sentences])
    if any(sentence.distributions for sentence in sentences):
        found = [s.distributions or HeadDistributions.unknown(len(s.words)) for s in sentences]
        doc.user_data[DISTRIBUTIONS_KEY] = HeadDistributions(
            *map(np.concatenate, zip(*found, strict=True))
        )
    return doc


def predicted_doc(
    sentences: Sequence[EncodedSentence], vocab: Vocab, *, sentence_starts: bool
) -> Doc:
    """Make a Doc of the words of sentences, as `unannotated_doc` does.

    Args:
        sentences: The sentences of a treebank.
        vocab: The vocabulary that they are encoded for.
        sentence_starts: Whether to set the sentence boundaries.
    """
    doc, _, _ = _words_only(sentences, vocab)
    if sentence_starts:
        set_sentence_starts(doc, [len(sentence.words) for sentence in sentences])
    return doc


def _words_only(
    sentences: Sequence[EncodedSentence], vocab: Vocab
) -> tuple[Doc, NDArray[Any], NDArray[np.uint64]]:
    """Make a Doc without annotation. Returns also its words, and the row of the kind of each."""
    words = np.concatenate([sentence.words for sentence in sentences])
    of_kinds = sentences[0].kinds.table[words["kind"]]
    multiword = []
    first = 0
    for sentence in sentences:
        multiword += [(first + start, forms) for start, forms in sentence.multiword]
        first += len(sentence.words)
    source = [sentence.bare.decode() for sentence in sentences]
    spaces = of_kinds[:, 0].tolist()
    doc = doc_of_tokens(vocab, words["token"].tolist(), spaces, multiword, source)
    return doc, words, of_kinds


def has_tags(sentences: Sequence[EncodedSentence]) -> bool:
    """Check whether any word has XPOS.

    Args:
        sentences: The sentences of a treebank, which share one table of kinds.
    """
    return bool(sentences) and bool(sentences[0].kinds.table[:, 1].any())


class _Reading(NamedTuple):
    """A file that has been read.

    Attributes:
        version: The version of the file, which changes if its content may have changed.
        strings: The string store of the vocabulary.
        sentences: The sentences of the file.
    """

    version: tuple[int, int] | None
    strings: StringStore
    sentences: list[EncodedSentence]


# By the lookups of a vocabulary, because there are no weak references to the latter, and by file.
_read: WeakKeyDictionary[Lookups, dict[tuple[Path, OnError], _Reading]] = WeakKeyDictionary()


def read_encoded(file: Path, on_error: OnError, vocab: Vocab) -> list[EncodedSentence]:
    """Read a file, or return what was read before. When a pipeline is initialized, components ask
    for a corpus about fifteen times, and `spacy train` makes three readers of it.

    Args:
        file: The file.
        on_error: "raise" to stop at a malformed sentence, or "skip" to skip it.
        vocab: The vocabulary. The sentences are kept as long as it exists, but not in a memory
            zone.

    Returns:
        The sentences.

    Raises:
        ConlluError: A sentence is malformed, unless `on_error` is "skip".
        FileNotFoundError: The file does not exist.
        ValueError: A HeadDistribution in MISC is malformed.
    """
    version = _version(file)
    readings = _read.setdefault(vocab.lookups, {})
    known = readings.get((file, on_error))
    if known and known.version == version and known.strings is vocab.strings:
        return known.sentences
    sentences = []
    kinds = Kinds()
    n_uncut = 0
    tags: Counter[str] = Counter()
    for sentence in ConlluReader(file, on_error):
        n_uncut += len(uncut_tokens(sentence))
        tags.update(word.upos for word in sentence.words)
        try:
            sentences.append(encode(sentence, vocab, kinds))
        except ValueError as error:
            raise ValueError(f"{file}: {error}") from error
    if n_uncut:
        logger.warning(
            "%s: %d multiword tokens have fewer characters than words, and are one word each.",
            file,
            n_uncut,
        )
    unknown = {tag: n for tag, n in tags.items() if tag != EMPTY and not POS_IDS.get(tag)}
    if unknown:
        logger.warning(
            "%s: spaCy does not know the UPOS of %d words (%s), which is ignored. Put these tags "
            "into XPOS.",
            file,
            sum(unknown.values()),
            shortened(", ".join(map(repr, sorted(unknown)))),
        )
    # A memory zone forgets the strings of new words when it ends.
    if not vocab.in_memory_zone:  # type: ignore[attr-defined]
        readings[file, on_error] = _Reading(version, vocab.strings, sentences)
    return sentences


def _version(file: Path) -> tuple[int, int] | None:
    """Find the version of a file, which changes with its content; None if it does not exist."""
    if not file.exists():
        return None
    status = file.stat()
    return status.st_mtime_ns, status.st_size
