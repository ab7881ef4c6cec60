"""Lemmas of words that the treebank does not have, spelled by a network."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

import numpy as np
import torch

from spacy_npparse.lemmas.edits import MOST_CHARS
from spacy_npparse.lemmas.symbols import Symbols
from spacy_npparse.lemmas.table import LemmaTable, Word
from spacy_npparse.models.speller_net import SpellerNet

# A lemma that the treebank has is preferred to others that are up to so many times as probable. On
# four treebanks, with gold tags, factors from 7 to 50 differ by 0.3 points at most.
_PREFERENCE = 20.0
# At this probability of the most probable lemma, no other one can be preferred to it.
_SURE = _PREFERENCE / (1.0 + _PREFERENCE)
# At this one, it is no better than the form.
_UNSURE = 0.05
_BEAM_WIDTH = 4
# Words that are spelled at once: about 20 MB.
_MOST_WORDS = 2048


def lemmatize(
    words: Sequence[Word], table: LemmaTable, symbols: Symbols, net: SpellerNet
) -> list[str]:
    """Lemmatize words.

    Args:
        words: The words.
        table: What the treebank says.
        symbols: Of the network.
        net: Spells the lemmas of the words that the table does not have.

    Returns:
        The lemma of each word: of a word that cannot be spelled, its form.
    """
    lemmas = [table.look_up(word) or "" for word in words]
    unknown = [
        i
        for i, word in enumerate(words)
        if not lemmas[i] and len(word.form) <= MOST_CHARS and symbols.knows(word.form)
    ]
    for start in range(0, len(unknown), _MOST_WORDS):
        part = unknown[start : start + _MOST_WORDS]
        spelled = _spell([words[i] for i in part], table, symbols, net)
        for i, lemma in zip(part, spelled, strict=True):
            lemmas[i] = lemma
    return [lemma or word.form for word, lemma in zip(words, lemmas, strict=True)]


def _spell(
    words: Sequence[Word], table: LemmaTable, symbols: Symbols, net: SpellerNet
) -> list[str]:
    """Spell the lemmas of at least one word; empty where the network is unsure."""
    net.eval()
    batch = symbols.batch(words)
    with torch.no_grad():
        hidden = net.encode(batch)
        edits, scores = (found.tolist() for found in net.best(hidden, batch.lengths))
    lemmas = []
    least = log(_SURE)
    is_doubtful = np.zeros(len(words), dtype=bool)
    for i, (word, start) in enumerate(zip(words, batch.starts.tolist(), strict=True)):
        lemma = symbols.spell(word.form, edits[start : start + len(word.form) + 1])
        lemmas.append(lemma)
        is_doubtful[i] = scores[i] < least and not table.has_lemma(lemma, word.upos)
    doubtful = np.flatnonzero(is_doubtful)
    if not len(doubtful):
        return lemmas
    cells = torch.from_numpy(np.repeat(is_doubtful, batch.lengths)).to(hidden.device)
    with torch.no_grad():
        beams, beam_scores = net.k_best(hidden[cells], batch.lengths[doubtful], _BEAM_WIDTH)
    candidates = zip(beams.tolist(), beam_scores.tolist(), strict=True)
    for i, (several, their_scores) in zip(doubtful.tolist(), candidates, strict=True):
        lemmas[i] = _choose(words[i], several, their_scores, table, symbols)
    return lemmas


def _choose(
    word: Word, edits: list[list[int]], scores: list[float], table: LemmaTable, symbols: Symbols
) -> str:
    """The best of the lemmas that edits spell, given the logarithms of their probabilities; empty
    if it is too improbable."""
    found: dict[str, float] = {}
    for one, score in zip(edits, scores, strict=True):
        lemma = symbols.spell(word.form, one[: len(word.form) + 1])
        found[lemma] = found.get(lemma, 0.0) + exp(score)
    rated = {
        lemma: probability * (_PREFERENCE if table.has_lemma(lemma, word.upos) else 1.0)
        for lemma, probability in found.items()
    }
    best = max(rated, key=rated.__getitem__)
    return best if rated[best] > _UNSURE else ""
