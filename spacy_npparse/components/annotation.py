"""Write parse trees to Docs."""

from typing import NamedTuple

import numpy
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD, SENT_START
from spacy.strings import StringStore
from spacy.tokens import Doc

from .sentences import SentenceBatch, TokenBatch

ROOT_LABEL = "ROOT"
SPACE_LABEL = "dep"

_ARCS = [HEAD, DEP]
_STARTS = [SENT_START]


class Parse(NamedTuple):
    """The tree or trees of a Doc, in the form that `Doc.from_array` takes.

    arcs: uint64 [len(doc), 2], distance to the head (0 for a root) and hash of the label.
    starts: uint64 [len(doc), 1], 1 where a sentence starts, else -1.
    """

    arcs: NDArray[numpy.uint64]
    starts: NDArray[numpy.uint64]


def make_parses(
    tokens: TokenBatch,
    sentences: SentenceBatch,
    heads: NDArray[numpy.int32],
    labels: NDArray[numpy.uint64],
    strings: StringStore,
) -> list[Parse]:
    """Trees of Docs from those of their sentences.

    heads: int32 [n_words], in the sentence, 0 for the root; labels: uint64 [n_words], hashes.
    Whitespace hangs on the word before it (at the beginning of a sentence on the one after it),
    where it crosses no arc. In a Doc without words it hangs on the first token.
    """
    places = numpy.arange(len(tokens.is_word))
    token_heads = places.copy()
    in_tree = heads > 0
    token_heads[sentences.words[in_tree]] = sentences.tokens[(sentences.roots + heads)[in_tree]]
    token_labels = numpy.empty(len(places), dtype=numpy.uint64)
    token_labels[sentences.words] = labels
    if not tokens.is_word.all():
        spaces = numpy.flatnonzero(~tokens.is_word)
        token_heads[spaces] = _anchors(tokens)[spaces]
        is_root = token_heads[spaces] == spaces
        token_labels[spaces] = numpy.where(is_root, strings[ROOT_LABEL], strings[SPACE_LABEL])
    arcs = numpy.stack([(token_heads - places).astype(numpy.uint64), token_labels], axis=1)
    starts = numpy.where(tokens.starts, 1, -1).astype(numpy.uint64)[:, None]
    return [Parse(arcs[part], starts[part]) for part in tokens.slices()]


def _anchors(tokens: TokenBatch) -> NDArray[numpy.int64]:
    """The token on which each token hangs if it is whitespace: int64 [n_tokens]."""
    places = numpy.arange(len(tokens.is_word))
    first = numpy.maximum.accumulate(numpy.where(tokens.starts, places, 0))
    before = numpy.maximum.accumulate(numpy.where(tokens.is_word, places, -1))
    after = numpy.where(tokens.is_word, places, len(places))
    after = numpy.minimum.accumulate(after[::-1])[::-1]
    sentence = numpy.append(tokens.sentence, -1)
    anchors = numpy.where(before >= first, before, after)
    return numpy.where(sentence[anchors] == tokens.sentence, anchors, first)


def write_parse(doc: Doc, parse: Parse) -> None:
    """Set heads, labels and sentence starts of a Doc.

    The starts are written by themselves because those that spaCy derives from the edges of
    non-projective trees can be wrong.
    """
    if len(doc):
        doc.from_array(_ARCS, parse.arcs)  # type: ignore[arg-type]
        doc.from_array(_STARTS, parse.starts)  # type: ignore[arg-type]
