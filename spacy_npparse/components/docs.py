"""Reading tokens and sentences of Docs, and assembling parses from trees.

All operations are vectorised over a batch. With short Docs, a few numpy calls for each of them
would take longer than parsing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD, IS_SPACE, POS, SENT_START
from spacy.strings import StringStore
from spacy.tokens import Doc, Token

from spacy_npparse.parsing import Confidence, SentenceBatch
from spacy_npparse.treebank.given_sentences import note_given_sentences
from spacy_npparse.treebank.head_distributions import PREDICTIONS_KEY, token_distribution
from spacy_npparse.treebank.heads import heads_and_spans
from spacy_npparse.treebank.sentence import SPACY_ROOT
from spacy_npparse.trees.head_distributions import HeadDistributions

SPACE_LABEL = "dep"

_ATTRIBUTES = [SENT_START, IS_SPACE, POS]
_ARCS = [HEAD, DEP]
_STARTS = [SENT_START]
_PROBABILITIES = ("head_probability", "label_probability")
_RANKED = "k_best_trees"


@dataclass(frozen=True)
class TokenBatch:
    """The tokens of several Docs, numbered through all of them.

    Attributes:
        offsets: int64 [n_docs + 1], the first token of each Doc, and the end of the last one.
        sentence: int64 [n_tokens], the sentence number of each token, ascending.
        is_word: bool [n_tokens], False for whitespace.
        is_open: bool [n_tokens], whether the token is a word for which the Doc leaves open whether
            it starts a sentence.
        upos: int64 [n_tokens], spaCy's number of the part of speech of each token, 0 for none.
    """

    offsets: NDArray[np.int64]
    sentence: NDArray[np.int64]
    is_word: NDArray[np.bool_]
    is_open: NDArray[np.bool_]
    upos: NDArray[np.int64]

    @property
    def starts(self) -> NDArray[np.bool_]:
        """Whether each token starts a sentence: bool [n_tokens]."""
        return _begins(self.sentence)

    def slices(self) -> list[slice]:
        """The tokens of each Doc."""
        bounds = self.offsets.tolist()
        return [slice(start, end) for start, end in pairwise(bounds)]

    @property
    def first_words(self) -> NDArray[np.int64]:
        """The first word of each sentence that has words: int64 [n_sentences]."""
        words = np.flatnonzero(self.is_word)
        return words[_begins(self.sentence[words])]

    def adjacent_words(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All pairs of adjacent words of a Doc, between which a sentence can end: the tokens of the
        first and of the second words, int64 [n_pairs] each."""
        words = np.flatnonzero(self.is_word)
        doc = np.searchsorted(self.offsets, words, side="right")
        same = doc[1:] == doc[:-1]
        return words[:-1][same], words[1:][same]

    def sentences(self) -> SentenceBatch:
        """Lay out the sentences, except in Docs without words."""
        words = np.flatnonzero(self.is_word)
        lengths = np.bincount(self.sentence[words]).astype(np.int32)
        return SentenceBatch(words, lengths[lengths > 0], len(self.is_word), self.upos)

    def with_starts(self, starts: NDArray[np.bool_]) -> "TokenBatch":
        """Split the Docs into other sentences.

        Args:
            starts: bool [n_tokens], whether each token starts a sentence.

        Returns:
            The tokens with the new sentence numbers.
        """
        first_tokens = self.offsets[:-1][self.offsets[1:] > self.offsets[:-1]]
        starts = starts.copy()
        starts[first_tokens] = True
        sentence = _join_wordless(starts.cumsum() - 1, self.is_word, first_tokens)
        return replace(self, sentence=sentence, is_open=np.zeros_like(self.is_open))


def read_tokens(docs: Sequence[Doc], starts: NDArray[np.bool_] | None = None) -> TokenBatch:
    """Read the tokens of Docs and their sentences.

    A Doc without boundaries is one sentence. If a Doc has heads, no sentence starts within an arc:
    spaCy derives starts from heads, wrongly if some are missing. A sentence without words (only
    white space) is joined to the one before it, except at the beginning of a Doc, where the
    boundary after it is given.

    Args:
        docs: The Docs.
        starts: bool [n_tokens], whether each token starts a sentence; None to read it from the
            Docs.

    Returns:
        The tokens.
    """
    offsets = np.cumsum([0, *map(len, docs)], dtype=np.int64)
    values = np.concatenate([np.empty((0, 3)), *(doc.to_array(_ATTRIBUTES) for doc in docs)])
    is_word = values[:, 1] == 0
    is_start = (values[:, 0] == 1) & ~np.concatenate([np.empty(0, bool), *map(_spanned, docs)])
    # A token that is known not to start a sentence has the value -1, here as an unsigned number.
    is_open = is_word & (values[:, 0] <= 1) & ~is_start
    nothing = np.zeros(len(values), dtype=np.int64)
    tokens = TokenBatch(offsets, nothing, is_word, is_open, values[:, 2].astype(np.int64))
    if starts is not None:
        return tokens.with_starts(starts)
    tokens = tokens.with_starts(is_start)
    # The first word of a sentence is not open, even if white space comes before it.
    is_open[tokens.first_words] = False
    return replace(tokens, is_open=is_open)


