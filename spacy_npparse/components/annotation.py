"""Write parse trees to Docs."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD, SENT_START
from spacy.strings import StringStore
from spacy.tokens import Doc, Token

from .sentences import SentenceBatch, TokenBatch

ROOT_LABEL = "ROOT"
SPACE_LABEL = "dep"

_ARCS = [HEAD, DEP]
_STARTS = [SENT_START]


class Parse(NamedTuple):
    """The tree or trees of a Doc, in the form that `Doc.from_array` takes.

    arcs: uint64 [len(doc), 2], distance to the head (0 for a root) and hash of the label.
    starts: uint64 [len(doc), 1], 1 where a sentence starts, else -1.
    probabilities: float [len(doc)], of the arc to each word; not a number for whitespace. None if
        they were not asked for.
    ranked: for each sentence with words, the best trees found, the very best first: "heads" (the
        token that is the head of each, itself for the root), "deps" and "score". None if they
        were not asked for.
    """

    arcs: NDArray[numpy.uint64]
    starts: NDArray[numpy.uint64]
    probabilities: NDArray[numpy.float64] | None = None
    ranked: list[list[dict[str, Any]]] | None = None


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


def with_probabilities(
    parses: list[Parse],
    tokens: TokenBatch,
    sentences: SentenceBatch,
    probabilities: NDArray[numpy.float32],
) -> list[Parse]:
    """The parses with the probabilities of the arcs to all words, [n_words]."""
    of_tokens = numpy.full(len(tokens.is_word), numpy.nan)
    of_tokens[sentences.words] = probabilities
    return [
        parse._replace(probabilities=of_tokens[part])
        for parse, part in zip(parses, tokens.slices(), strict=True)
    ]


def with_ranked(
    parses: list[Parse],
    tokens: TokenBatch,
    sentences: SentenceBatch,
    ranks: Sequence[list[Parse]],
    scores: NDArray[numpy.float64],
    strings: StringStore,
) -> list[Parse]:
    """The parses with all trees found.

    ranks: the parses of all Docs for the best trees, the second best and so on; scores: [n_trees,
    n_sentences], -inf where a sentence has no such tree.
    """
    ranked: list[list[list[dict[str, Any]]]] = [[] for _ in parses]
    first_words = sentences.words[numpy.cumsum(sentences.lengths) - sentences.lengths]
    for sentence, number in enumerate(tokens.sentence[first_words]):
        start, end = numpy.searchsorted(tokens.sentence, [number, number + 1]).tolist()
        doc = int(numpy.searchsorted(tokens.offsets, start, side="right")) - 1
        places = numpy.arange(start, end) - int(tokens.offsets[doc])
        trees: list[dict[str, Any]] = []
        for rank, score in zip(ranks, scores[:, sentence].tolist(), strict=True):
            if score > -numpy.inf:
                distances, labels = rank[doc].arcs[places].T
                heads = (places + distances.astype(numpy.int64)).tolist()
                deps = [strings[label] for label in labels.tolist()]
                # Pseudo-projective trees can become one.
                if all((tree["heads"], tree["deps"]) != (heads, deps) for tree in trees):
                    trees.append({"heads": heads, "deps": deps, "score": score})
        ranked[doc].append(trees)
    return [parse._replace(ranked=trees) for parse, trees in zip(parses, ranked, strict=True)]


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


def register_extensions() -> None:
    """Make room for what is written on request."""
    for owner, name in ((Token, "head_probability"), (Doc, "k_best_trees")):
        if not owner.has_extension(name):
            owner.set_extension(name, default=None)


def write_parse(doc: Doc, parse: Parse) -> None:
    """Set heads, labels and sentence starts of a Doc, and what else the parse holds.

    The starts are written by themselves because those that spaCy derives from the edges of
    non-projective trees can be wrong.
    """
    if len(doc):
        doc.from_array(_ARCS, parse.arcs)  # type: ignore[arg-type]
        doc.from_array(_STARTS, parse.starts)  # type: ignore[arg-type]
    if parse.ranked is not None:
        doc._.k_best_trees = parse.ranked
    if parse.probabilities is not None:
        for token, probability in zip(doc, parse.probabilities.tolist(), strict=True):
            token._.head_probability = None if token.is_space else probability
