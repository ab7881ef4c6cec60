"""Silver-standard treebanks: sentences whose predicted trees are probably right.

Source: self-training, McClosky, Charniak and Johnson (2006); with the trees that several parsers
agree on, Kuncoro, Ballesteros, Kong, Dyer and Smith (2016).
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
from spacy_npparse.treebank.rows import boundaries, make_sentence, with_comments, with_misc
from spacy_npparse.treebank.sentence import EMPTY, Sentence

_COMMENT = "confidence"
_BEGINNINGS = ("newdoc", "newpar")
# A word whose head is as probable has no distribution.
_CERTAIN = 0.99


class ConfidentSentences:
    """Chooses the sentences in which the mean probability of the heads is high.

    Their comments say how high it is, and where documents and paragraphs begin, even if their first
    sentences are left out.

    Args:
        least: The lowest mean probability that is enough.
        lemmas: Whether sentences have lemmas. Those of a lemmatizer teach another one nothing, and
            would outnumber those of the treebank.
        distributions: Whether MISC says how probable each head is, where there are doubts
            (HeadDistribution): for the votes of an ensemble, which a single parser is to learn.

    Attributes:
        n_left_out: Number of the other sentences so far.
    """

    def __init__(self, least: float, *, lemmas: bool = False, distributions: bool = False) -> None:
        self._least = least
        self._lemmas = lemmas
        self._distributions = distributions
        self._beginning: dict[str, str | None] = {}
        self.n_left_out = 0

    def __call__(self, doc: Doc, sentences: Sequence[Sentence]) -> list[Sentence]:
        """Choose among the sentences of a Doc.

        Args:
            doc: From a parser that keeps its confidence.
            sentences: What `sentences_from_doc` returns for it.

        Returns:
            The sentences chosen.

        Raises:
            ValueError: If there are no probabilities.
        """
        chosen = []
        for sentence, words in zip(sentences, _words(doc), strict=True):
            confidence = _confidence(words)
            own = _beginning(sentence)
            if sentence.begins_document:
                self._beginning = {}
            if confidence < self._least:
                self.n_left_out += 1
                self._beginning |= own
                continue
            added = {**self._beginning, **own, _COMMENT: f"{confidence:.4f}"}
            self._beginning = {}
            if self._distributions:
                sentence = _with_distributions(sentence, words)
            if not self._lemmas:
                sentence = _without_lemmas(sentence)
            chosen.append(with_comments(sentence, added))
        return chosen


def _beginning(sentence: Sentence) -> dict[str, str | None]:
    """The comments that begin a document or a paragraph."""
    return {
        name: value for name, value in sentence.metadata.items() if name.split()[0] in _BEGINNINGS
    }


def _words(doc: Doc) -> list[list[Token]]:
    """The words of each sentence with words."""
    sentences = (doc[begin:end] for begin, end in boundaries(doc))
    found = [[token for token in sentence if not token.is_space] for sentence in sentences]
    return [words for words in found if words]


def _confidence(words: Sequence[Token]) -> float:
    """The mean probability of the heads."""
    probabilities = [word._.head_probability for word in words]
    if None in probabilities:
        raise ValueError("The parser did not keep its confidence. Set `confidence` of its decoder.")
    return fmean(probabilities)


def _without_lemmas(sentence: Sentence) -> Sentence:
    rows = [row._replace(lemma=EMPTY) for row in sentence.rows]
    return make_sentence(rows, sentence.metadata, sentence.comments)


def _with_distributions(sentence: Sentence, words: Sequence[Token]) -> Sentence:
    """A sentence with HeadDistribution in MISC, except where the parser has no doubts, or where a
    component has put a probable head into another sentence since."""
    numbers = {word.i: number for number, word in enumerate(words, 1)}
    rows, unread = [], iter(words)
    for row in sentence.rows:
        if row.id.isdecimal():
            word = next(unread)
            found = token_distribution(word) or {}
            if found and max(found.values()) < _CERTAIN and found.keys() <= numbers.keys():
                by_number = {0 if i == word.i else numbers[i]: p for i, p in found.items()}
                row = with_misc(row, {HEAD_DISTRIBUTION: spell_distribution(by_number)})
        rows.append(row)
    return make_sentence(rows, sentence.metadata, sentence.comments)
