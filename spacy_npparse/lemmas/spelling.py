"""Lemmatization of words by the table of a treebank and by a network."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from spacy_npparse.lemmas.edits import MOST_CHARS
from spacy_npparse.lemmas.symbols import Symbols
from spacy_npparse.lemmas.table import LemmaTable
from spacy_npparse.lemmas.word import Word
from spacy_npparse.models.speller_net import SpellerNet

# The number of words that are spelled at once, which take about 20 MB.
_MOST_WORDS = 2048


def lemmatize(
    words: Sequence[Word], table: LemmaTable, symbols: Symbols, net: SpellerNet
) -> list[str]:
    """Lemmatize words.

    Args:
        words: The words.
        table: The lemmas of the treebank.
        symbols: The symbols of the network.
        net: The network that spells lemmas that the table does not contain.

    Returns:
        The lemma of each word. That of a word that cannot be spelled is its form.
    """
    lemmas = list(map(table.find, words))
    unknown = np.array([i for i, lemma in enumerate(lemmas) if not lemma], dtype=np.int64)
    if len(unknown):
        unknown = unknown[_spellable([words[i].form for i in unknown.tolist()], symbols)]
    for start in range(0, len(unknown), _MOST_WORDS):
        part = unknown[start : start + _MOST_WORDS].tolist()
        spelled = _spell([words[i] for i in part], symbols, net)
        for i, lemma in zip(part, spelled, strict=True):
            # Fields of CoNLL-U have no leading, trailing or repeated spaces.
            lemmas[i] = " ".join(filter(None, lemma.split(" ")))
    return [lemma or word.form for word, lemma in zip(words, lemmas, strict=True)]


def _spellable(forms: Sequence[str], symbols: Symbols) -> NDArray[np.int64]:
    """Find the forms that can be spelled, the shortest first, so that forms of similar length need
    little padding."""
    lengths = np.array(list(map(len, forms)))
    order = np.argsort(lengths, kind="stable")
    return order[(symbols.knows(forms) & (lengths <= MOST_CHARS))[order]]


def _spell(words: Sequence[Word], symbols: Symbols, net: SpellerNet) -> list[str]:
    """Spell the lemmas of words, at least one."""
    batch = symbols.batch(words)
    with torch.no_grad():
        edits = net.best(net.encode(batch), batch.lengths)
    return symbols.spell([word.form for word in words], edits.numpy(force=True))
