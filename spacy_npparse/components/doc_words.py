"""Words of Docs as the lemmatizer reads them: forms and tags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import LEMMA, MORPH, ORTH, POS, TAG
from spacy.strings import StringStore
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import minibatch

from spacy_npparse.lemmas import Word
from spacy_npparse.models.forms import forms_as_read, sequence_begins
from spacy_npparse.word_forms import copy_multiword_tokens, has_multiword_tokens

# The number of Docs whose words are counted at once.
_BATCH = 256
# Odd factors that spread small numbers over all bits.
_SPREAD = np.array(
    [
        0x9E3779B97F4A7C15,
        0xC2B2AE3D27D4EB4F,
        0x165667B19E3779F9,
        0x27D4EB2F165667C5,
        0x85EBCA77C2B2AE63,
    ],
    dtype=np.uint64,
)


def word_rows(docs: Sequence[Doc]) -> NDArray[np.uint64]:
    """Read the words of Docs.

    Args:
        docs: The Docs, at least one of them with words.

    Returns:
        uint64 [n_words, 4]: the hashes of the form as networks read it, of UPOS, XPOS and FEATS, 0
        where a word has none. The string store of the first Doc contains them.
    """
    tags = np.concatenate([doc.to_array([POS, TAG, MORPH]) for doc in docs])
    _share_strings(docs, [TAG, MORPH])
    forms, number = forms_as_read(docs, sequence_begins(docs, cut=True))
    return np.column_stack([forms[number], tags.astype(np.uint64)])


def row_keys(rows: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hash the rows of words.

    Args:
        rows: The rows that `word_rows` returns, optionally with a column of lemmas.

    Returns:
        uint64 [n_words]: the same hash for the same row.
    """
    keys: NDArray[np.uint64] = (rows * _SPREAD[: rows.shape[1]]).sum(axis=1, dtype=np.uint64)
    return keys


def row_words(rows: Iterable[Sequence[int]], strings: StringStore) -> list[Word]:
    """Look up the strings of words.

    Args:
        rows: The hashes of words, as `word_rows` returns them.
        strings: The string store that contains the hashes.

    Returns:
        The words.
    """
    # Many words share the same tags.
    known: dict[tuple[int, int, int], tuple[str, str, str]] = {}
    words = []
    for form, upos, xpos, feats in rows:
        key = upos, xpos, feats
        tags = known.get(key)
        if tags is None:
            # "_" means that a word is known to have no features.
            spelled = _string(feats, strings) if feats else ""
            tags = known[key] = (
                strings[upos] if upos else "",
                _string(xpos, strings) if xpos else "",
                "" if spelled == "_" else spelled,
            )
        words.append(Word(strings[form], *tags))
    return words


def lemmatized_words(examples: Iterable[Example]) -> Counter[tuple[Word, str]]:
    """Count the words of gold Docs that have lemmas.

    Args:
        examples: The examples with the gold Docs.

    Returns:
        The number of times that each word has each lemma.
    """
    parts = []
    strings = None
    # Most words occur several times, and looking up strings takes longer than counting.
    for batch in minibatch(map(_gold_doc, examples), _BATCH):
        if not any(map(len, batch)):
            continue
        _share_strings(batch, [LEMMA])
        lemmas = np.concatenate([doc.to_array(LEMMA) for doc in batch]).astype(np.uint64)
        rows = np.column_stack([word_rows(batch), lemmas])[lemmas != 0]
        parts.append(_counted(rows, np.ones(len(rows), dtype=np.int64)))
        own = batch[0].vocab.strings
        if strings is None:
            strings = own
        elif strings is not own:
            _copy_strings(rows, own, strings)
    if strings is None:
        return Counter()
    rows, counts = _counted(*map(np.concatenate, zip(*parts, strict=True)))
    words = row_words(rows[:, :-1].tolist(), strings)
    spelled = [strings[lemma] for lemma in rows[:, -1].tolist()]
    return Counter(dict(zip(zip(words, spelled, strict=True), counts.tolist(), strict=True)))


def _gold_doc(example: Example) -> Doc:
    """Find the gold Doc. If it lacks the multiword tokens of the predicted Doc, because it is from
    `Example.from_dict`, it gets them."""
    gold = example.reference
    # A corpus makes the predicted Doc only if it is needed.
    if not has_multiword_tokens(gold) and has_multiword_tokens(predicted := example.predicted):
        if np.array_equal(predicted.to_array(ORTH), gold.to_array(ORTH)):
            copy_multiword_tokens(predicted, gold)
    return gold


def _share_strings(docs: Sequence[Doc], attributes: list[int | str]) -> None:
    """Add the strings of attributes of Docs to the string store of the first Doc."""
    strings = docs[0].vocab.strings
    for doc in docs:
        if doc.vocab.strings is not strings:
            _copy_strings(doc.to_array(attributes), doc.vocab.strings, strings)


def _copy_strings(hashes: NDArray[np.number], source: StringStore, target: StringStore) -> None:
    """Copy strings from one store to another."""
    for number in np.unique(hashes).tolist():
        target.add(_string(number, source))


def _string(number: int, strings: StringStore) -> str:
    """Look up a tag or a lemma. A tagger stores only its hash in the Doc."""
    try:
        return strings[number]
    except KeyError:
        raise ValueError(
            "The vocabulary of a Doc does not contain one of its tags or lemmas. Make Docs with "
            "nlp.make_doc or with nlp.vocab, and load the pipeline with its vocabulary."
        ) from None


def _counted(
    rows: NDArray[np.uint64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Add up the counts of equal rows. Returns the different rows, the first ones first."""
    _, first, place = np.unique(row_keys(rows), return_index=True, return_inverse=True)
    totals = np.bincount(place.reshape(-1), counts, len(first)).astype(np.int64)
    order = np.argsort(first)
    return rows[first[order]], totals[order]