def _spanned(doc: Doc) -> NDArray[np.bool_]:
    """Find the tokens at which no sentence can start because of an arc: bool [len(doc)]."""
    if not doc.has_annotation("DEP"):
        return np.zeros(len(doc), dtype=bool)
    return heads_and_spans(*doc.to_array(_ARCS).T)[1]


def _begins(numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Find the first of equal numbers in each run."""
    found = np.ones(len(numbers), dtype=bool)
    np.not_equal(numbers[1:], numbers[:-1], out=found[1:])
    return found


def _join_wordless(
    sentence: NDArray[np.int64],
    is_word: NDArray[np.bool_],
    first_tokens: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Number the sentences, after joining those without words to those before them. first_tokens:
    the first token of each Doc."""
    if is_word.all():
        return sentence
    has_words = np.bincount(sentence[is_word], minlength=sentence[-1] + 1) > 0
    has_words[sentence[first_tokens]] = True
    return (np.cumsum(has_words) - 1)[sentence]


class Parse(NamedTuple):
    """The parse of a Doc, as the arrays that `Doc.from_array` takes.

    Attributes:
        arcs: uint64 [len(doc), 2], the offset of the head (0 for a root) and the hash of the label.
        starts: int64 values as uint64 [len(doc), 1], 1 where a sentence starts, otherwise -1, as in
            spaCy.
        head_probabilities: float [len(doc)], the probability of each word's head, NaN for white
            space; None unless the confidence is kept.
        label_probabilities: float [len(doc)], the probability of the label given the head; None
            unless the confidence is kept.
        head_distributions: The most probable heads of each token, see `PREDICTIONS_KEY`; None
            unless the confidence is kept.
        ranked: The k best trees of each sentence with words, in descending order: "heads" (the
            index of each token's head, a root's being its own), "deps" and "score"; None unless
            they are kept.
    """

    arcs: NDArray[np.uint64]
    starts: NDArray[np.uint64]
    head_probabilities: NDArray[np.float64] | None = None
    label_probabilities: NDArray[np.float64] | None = None
    head_distributions: HeadDistributions | None = None
    ranked: list[list[dict[str, Any]]] | None = None


def write_parse(doc: Doc, parse: Parse) -> None:
    """Write a parse to its Doc, instead of an earlier one.

    Sentence starts are written after the arcs, because spaCy derives wrong ones from the edges of
    non-projective trees.

    Args:
        doc: The Doc.
        parse: The parse of the Doc.
    """
    if len(doc):
        note_given_sentences(doc)
        doc.from_array(_ARCS, parse.arcs)  # type: ignore[arg-type]
        doc.from_array(_STARTS, parse.starts)  # type: ignore[arg-type]
    _remove_confidence(doc)
    if parse.ranked is not None:
        doc._.set(_RANKED, parse.ranked)
    if parse.head_distributions is not None:
        doc.user_data[PREDICTIONS_KEY] = parse.head_distributions
    by_name = zip(
        _PROBABILITIES, (parse.head_probabilities, parse.label_probabilities), strict=True
    )
    for name, values in by_name:
        if values is not None:
            for token, value in zip(doc, values.tolist(), strict=True):
                token._.set(name, None if token.is_space else value)


def _remove_confidence(doc: Doc) -> None:
    """Remove the probabilities, the head distributions and the k best trees of a parse."""
    doc.user_data.pop(PREDICTIONS_KEY, None)
    # spaCy keeps the values of extension attributes under ("._.", name, start, end).
    names = {*_PROBABILITIES, _RANKED}
    for key in list(doc.user_data):
        if isinstance(key, tuple) and len(key) == 4 and key[0] == "._." and key[1] in names:
            del doc.user_data[key]


def tree_parses(
    tokens: TokenBatch,
    sentences: SentenceBatch,
    heads: NDArray[np.int32],
    labels: NDArray[np.uint64],
    strings: StringStore,
) -> list[Parse]:
    """Assemble the trees of Docs from those of their sentences.

    White space is attached to the word before it, or at the beginning of a sentence to the word
    after it, where it crosses no arc. In a Doc without words, it is attached to the first token.

    Args:
        tokens: The tokens of the Docs.
        sentences: The sentences of the Docs.
        heads: int32 [n_words], the heads within the sentences, 0 for the root.
        labels: uint64 [n_words], the hashes of the labels.
        strings: The string store of the Docs.

    Returns:
        A parse for each Doc.
    """
    places = np.arange(len(tokens.is_word))
    token_heads = places.copy()
    in_tree = heads > 0
    token_heads[sentences.words[in_tree]] = sentences.tokens[(sentences.roots + heads)[in_tree]]
    arcs = np.empty((len(places), 2), dtype=np.uint64)
    token_labels = arcs[:, 1]
    token_labels[sentences.words] = labels
    if not tokens.is_word.all():
        spaces = np.flatnonzero(~tokens.is_word)
        token_heads[spaces] = _anchors(tokens)[spaces]
        is_root = token_heads[spaces] == spaces
        token_labels[spaces] = np.where(is_root, strings[SPACY_ROOT], strings[SPACE_LABEL])
    arcs[:, 0] = token_heads - places
    starts = np.where(tokens.starts, 1, -1).astype(np.uint64)[:, None]
    return [Parse(arcs[part], starts[part]) for part in tokens.slices()]


def with_confidence(
    parses: list[Parse], tokens: TokenBatch, sentences: SentenceBatch, confidence: Confidence
) -> list[Parse]:
    """Add the probabilities of heads and labels to parses.

    Args:
        parses: The parses of the Docs.
        tokens: The tokens of the Docs.
        sentences: The sentences of the Docs.
        confidence: The confidence in the trees.

    Returns:
        The new parses.
    """
    of_tokens = np.full((2, len(tokens.is_word)), np.nan)
    of_tokens[:, sentences.words] = confidence[:2]
    heads, labels = of_tokens
    distributions = _token_distributions(tokens, sentences, confidence.distributions)
    return [
        parse._replace(
            head_probabilities=heads[part],
            label_probabilities=labels[part],
            head_distributions=distributions.select(part),
        )
        for parse, part in zip(parses, tokens.slices(), strict=True)
    ]


def _token_distributions(
    tokens: TokenBatch, sentences: SentenceBatch, distributions: HeadDistributions
) -> HeadDistributions:
    """Convert the head distributions of words to those of tokens, see `PREDICTIONS_KEY`.
    distributions: of the words, with heads within the sentence."""
    found = HeadDistributions.unknown(len(tokens.is_word))
    heads = distributions.heads
    head_tokens = sentences.tokens[sentences.roots[:, None] + heads]
    found.heads[sentences.words] = np.where(heads > 0, head_tokens - sentences.words[:, None], 0)
    found.probabilities[sentences.words] = distributions.probabilities
    return found


def with_ranked(
    parses: list[Parse],
    tokens: TokenBatch,
    sentences: SentenceBatch,
    ranks: Sequence[list[Parse]],
    scores: NDArray[np.float64],
    strings: StringStore,
) -> list[Parse]:
    """Add the k best trees to parses.

    Args:
        parses: The parses of the Docs.
        tokens: The tokens of the Docs.
        sentences: The sentences of the Docs.
        ranks: The parses of all Docs with the best trees, with the second-best trees and so on.
        scores: float64 [n_trees, n_sentences], -inf where a sentence has no such tree.
        strings: The string store of the Docs.

    Returns:
        The new parses.
    """
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
                # Different pseudo-projective trees can be decoded to the same tree.
                if all((tree["heads"], tree["deps"]) != (heads, deps) for tree in trees):
                    trees.append({"heads": heads, "deps": deps, "score": score})
        ranked[doc].append(trees)
    return [parse._replace(ranked=trees) for parse, trees in zip(parses, ranked, strict=True)]


def _anchors(tokens: TokenBatch) -> NDArray[np.int64]:
    """The head that each token gets if it is white space: int64 [n_tokens]."""
    places = np.arange(len(tokens.is_word))
    first = np.maximum.accumulate(np.where(tokens.starts, places, 0))
    before = np.maximum.accumulate(np.where(tokens.is_word, places, -1))
    after = np.where(tokens.is_word, places, len(places))
    after = np.minimum.accumulate(after[::-1])[::-1]
    sentence = np.append(tokens.sentence, -1)
    anchors = np.where(before >= first, before, after)
    return np.where(sentence[anchors] == tokens.sentence, anchors, first)


for _owner, _names in ((Token, _PROBABILITIES), (Doc, (_RANKED,))):
    for _name in _names:
        if not _owner.has_extension(_name):
            _owner.set_extension(_name, default=None)
if not Token.has_extension("head_distribution"):
    Token.set_extension("head_distribution", getter=token_distribution)
