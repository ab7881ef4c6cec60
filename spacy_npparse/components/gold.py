"""Gold trees of training examples, as far as they are known, in the tokens of the prediction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD, ORTH, SENT_START
from spacy.tokens import Doc
from spacy.training import Example

from .sentences import SentenceBatch, batch_sentences, sentence_numbers

MISSING = -1


@dataclass(frozen=True)
class GoldBatch:
    """Sentences with their gold trees; sentences of which nothing is known are left out.

    heads: int32 [n_words], the head of each word in its sentence, 0 for the root, -1 if unknown.
    labels: int64 [n_words], number of the label of each arc; -1 if unknown or a root arc.
    """

    sentences: SentenceBatch
    heads: NDArray[numpy.int32]
    labels: NDArray[numpy.int64]


def gold_batch(examples: Sequence[Example], label_numbers: Mapping[int, int]) -> GoldBatch:
    """Gold trees of a batch. Tokens that are not aligned one to one, and heads across sentence
    boundaries, count as unknown.

    label_numbers: the number of each label, by its hash.

    Raises ValueError if a label is not among them.
    """
    docs = [eg.predicted for eg in examples]
    aligned = [_align(eg, label_numbers) for eg in examples]
    everything = batch_sentences(docs, [numbers for numbers, _, _ in aligned])
    offsets = numpy.cumsum([0] + [len(doc) for doc in docs])
    token_heads = numpy.concatenate(
        [numpy.where(h >= 0, h + o, MISSING) for (_, h, _), o in zip(aligned, offsets)]
    )
    token_labels = numpy.concatenate([labels for _, _, labels in aligned])
    words, heads, labels = [], [], []
    for tokens in everything.words:
        place = {int(token): i + 1 for i, token in enumerate(tokens)}
        known = [
            0 if head == token else place.get(int(head), MISSING)
            for token, head in zip(tokens, token_heads[tokens])
        ]
        if any(head >= 0 for head in known):
            words.append(tokens)
            heads.append(numpy.array(known, dtype=numpy.int32))
            labels.append(numpy.where(heads[-1] > 0, token_labels[tokens], MISSING))
    return GoldBatch(
        sentences=SentenceBatch(words=words, n_tokens=everything.n_tokens),
        heads=numpy.concatenate(heads) if heads else numpy.zeros(0, dtype=numpy.int32),
        labels=numpy.concatenate(labels) if labels else numpy.zeros(0, dtype=numpy.int64),
    )


def _align(
    example: Example, label_numbers: Mapping[int, int]
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64]]:
    """For each token of the predicted Doc: its gold sentence, its gold head (a token of the Doc,
    itself for a root) and its label, -1 where unknown."""
    doc, gold = example.predicted, example.reference
    values = gold.to_array([HEAD, DEP, SENT_START])
    to_gold, from_gold = _one_to_one(example)
    offsets, deps = values[:, 0].astype(numpy.int64), values[:, 1]
    has_head = (offsets != 0) | (deps != 0)
    gold_heads = numpy.where(has_head, numpy.arange(len(gold)) + offsets, MISSING)
    gold_labels = numpy.full(len(gold), MISSING, dtype=numpy.int64)
    for i in numpy.flatnonzero(has_head & (deps != 0) & (offsets != 0)):
        try:
            gold_labels[i] = label_numbers[int(deps[i])]
        except KeyError:
            raise ValueError(
                f"Unknown dependency label {gold[int(i)].dep_!r} of token {gold[int(i)].text!r}: "
                "add it to the labels that the component is initialized with."
            ) from None
    aligned = to_gold >= 0
    heads = numpy.full(len(doc), MISSING, dtype=numpy.int64)
    labels = numpy.full(len(doc), MISSING, dtype=numpy.int64)
    heads[aligned] = _lookup(from_gold, gold_heads[to_gold[aligned]])
    labels[aligned] = gold_labels[to_gold[aligned]]
    starts = numpy.zeros(len(doc), dtype=bool)
    if len(gold):
        gold_numbers = numpy.cumsum(values[:, 2] == 1)
        nearest = numpy.maximum.accumulate(numpy.where(aligned, to_gold, 0))
        starts[1:] = numpy.diff(gold_numbers[nearest]) > 0
    return sentence_numbers(doc, starts), heads, labels


def _lookup(table: NDArray[numpy.int64], indices: NDArray[numpy.int64]) -> NDArray[numpy.int64]:
    return numpy.where(indices >= 0, table[indices], MISSING)


def _one_to_one(example: Example) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]:
    """The reference token of each predicted token, and the reverse; -1 unless one to one."""
    doc, gold = example.predicted, example.reference
    if len(doc) == len(gold) and (_forms(doc) == _forms(gold)).all():
        identity = numpy.arange(len(doc), dtype=numpy.int64)
        return identity, identity
    x2y, y2x = example.alignment.x2y, example.alignment.y2x
    to_gold = numpy.full(len(doc), MISSING, dtype=numpy.int64)
    from_gold = numpy.full(len(gold), MISSING, dtype=numpy.int64)
    for i in range(len(doc)):
        targets = x2y[i]
        if len(targets) == 1 and len(y2x[int(targets[0])]) == 1:
            to_gold[i] = targets[0]
            from_gold[targets[0]] = i
    return to_gold, from_gold


def _forms(doc: Doc) -> NDArray[numpy.uint64]:
    return doc.to_array(ORTH)
