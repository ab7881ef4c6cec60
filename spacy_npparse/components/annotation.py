"""Write parse trees to Docs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD, IS_SPACE, SENT_START
from spacy.tokens import Doc

from .sentences import SentenceBatch, sentence_numbers

ROOT_LABEL = "ROOT"
SPACE_LABEL = "dep"


@dataclass(frozen=True)
class Parse:
    """The tree or trees of a Doc.

    heads: int64 [len(doc)], the token that heads each token; itself for a root.
    labels: uint64 [len(doc)], hash of each label.
    starts: bool [len(doc)], where sentences start.
    """

    heads: NDArray[numpy.int64]
    labels: NDArray[numpy.uint64]
    starts: NDArray[numpy.bool_]


def make_parses(
    docs: Sequence[Doc],
    sentences: SentenceBatch,
    heads: NDArray[numpy.int32],
    labels: NDArray[numpy.uint64],
) -> list[Parse]:
    """Trees of Docs from those of their sentences.

    heads: int32 [n_words], in the sentence, 0 for the root; labels: uint64 [n_words], hashes.
    Whitespace hangs on the word before it (at the beginning of a sentence on the one after it),
    where it changes no other arc.
    """
    tokens = sentences.tokens
    words = tokens[tokens < sentences.n_tokens]
    token_heads = numpy.arange(sentences.n_tokens, dtype=numpy.int64)
    token_labels = numpy.zeros(sentences.n_tokens, dtype=numpy.uint64)
    in_tree = heads > 0
    first_rows = numpy.repeat(sentences.roots, sentences.lengths)
    token_heads[words[in_tree]] = tokens[first_rows[in_tree] + heads[in_tree]]
    token_labels[words] = labels
    parses = []
    offset = 0
    for doc in docs:
        end = offset + len(doc)
        numbers = sentence_numbers(doc)
        starts = numpy.diff(numbers, prepend=-1) > 0
        doc_heads, doc_labels = token_heads[offset:end] - offset, token_labels[offset:end]
        space = doc.to_array(IS_SPACE) == 1
        if space.any():
            _attach_spaces(doc, space, starts, doc_heads, doc_labels)
        parses.append(Parse(doc_heads, doc_labels, starts))
        offset = end
    return parses


def _attach_spaces(
    doc: Doc,
    space: NDArray[numpy.bool_],
    starts: NDArray[numpy.bool_],
    heads: NDArray[numpy.int64],
    labels: NDArray[numpy.uint64],
) -> None:
    label = doc.vocab.strings[SPACE_LABEL]
    if space.all():
        heads[:] = 0
        labels[:] = label
        labels[0] = doc.vocab.strings[ROOT_LABEL]
        return
    word = -1
    for i in range(len(doc)):
        if starts[i]:
            word = -1
        if not space[i]:
            word = i
        else:
            heads[i] = word if word >= 0 else i + int(numpy.argmin(space[i:]))
            labels[i] = label


def write_parse(doc: Doc, parse: Parse) -> None:
    """Set heads, labels and sentence starts of a Doc.

    The starts are written by themselves because those that spaCy derives from the edges of
    non-projective trees can be wrong.
    """
    if not len(doc):
        return
    offsets = (parse.heads - numpy.arange(len(doc))).astype(numpy.int32).astype(numpy.uint64)
    doc.from_array([HEAD, DEP], numpy.stack([offsets, parse.labels], axis=1))
    starts = numpy.where(parse.starts, 1, -1).astype(numpy.int32).astype(numpy.uint64)
    doc.from_array([SENT_START], starts[:, None])
