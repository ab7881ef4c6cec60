"""Silver-standard treebanks: sentences whose predicted trees are probably right.

Source: McClosky, Charniak and Johnson (2006) for self-training; Kuncoro, Ballesteros, Kong, Dyer
and Smith (2016) for trees that several parsers agree on.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from spacy.tokens import Doc, Token

from spacy_npparse.treebank.head_distributions import (
    HEAD_DISTRIBUTION,
    spell_distribution,
    token_distribution,
)
from spacy_npparse.treebank.rows import (
    boundaries,
    make_sentence,
    with_comments,
    with_misc,
    without_misc,
)
from spacy_npparse.treebank.sentence import EMPTY, Sentence

_COMMENT = "confidence"
# The probability from which a head counts as certain, so that no distribution is written.
_CERTAIN = 0.99


class ConfidentSentences:
    """A selection of sentences in which the mean probability of the heads is high.

    The comments of selected sentences contain this mean, and the beginnings of documents and
    paragraphs, even if their first sentences are not selected.

    Args:
        least: The lowest mean probability for which a sentence is selected.
        lemmas: Whether sentences have lemmas. Another lemmatizer learns nothing from predicted
            lemmas, and they would outnumber those of the treebank.
        distributions: Whether MISC contains the probabilities of uncertain heads
            (HeadDistribution). They are meant for the votes of an ensemble, which a single parser
            learns.

    Attributes:
        n_left_out: The number of sentences that were not selected so far.
    """

    def __init__(self, least: float, *, lemmas: bool = False, distributions: bool = False) -> None:
        self._least = least
        self._lemmas = lemmas
        self._distributions = distributions
        self._beginning: dict[str, str | None] = {}
        self.n_left_out = 0

    def __call__(self, doc: Doc, sentences: Sequence[Sentence]) -> list[Sentence]:
        """Select sentences of a Doc.

        Args:
            doc: A Doc from a parser that keeps its confidence.
            sentences: The sentences that `sentences_from_doc` returned for the Doc.

        Returns:
            The selected sentences.

        Raises:
            ValueError: The Doc has no probabilities.
        """
        chosen = []
        for sentence, words in zip(sentences, _words(doc), strict=True):
            confidence = _confidence(words)
            own = sentence.opening
            if sentence.begins_document:
                self._beginning = {}
            if confidence < self._least:
                self.n_left_out += 1
                self._beginning |= own
                continue
            added = {**self._beginning, **own, _COMMENT: f"{confidence:.4f}"}
            self._beginning = {}
            sentence = _with_distributions(sentence, words if self._distributions else [])
            if not self._lemmas:
                sentence = _without_lemmas(sentence)
            chosen.append(with_comments(sentence, added))
        return chosen


def _words(doc: Doc) -> list[list[Token]]:
    """Find the words of each sentence that has words."""
    sentences = (doc[begin:end] for begin, end in boundaries(doc))
    found = [[token for token in sentence if not token.is_space] for sentence in sentences]
    return [words for words in found if words]


def _confidence(words: Sequence[Token]) -> float:
    """Compute the mean probability of the heads."""
    probabilities = [word._.head_probability for word in words]
    if None in probabilities:
        raise ValueError(
            "The parser did not compute probabilities. Set `confidence = true` in its decoder."
        )
    return fmean(probabilities)


def _without_lemmas(sentence: Sentence) -> Sentence:
    rows = [row._replace(lemma=EMPTY) for row in sentence.rows]
    return make_sentence(rows, sentence.metadata, sentence.comments)


def _with_distributions(sentence: Sentence, words: Sequence[Token]) -> Sentence:
    """Add HeadDistribution to MISC, except where the parser is certain, or where a component has
    since put a probable head into another sentence. Earlier ones are removed. A sentence with a
    multiword token that is a single token of the Doc gets none, because heads of its words are not
    known. words: the words of the sentence; empty if no distribution is to be added."""
    is_known = sentence.n_words == len(words)
    numbers = {word.i: number for number, word in enumerate(words, 1)}
    rows, unread = [], iter(words)
    for row in sentence.rows:
        row = without_misc(row, (HEAD_DISTRIBUTION,))
        if is_known and row.id.isdecimal():
            word = next(unread)
            found = token_distribution(word) or {}
            if found and max(found.values()) < _CERTAIN and found.keys() <= numbers.keys():
                by_number = {0 if i == word.i else numbers[i]: p for i, p in found.items()}
                row = with_misc(row, {HEAD_DISTRIBUTION: spell_distribution(by_number)})
        rows.append(row)
    return make_sentence(rows, sentence.metadata, sentence.comments)
