"""Silver-standard treebanks: sentences whose predicted trees are probably right.

Source: self-training, McClosky, Charniak and Johnson (2006); with the trees that several parsers
agree on, Kuncoro, Ballesteros, Kong, Dyer and Smith (2016).
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from spacy.tokens import Doc

from spacy_npparse.treebank.rows import boundaries, with_comments
from spacy_npparse.treebank.sentence import Sentence

_COMMENT = "confidence"
_BEGINNINGS = ("newdoc", "newpar")


class ConfidentSentences:
    """Chooses the sentences in which the mean probability of the heads is high.

    Their comments say how high it is, and where documents and paragraphs begin, even if their first
    sentences are left out.

    Args:
        least: The lowest mean probability that is enough.

    Attributes:
        n_left_out: Number of the other sentences so far.
    """

    def __init__(self, least: float) -> None:
        self._least = least
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
        for sentence, confidence in zip(sentences, _confidences(doc), strict=True):
            own = _beginning(sentence)
            if sentence.begins_document:
                self._beginning = {}
            if confidence < self._least:
                self.n_left_out += 1
                self._beginning |= own
                continue
            added = {**self._beginning, **own, _COMMENT: f"{confidence:.4f}"}
            self._beginning = {}
            chosen.append(with_comments(sentence, added))
        return chosen


def _beginning(sentence: Sentence) -> dict[str, str | None]:
    """The comments that begin a document or a paragraph."""
    return {
        name: value for name, value in sentence.metadata.items() if name.split()[0] in _BEGINNINGS
    }


def _confidences(doc: Doc) -> list[float]:
    """The mean probability of the heads in each sentence with words."""
    found = []
    for begin, end in boundaries(doc):
        words = [token for token in doc[begin:end] if not token.is_space]
        if words:
            probabilities = [word._.head_probability for word in words]
            if None in probabilities:
                raise ValueError(
                    "The parser did not keep its confidence. Set `confidence` of its decoder."
                )
            found.append(fmean(probabilities))
    return found
