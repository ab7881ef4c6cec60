"""Parses of Docs, assembled from the trees of their sentences."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.strings import StringStore

from spacy_npparse.components.annotation import ROOT_LABEL, SPACE_LABEL, Parse
from spacy_npparse.components.calibrated_pipe import Confidence
from spacy_npparse.components.search import Found
from spacy_npparse.components.sentences import SentenceBatch, TokenBatch
from spacy_npparse.components.settings import DecoderSettings


def make_parses(
    tokens: TokenBatch,
    sentences: SentenceBatch,
    trees: Sequence[tuple[NDArray[np.int32], NDArray[np.uint64]]],
    found: Found,
    sure: Confidence,
    decoder: DecoderSettings,
    strings: StringStore,
) -> list[Parse]:
    """Assemble the parses of Docs, with what else the decoder's settings ask for.

    Args:
        tokens: Of the Docs.
        sentences: Of the Docs.
        trees: The best of all sentences, the second best and so on: heads int32 [n_words], in the
            sentence, 0 for the root, and hashes of the labels, uint64 [n_words].
        found: Their scores.
        sure: The confidence in the best of all sentences, if it is asked for.
        decoder: What is asked for.
        strings: To look labels up.

    Returns:
        A parse for each Doc.
    """
    ranks = [tree_parses(tokens, sentences, *tree, strings) for tree in trees]
    parses = ranks[0]
    if decoder.confidence:
        parses = _with_confidence(parses, tokens, sentences, sure)
    if decoder.k_best:
        parses = _with_ranked(parses, tokens, sentences, ranks, found.scores, strings)
    return parses


def tree_parses(
    tokens: TokenBatch,
    sentences: SentenceBatch,
    heads: NDArray[np.int32],
    labels: NDArray[np.uint64],
    strings: StringStore,
) -> list[Parse]:
    """Assemble the trees of Docs from those of their sentences.

    Whitespace is attached to the word before it (at the beginning of a sentence to the one after
    it), where it crosses no arc; in a Doc without words, to the first token.

    Args:
        tokens: Of the Docs.
        sentences: Of the Docs.
        heads: int32 [n_words], in the sentence, 0 for the root.
        labels: uint64 [n_words], hashes.
        strings: To look labels up.

    Returns:
        A parse for each Doc.
    """
    places = np.arange(len(tokens.is_word))
    token_heads = places.copy()
    in_tree = heads > 0
    token_heads[sentences.words[in_tree]] = sentences.tokens[(sentences.roots + heads)[in_tree]]
    token_labels = np.empty(len(places), dtype=np.uint64)
    token_labels[sentences.words] = labels
    if not tokens.is_word.all():
        spaces = np.flatnonzero(~tokens.is_word)
        token_heads[spaces] = _anchors(tokens)[spaces]
        is_root = token_heads[spaces] == spaces
        token_labels[spaces] = np.where(is_root, strings[ROOT_LABEL], strings[SPACE_LABEL])
    arcs = np.stack([(token_heads - places).astype(np.uint64), token_labels], axis=1)
    starts = np.where(tokens.starts, 1, -1).astype(np.uint64)[:, None]
    return [Parse(arcs[part], starts[part]) for part in tokens.slices()]


def _with_confidence(
    parses: list[Parse], tokens: TokenBatch, sentences: SentenceBatch, sure: Confidence
) -> list[Parse]:
    """Add the probabilities of heads and labels to parses."""
    of_tokens = np.full((2, len(tokens.is_word)), np.nan)
    of_tokens[:, sentences.words] = sure[:2]
    heads, labels = of_tokens
    distributions = _token_distributions(tokens, sentences, sure.distributions)
    return [
        parse._replace(
            head_probabilities=heads[part],
            label_probabilities=labels[part],
            head_distributions=distributions[part],
        )
        for parse, part in zip(parses, tokens.slices(), strict=True)
    ]


def _token_distributions(
    tokens: TokenBatch, sentences: SentenceBatch, distributions: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The distributions of heads of all tokens, see `DISTRIBUTIONS_KEY`. distributions: of the
    words, with their heads in the sentence."""
    found = np.zeros((len(tokens.is_word), distributions.shape[1]))
    heads, probabilities = np.split(distributions, 2, axis=1)
    head_tokens = sentences.tokens[sentences.roots[:, None] + heads.astype(np.int64)]
    offsets = np.where(heads > 0, head_tokens - sentences.words[:, None], 0)
    found[sentences.words] = np.hstack([offsets, probabilities])
    return found


def _with_ranked(
    parses: list[Parse],
    tokens: TokenBatch,
    sentences: SentenceBatch,
    ranks: Sequence[list[Parse]],
    scores: NDArray[np.float64],
    strings: StringStore,
) -> list[Parse]:
    """Add all trees found to parses. ranks: the parses of all Docs with the best trees, the second
    best and so on; scores: [n_trees, n_sentences], -inf where a sentence has no such tree."""
    ranked: list[list[list[dict[str, Any]]]] = [[] for _ in parses]
    first_words = sentences.words[np.cumsum(sentences.lengths) - sentences.lengths]
    for sentence, number in enumerate(tokens.sentence[first_words]):
        start, end = np.searchsorted(tokens.sentence, [number, number + 1]).tolist()
        doc = int(np.searchsorted(tokens.offsets, start, side="right")) - 1
        places = np.arange(start, end) - int(tokens.offsets[doc])
        trees: list[dict[str, Any]] = []
        for rank, score in zip(ranks, scores[:, sentence].tolist(), strict=True):
            if score > -np.inf:
                distances, labels = rank[doc].arcs[places].T
                heads = (places + distances.astype(np.int64)).tolist()
                deps = [strings[label] for label in labels.tolist()]
                # Different trees can be decoded to the same one (pseudo-projective parsing).
                if all((tree["heads"], tree["deps"]) != (heads, deps) for tree in trees):
                    trees.append({"heads": heads, "deps": deps, "score": score})
        ranked[doc].append(trees)
    return [parse._replace(ranked=trees) for parse, trees in zip(parses, ranked, strict=True)]


def _anchors(tokens: TokenBatch) -> NDArray[np.int64]:
    """The head of each token if it is whitespace: int64 [n_tokens]."""
    places = np.arange(len(tokens.is_word))
    first = np.maximum.accumulate(np.where(tokens.starts, places, 0))
    before = np.maximum.accumulate(np.where(tokens.is_word, places, -1))
    after = np.where(tokens.is_word, places, len(places))
    after = np.minimum.accumulate(after[::-1])[::-1]
    sentence = np.append(tokens.sentence, -1)
    anchors = np.where(before >= first, before, after)
    return np.where(sentence[anchors] == tokens.sentence, anchors, first)
