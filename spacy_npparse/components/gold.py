"""Gold trees of training examples, aligned to the tokens of the predicted Docs."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD, IS_SPACE, ORTH, SENT_START
from spacy.tokens import Doc, Token
from spacy.training import Example

from spacy_npparse.components.docs import TokenBatch, read_tokens
from spacy_npparse.components.head_targets import UNALIGNED, AlignedTokens, head_targets
from spacy_npparse.parsing import GoldBatch, SentenceBatch
from spacy_npparse.treebank.heads import heads_and_spans
from spacy_npparse.treebank.parsing import find_cycle
from spacy_npparse.treebank.sentence import SPACY_ROOT
from spacy_npparse.trees.missing import NO_HEAD, NO_LABEL

_UNKNOWN = -1
_GOLD = [HEAD, DEP, SENT_START, IS_SPACE]

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class GoldBoundaries(NamedTuple):
    """The places in Docs where it is known whether a sentence starts.

    Attributes:
        before: int64 [n], the token before each place.
        after: int64 [n], the token after each place.
        is_start: bool [n], whether a sentence starts there.
    """

    before: Ints
    after: Ints
    is_start: Bools


class _AlignedGold(NamedTuple):
    """The gold annotation of the tokens of a predicted Doc.

    Attributes:
        heads: int64 [len(doc)], the index of each token's head, a root's being its own, NO_HEAD if
            unknown.
        labels: int64 [len(doc)], the number of each label, NO_LABEL if unknown.
        starts: bool [len(doc)], whether each token starts a sentence.
        known_starts: int64 [len(doc)], 1 if the reference says that a sentence starts there, 0 if
            it says that none does, otherwise _UNKNOWN.
        tokens: The alignment of the tokens.
    """

    heads: Ints
    labels: Ints
    starts: Bools
    known_starts: Ints
    tokens: AlignedTokens


def read_gold(
    examples: Sequence[Example], label_numbers: Mapping[int, int]
) -> tuple[GoldBatch, GoldBoundaries]:
    """Align the gold annotation of a batch with the predicted tokens.

    Tokens that are not aligned one to one have no annotation, but they can be the heads of others,
    as in spaCy, if they cover whole tokens of the reference. A sentence starts where the gold or
    the predicted Doc says so, unless a gold arc spans the place. Boundaries that spaCy derives
    wrongly from non-projective or partial trees are thus ignored.

    Args:
        examples: The batch.
        label_numbers: The number of each label, by its hash.

    Returns:
        The gold trees, and the boundaries between adjacent words that the reference does not leave
        open.

    Raises:
        ValueError: A label has no number, or gold heads form a cycle.
    """
    docs = [eg.predicted for eg in examples]
    aligned = [_align(eg, label_numbers) for eg in examples]
    tokens = read_tokens(docs, np.concatenate([gold.starts for gold in aligned]))
    boundaries = _boundaries(tokens, np.concatenate([gold.known_starts for gold in aligned]))
    sentences = tokens.sentences()
    offsets = tokens.offsets[:-1]
    token_heads = np.concatenate(
        [
            np.where(gold.heads >= 0, gold.heads + o, NO_HEAD)
            for gold, o in zip(aligned, offsets, strict=True)
        ]
    )
    heads = sentences.in_sentence(token_heads)
    _check_acyclic(sentences, heads, docs)
    labels = np.concatenate([gold.labels for gold in aligned])[sentences.words]
    labels[heads <= 0] = NO_LABEL
    known = np.bincount(sentences.sentence[heads >= 0], minlength=len(sentences.lengths)) > 0
    first_words = sentences.words[sentences.places == 1]
    of_docs = np.searchsorted(tokens.offsets, first_words, side="right") - 1
    targets = head_targets(examples, [gold.tokens for gold in aligned], sentences, heads)
    gold = GoldBatch(sentences, heads.astype(np.int32), labels, of_docs, targets).select(known)
    return gold, boundaries


def _boundaries(tokens: TokenBatch, starts: Ints) -> GoldBoundaries:
    """Collect the known boundaries. starts: int64 [n_tokens], see `_AlignedGold`."""
    before, after = tokens.adjacent_words()
    # A sentence may begin with white space before its first word.
    n_starts = np.cumsum(starts == 1)
    is_start = n_starts[after] > n_starts[before]
    known = is_start | (starts[after] != _UNKNOWN)
    return GoldBoundaries(before[known], after[known], is_start[known])


def root_labels(doc: Doc) -> set[str]:
    """Find the labels of roots other than ROOT. A parser predicts ROOT for all roots.

    Args:
        doc: A Doc with gold annotation.

    Returns:
        The labels.
    """
    values = doc.to_array([HEAD, DEP, IS_SPACE])
    labels = values[(values[:, 0] == 0) & (values[:, 2] == 0), 1]
    strings = doc.vocab.strings
    return {strings[label] for label in np.unique(labels).tolist() if label} - {SPACY_ROOT}


def misplaced_roots(doc: Doc) -> Bools:
    """Find words that have a head but the label of a root. Their labels count as unknown.

    Args:
        doc: A Doc with gold annotation.

    Returns:
        bool [len(doc)], whether each token is such a word.
    """
    values = doc.to_array([HEAD, DEP, IS_SPACE])
    root = doc.vocab.strings[SPACY_ROOT]
    return np.asarray((values[:, 0] != 0) & (values[:, 1] == root) & (values[:, 2] == 0))


def _check_acyclic(sentences: SentenceBatch, heads: Ints, docs: Sequence[Doc]) -> None:
    """Raise ValueError if heads form a cycle, and name its words."""
    above = np.arange(len(sentences.tokens))
    above[sentences.rows] = sentences.roots + np.maximum(heads, 0)
    for _ in range(int(sentences.lengths.max(initial=0)).bit_length()):
        above = above[above]
    lost = np.flatnonzero(above[sentences.rows] != sentences.roots)
    if len(lost):
        words = sentences.slices()[int(sentences.sentence[lost[0]])]
        tokens = sentences.words[words]
        cycle = find_cycle([NO_HEAD, *heads[words].tolist()])
        cyclic = [_token(docs, int(tokens[word - 1])) for word in cycle]
        spelled = [f"{token.text!r} (token {token.i})" for token in cyclic]
        raise ValueError(
            f"The gold heads form a cycle: {' <- '.join([*spelled, spelled[0]])} in "
            f"{cyclic[0].doc.text.strip()!r}. Correct the heads of these tokens in the training "
            "data."
        )


def _token(docs: Sequence[Doc], index: int) -> Token:
    """Find a token by its number, counted through all Docs."""
    for doc in docs:
        if index < len(doc):
            break
        index -= len(doc)
    return doc[index]


def _align(example: Example, label_numbers: Mapping[int, int]) -> _AlignedGold:
    """Read the gold annotation for the tokens of the predicted Doc."""
    gold = example.reference
    values = gold.to_array(_GOLD)
    deps = values[:, 1]
    gold_heads, spanned = heads_and_spans(values[:, 0], deps)
    gold_labels = np.full(len(gold), NO_LABEL, dtype=np.int64)
    has_label = (values[:, 0] != 0) & (deps != 0) & (values[:, 3] == 0) & ~misplaced_roots(gold)
    for i in np.flatnonzero(has_label).tolist():
        try:
            gold_labels[i] = label_numbers[int(deps[i])]
        except KeyError:
            raise ValueError(
                f"Unknown dependency label {gold[i].dep_!r} of token {gold[i].text!r} in "
                f"{gold.text.strip()!r}: add it with add_label, or to those that the component is "
                "initialized with."
            ) from None
    tokens = to_gold, from_gold = _aligned_tokens(example)
    aligned = to_gold >= 0
    heads = np.full(len(to_gold), NO_HEAD, dtype=np.int64)
    labels = np.full(len(to_gold), NO_LABEL, dtype=np.int64)
    head_in_gold = gold_heads[to_gold[aligned]]
    heads[aligned] = np.where(head_in_gold >= 0, from_gold[head_in_gold], NO_HEAD)
    labels[aligned] = gold_labels[to_gold[aligned]]
    in_gold = values[:, 2]
    known_starts = np.full(len(to_gold), _UNKNOWN, dtype=np.int64)
    is_start = np.where(in_gold == 0, _UNKNOWN, (in_gold == 1) & ~spanned)
    known_starts[aligned] = is_start[to_gold[aligned]]
    starts = _starts(example.predicted, to_gold, in_gold == 1, spanned)
    return _AlignedGold(heads, labels, starts, known_starts, tokens)


def _starts(doc: Doc, to_gold: Ints, gold_starts: Bools, spanned: Bools) -> Bools:
    """Find where sentences of the predicted Doc start in training; see `read_gold`.

    gold_starts, spanned: bool [tokens of the reference].
    """
    starts = np.zeros(len(doc), dtype=bool)
    if len(gold_starts):
        aligned = to_gold >= 0
        # A boundary at a token that is not aligned moves to the next aligned token.
        nearest = np.maximum.accumulate(np.where(aligned, to_gold, 0))
        numbers = np.cumsum(gold_starts & ~spanned)
        starts[1:] = np.diff(numbers[nearest]) > 0
        starts |= (doc.to_array(SENT_START) == 1) & aligned & ~spanned[nearest]
    return starts


def _aligned_tokens(example: Example) -> AlignedTokens:
    """Align the tokens of the predicted Doc and of the reference."""
    doc, gold = example.predicted, example.reference
    if len(doc) == len(gold) and (doc.to_array(ORTH) == gold.to_array(ORTH)).all():
        identity = np.arange(len(doc), dtype=np.int64)
        return AlignedTokens(identity, identity)
    x2y, y2x = example.alignment.x2y, example.alignment.y2x
    to_gold = np.full(len(doc), UNALIGNED, dtype=np.int64)
    from_gold = np.full(len(gold), UNALIGNED, dtype=np.int64)
    for j, n_tokens in enumerate(y2x.lengths):
        if n_tokens == 1:
            i = from_gold[j] = y2x[j][0]
            if x2y.lengths[i] == 1:
                to_gold[i] = j
    return AlignedTokens(to_gold, from_gold)
