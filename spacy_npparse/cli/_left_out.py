"""What is not written of a CoNLL-U file that is parsed, for the last line of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path

from spacy.tokens import Doc

from spacy_npparse.treebank import Kept, Sentence
from spacy_npparse.treebank.blank import left_out

# Columns that a pipeline may predict, and the attributes of Docs that they are written from.
_PREDICTED = {"LEMMA": "LEMMA", "UPOS": "POS", "XPOS": "TAG", "FEATS": "MORPH"}


class LeftOut:
    """Counts what is not written.

    Args:
        keep: What is kept of the annotation.

    Attributes:
        keep: See above.
    """

    def __init__(self, keep: Collection[Kept]) -> None:
        self.keep = keep
        self._found: Counter[str] = Counter()
        self._predicted: set[str] = set()

    def count(self, sentence: Sentence) -> None:
        """Count what a sentence has.

        Args:
            sentence: As it was read.
        """
        self._found += left_out(sentence, self.keep)

    def note_predicted(self, doc: Doc) -> None:
        """Note the columns that are written with predictions.

        Args:
            doc: As the pipeline returned it.
        """
        for column in _PREDICTED.keys() - self._predicted:
            if doc.has_annotation(_PREDICTED[column]):
                self._predicted.add(column)

    def summary(self, source: Path) -> str:
        """The line of the report.

        Args:
            source: The file that was parsed.

        Returns:
            What was left out; empty if all was written or predicted.
        """
        parts = [
            f"{what} of {n:,} lines" if what.isupper() else f"{what}: {n:,}"
            for what, n in sorted(self._found.items())
            if what not in self._predicted
        ]
        return f"{source}: not written: {', '.join(parts)}; see --keep" if parts else ""
