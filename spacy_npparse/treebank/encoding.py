"""Sentences in spaCy's encoding, from which Docs are made and which take little memory.

A word takes about 200 bytes, a tenth of what it takes as a `Sentence` or in the two Docs of an
example. Making a Doc takes a fraction of the time for reading CoNLL-U.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import TAG
from spacy.lookups import Lookups
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
from spacy_npparse.treebank.sentence import Sentence
from spacy_npparse.trees.head_distributions import HeadDistributions

logger = logging.getLogger(__name__)


class EncodedSentence(NamedTuple):
    """A sentence, encoded for a vocabulary.

    Attributes:
        tokens: uint64 [n_tokens, 2 + len(ANNOTATION)]: ORTH, whether a space follows, and the
            columns of `ANNOTATION`.
        multiword: The first token of each multiword token with the forms of its words.
        n_words: The number of words, which exceeds that of tokens if a multiword token is one
            token.
        begins_document: Whether the sentence has a `# newdoc`.
        conllu: The CoNLL-U of the sentence, in UTF-8.
        bare: The CoNLL-U of the sentence without annotation, in UTF-8.
        distributions: The head distributions; None if there are none.
    """

    tokens: NDArray[np.uint64]
    multiword: tuple[tuple[int, tuple[str, ...]], ...]
    n_words: int
    begins_document: bool
    conllu: bytes
    bare: bytes
    distributions: HeadDistributions | None


def encode(sentence: Sentence, vocab: Vocab) -> EncodedSentence:
    """Encode a sentence.

    Args:
        sentence: The sentence.
        vocab: The vocabulary, to which strings are added.

    Raises:
        ValueError: A HeadDistribution in MISC is malformed.
    """
    contraction = contracted(sentence)
    forms, spaces, multiword = sentence_tokens(contraction)
    tokens = np.empty((len(forms), 2 + len(ANNOTATION)), dtype=np.uint64)
    tokens[:, 0] = [vocab.strings.add(form) for form in forms]
    tokens[:, 1] = spaces
    tokens[:, 2:] = annotation_array([contraction], vocab)
    return EncodedSentence(
        tokens,
        tuple(multiword),
        len(sentence.words),
        sentence.begins_document,
        str(sentence).encode(),
        without_annotation(sentence).encode(),
        read_distributions([contraction]),
    )


def reference_doc(sentences: Sequence[EncodedSentence], vocab: Vocab, *, tag: str = "") -> Doc:
    """Make a Doc of sentences with their annotation, as `doc_from_sentences` does.

    Args:
        sentences: The sentences.
        vocab: The vocabulary that they are encoded for.
        tag: The tag of words that have none.

    Returns:
        The Doc, with head distributions.
    """
    doc = _words_only(sentences, vocab, [sentence.conllu for sentence in sentences])
    annotation = np.concatenate([sentence.tokens[:, 2:] for sentence in sentences])
    if tag:
        annotation[annotation[:, 0] == 0, 0] = vocab.strings.add(tag)
    doc.from_array(ANNOTATION, annotation)  # type: ignore[arg-type]
    # Set last, because spaCy derives sentence starts from the heads.
    set_sentence_starts(doc, [len(sentence.tokens) for sentence in sentences])
    if any(sentence.distributions for sentence in sentences):
        found = [s.distributions or HeadDistributions.unknown(len(s.tokens)) for s in sentences]
        doc.user_data[DISTRIBUTIONS_KEY] = HeadDistributions(
            *map(np.concatenate, zip(*found, strict=True))
        )
    return doc


def predicted_doc(
    sentences: Sequence[EncodedSentence], vocab: Vocab, *, sentence_starts: bool
) -> Doc:
    """Make a Doc of the words of sentences, as `unannotated_doc` does.

    Args:
        sentences: The sentences.
        vocab: The vocabulary that they are encoded for.
        sentence_starts: Whether to set the sentence boundaries.
    """
    doc = _words_only(sentences, vocab, [sentence.bare for sentence in sentences])
    if sentence_starts:
        set_sentence_starts(doc, [len(sentence.tokens) for sentence in sentences])
    return doc


def _words_only(sentences: Sequence[EncodedSentence], vocab: Vocab, source: list[bytes]) -> Doc:
    tokens = np.concatenate([sentence.tokens[:, :2] for sentence in sentences])
    multiword = []
    first = 0
    for sentence in sentences:
        multiword += [(first + start, words) for start, words in sentence.multiword]
        first += len(sentence.tokens)
    texts = [text.decode() for text in source]
    return doc_of_tokens(vocab, tokens[:, 0].tolist(), tokens[:, 1].tolist(), multiword, texts)


def has_tags(sentences: Iterable[EncodedSentence]) -> bool:
    """Check whether any word has XPOS.

    Args:
        sentences: The sentences of a treebank.
    """
    column = 2 + ANNOTATION.index(TAG)
    return any(sentence.tokens[:, column].any() for sentence in sentences)


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
        vocab: The vocabulary. The sentences are kept as long as it exists.

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
    n_uncut = 0
    for sentence in ConlluReader(file, on_error):
        n_uncut += len(uncut_tokens(sentence))
        try:
            sentences.append(encode(sentence, vocab))
        except ValueError as error:
            raise ValueError(f"{file}: {error}") from error
    if n_uncut:
        logger.warning(
            "%s: %d multiword tokens have fewer characters than words, and are one word each.",
            file,
            n_uncut,
        )
    readings[file, on_error] = _Reading(version, vocab.strings, sentences)
    return sentences


def _version(file: Path) -> tuple[int, int] | None:
    """Find the version of a file, which changes with its content; None if it does not exist."""
    if not file.exists():
        return None
    status = file.stat()
    return status.st_mtime_ns, status.st_size
