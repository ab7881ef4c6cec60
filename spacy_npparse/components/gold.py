"""Gold trees of training examples, aligned to the tokens of the predicted Docs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD, IS_SPACE, ORTH, SENT_START
from spacy.tokens import Doc, Token
from spacy.training import Example

from spacy_npparse.components.head_targets import AlignedTokens, HeadTargets, head_targets
from spacy_npparse.components.sentences import (
    SentenceBatch,
    heads_in_sentence,
    read_tokens,
    split_sentences,
)
from spacy_npparse.treebank.heads import below_arcs, token_heads
from spacy_npparse.trees.missing import NO_HEAD

# Penalty of wrong arcs in the search for the gold tree: more than trees differ by, and, unlike
# IMPOSSIBLE, small enough to keep the differences of scores that it is added to in float32.
FORBIDDING = 1e4

_GOLD = [HEAD, DEP, SENT_START, IS_SPACE]

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class GoldBatch:
    """Sentences with their gold trees; sentences without any annotation are left out.

    Attributes:
        sentences: The sentences.
        heads: int32 [n_words], the head of each word in its sentence, 0 for the root, NO_HEAD if
            unknown.
        labels: int64 [n_words], number of the label of each arc, NO_HEAD if unknown or the root's.
        docs: int64 [n_sentences], the Doc of each sentence, ascending.
        targets: What is learnt of heads one by one; None if these are the gold heads.
    """

    sentences: SentenceBatch
    heads: NDArray[np.int32]
    labels: NDArray[np.int64]
    docs: NDArray[np.int64]
    targets: HeadTargets | None = None

    @property
    def complete(self) -> Bools:
        """Which sentences have no word with unknown head: bool [n_sentences]."""
        unknown = self.sentences.sentence[self.heads == NO_HEAD]
        return np.bincount(unknown, minlength=len(self.sentences.lengths)) == 0

    def select(self, kept: Bools) -> "GoldBatch":
        """Keep only some of the sentences.

        Args:
            kept: bool [n_sentences].

        Returns:
            These sentences.
        """
        words = kept[self.sentences.sentence]
        return GoldBatch(
            self.sentences.select(kept),
            self.heads[words],
            self.labels[words],
            self.docs[kept],
            self.targets and self.targets.select(words),
        )

    def join_sentences(self, max_length: int) -> "GoldBatch":
        """Join the sentences of each Doc to runs of words, in which each root has the root of the
        whole as its head.

        Args:
            max_length: Words of a run of several sentences.

        Returns:
            The runs.
        """
        run = np.array(list(_runs(self.docs, self.sentences.lengths, max_length)), dtype=np.int64)
        starts = np.cumsum(self.sentences.lengths) - self.sentences.lengths
        is_first = np.diff(run, prepend=-1) > 0
        shift = (starts - starts[is_first][run])[self.sentences.sentence]
        lengths = np.bincount(run, weights=self.sentences.lengths).astype(np.int32)
        joined = SentenceBatch(self.sentences.words, lengths, self.sentences.n_tokens)
        heads = np.where(self.heads > 0, self.heads + shift, self.heads).astype(np.int32)
        targets = self.targets and self.targets.shift(shift)
        return GoldBatch(joined, heads, self.labels, self.docs[is_first], targets)

    def wrong_arcs(self) -> NDArray[np.float32]:
        """Mark the arcs that the gold trees are known not to have.

        Returns:
            float32 [n_sentences, size, size], size = longest sentence + 1: at [s, d, h] 1 for the
            arc of word d of sentence s to head h, 0 for all others.
        """
        size = int(self.sentences.lengths.max(initial=0)) + 1
        wrong = np.zeros((len(self.sentences.lengths), size, size), dtype=np.float32)
        known = self.heads != NO_HEAD
        sentence, heads = self.sentences.sentence[known], self.heads[known]
        word = self.sentences.places[known]
        wrong[sentence, word] = 1.0
        wrong[sentence, word, heads] = 0.0
        return wrong


class GoldBoundaries(NamedTuple):
    """The places in Docs where sentences are known to end and start, or not to.

    Attributes:
        before: int64 [n], the token before each place.
        after: int64 [n], the token after it.
        is_start: bool [n], whether a sentence starts there.
    """

    before: Ints
    after: Ints
    is_start: Bools


class _AlignedGold(NamedTuple):
    """The gold annotation of the tokens of a predicted Doc.

    Attributes:
        heads: int64 [len(doc)], index of each token's head, a root's being its own, NO_HEAD if
            unknown.
        labels: int64 [len(doc)], number of the label, NO_HEAD if unknown.
        starts: bool [len(doc)], where sentences start.
        tokens: How they are aligned.
    """

    heads: Ints
    labels: Ints
    starts: Bools
    tokens: AlignedTokens


def gold_batch(examples: Sequence[Example], label_numbers: Mapping[int, int]) -> GoldBatch:
    """Align the gold trees of a batch.

    Tokens that are not aligned one to one have no annotation. Sentences start where the gold or the
    predicted Doc says so, unless a gold arc spans the place; so boundaries that spaCy derives
    wrongly (from non-projective or partial trees) do no harm.

    Args:
        examples: The batch.
        label_numbers: The number of each label, by its hash.

    Returns:
        The gold trees.

    Raises:
        ValueError: If a label is not among them, or if gold heads form a cycle.
    """
    docs = [eg.predicted for eg in examples]
    aligned = [_align(eg, label_numbers) for eg in examples]
    tokens = read_tokens(docs).with_starts(np.concatenate([gold.starts for gold in aligned]))
    sentences = split_sentences(tokens)
    offsets = tokens.offsets[:-1]
    token_heads = np.concatenate(
        [
            np.where(gold.heads >= 0, gold.heads + o, NO_HEAD)
            for gold, o in zip(aligned, offsets, strict=True)
        ]
    )
    heads = heads_in_sentence(sentences, token_heads)
    _check_acyclic(sentences, heads, docs)
    labels = np.concatenate([gold.labels for gold in aligned])[sentences.words]
    labels[heads <= 0] = NO_HEAD
    known = np.bincount(sentences.sentence[heads >= 0], minlength=len(sentences.lengths)) > 0
    first_words = sentences.words[sentences.places == 1]
    of_docs = np.searchsorted(tokens.offsets, first_words, side="right") - 1
    targets = head_targets(examples, [gold.tokens for gold in aligned], sentences, heads)
    return GoldBatch(sentences, heads.astype(np.int32), labels, of_docs, targets).select(known)


def gold_boundaries(examples: Sequence[Example]) -> GoldBoundaries:
    """Align the gold sentence starts of a batch.

    Unknown are those of tokens that are not aligned one to one, and of whatever the reference
    leaves open. No sentence starts at a place that a gold arc spans.

    Args:
        examples: The batch.

    Returns:
        The boundaries between adjacent words.
    """
    starts = np.concatenate([_aligned_starts(example) for example in examples])
    before, after = read_tokens([eg.predicted for eg in examples]).adjacent_words()
    # A sentence may begin with white space, before its first word.
    n_starts = np.cumsum(starts == 1)
    is_start = n_starts[after] > n_starts[before]
    known = is_start | (starts[after] != NO_HEAD)
    return GoldBoundaries(before[known], after[known], is_start[known])


def head_tokens(doc: Doc) -> Ints:
    """Read the heads of a Doc.

    Args:
        doc: The Doc.

    Returns:
        int64 [len(doc)], index of each token's head, a root's being its own, NO_HEAD if unknown.
    """
    values = doc.to_array([HEAD, DEP])
    return token_heads(values[:, 0], values[:, 1])


def _check_acyclic(sentences: SentenceBatch, heads: Ints, docs: Sequence[Doc]) -> None:
    """Raise ValueError, naming the words concerned, if heads form a cycle."""
    above = np.arange(len(sentences.tokens))
    above[sentences.rows] = sentences.roots + np.maximum(heads, 0)
    for _ in range(int(sentences.lengths.max(initial=0)).bit_length()):
        above = above[above]
    lost = np.flatnonzero(above[sentences.rows] != sentences.roots)
    if len(lost):
        # So many steps from any of these words end on the cycle itself.
        start = row = int(above[sentences.rows[lost[0]]])
        spelled: list[str] = []
        while row != start or not spelled:
            token = _token(docs, int(sentences.tokens[row]))
            spelled.append(f"{token.text!r} (token {token.i})")
            word = int(np.searchsorted(sentences.rows, row))
            row = int(sentences.roots[word] + heads[word])
        raise ValueError(
            f"The gold heads form a cycle: {' <- '.join([*spelled, spelled[0]])} in "
            f"{token.doc.text.strip()!r}. Correct the heads of these tokens in the training data."
        )


def _token(docs: Sequence[Doc], index: int) -> Token:
    """A token, given its number counted through all Docs."""
    for doc in docs:
        if index < len(doc):
            break
        index -= len(doc)
    return doc[index]


def _align(example: Example, label_numbers: Mapping[int, int]) -> _AlignedGold:
    """The gold annotation, in the tokens of the predicted Doc."""
    gold = example.reference
    values = gold.to_array(_GOLD)
    deps = values[:, 1]
    gold_heads = head_tokens(gold)
    gold_labels = np.full(len(gold), NO_HEAD, dtype=np.int64)
    for i in np.flatnonzero((values[:, 0] != 0) & (deps != 0) & (values[:, 3] == 0)).tolist():
        try:
            gold_labels[i] = label_numbers[int(deps[i])]
        except KeyError:
            raise ValueError(
                f"Unknown dependency label {gold[i].dep_!r} of token {gold[i].text!r} in "
                f"{gold.text.strip()!r}: add it with add_label, or to those that the component is "
                "initialized with."
            ) from None
    tokens = to_gold, from_gold = _one_to_one(example)
    aligned = to_gold >= 0
    heads = np.full(len(to_gold), NO_HEAD, dtype=np.int64)
    labels = heads.copy()
    head_in_gold = gold_heads[to_gold[aligned]]
    heads[aligned] = np.where(head_in_gold >= 0, from_gold[head_in_gold], NO_HEAD)
    labels[aligned] = gold_labels[to_gold[aligned]]
    starts = _starts(example.predicted, to_gold, values[:, 2] == 1, below_arcs(gold_heads))
    return _AlignedGold(heads, labels, starts, tokens)


def _starts(doc: Doc, to_gold: Ints, gold_starts: Bools, spanned: Bools) -> Bools:
    """Where sentences of the predicted Doc start in training; see `gold_batch`.

    gold_starts, spanned: bool [tokens of the reference].
    """
    starts = np.zeros(len(doc), dtype=bool)
    if len(gold_starts):
        aligned = to_gold >= 0
        # Boundaries at tokens that are not aligned move to the next one that is.
        nearest = np.maximum.accumulate(np.where(aligned, to_gold, 0))
        numbers = np.cumsum(gold_starts & ~spanned)
        starts[1:] = np.diff(numbers[nearest]) > 0
        starts |= (doc.to_array(SENT_START) == 1) & aligned & ~spanned[nearest]
    return starts


def _aligned_starts(example: Example) -> Ints:
    """Whether a sentence starts at each token of the predicted Doc: 1 or 0, NO_HEAD if unknown."""
    to_gold, _ = _one_to_one(example)
    gold = example.reference
    values = gold.to_array(SENT_START)
    is_start = (values == 1) & ~below_arcs(head_tokens(gold))
    by_token = np.where(values == 0, NO_HEAD, is_start)
    aligned = to_gold >= 0
    starts = np.full(len(to_gold), NO_HEAD, dtype=np.int64)
    starts[aligned] = by_token[to_gold[aligned]]
    return starts


def _runs(docs: Ints, lengths: NDArray[np.int32], max_length: int) -> Iterator[int]:
    """The number of the run that each sentence belongs to; see `GoldBatch.join_sentences`."""
    run, last_doc, length = -1, NO_HEAD, 0
    for doc, n_words in zip(docs.tolist(), lengths.tolist(), strict=True):
        if doc != last_doc or length + n_words > max_length:
            run, last_doc, length = run + 1, doc, 0
        length += n_words
        yield run


def _one_to_one(example: Example) -> AlignedTokens:
    """The tokens that are aligned one to one."""
    doc, gold = example.predicted, example.reference
    if len(doc) == len(gold) and (doc.to_array(ORTH) == gold.to_array(ORTH)).all():
        identity = np.arange(len(doc), dtype=np.int64)
        return AlignedTokens(identity, identity)
    x2y, y2x = example.alignment.x2y, example.alignment.y2x
    to_gold = np.full(len(doc), NO_HEAD, dtype=np.int64)
    from_gold = np.full(len(gold), NO_HEAD, dtype=np.int64)
    for i in range(len(doc)):
        targets = x2y[i]
        if len(targets) == 1 and len(y2x[int(targets[0])]) == 1:
            to_gold[i] = targets[0]
            from_gold[targets[0]] = i
    return AlignedTokens(to_gold, from_gold)
