"""The annotation of a CoNLL-U file that `parse` does not write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path

from spacy.tokens import Doc

from spacy_npparse.treebank import Kept, Sentence
from spacy_npparse.treebank.blank import left_out

# Columns that a pipeline may predict, and the attributes of Docs that contain them.
_PREDICTED = {"LEMMA": "LEMMA", "UPOS": "POS", "XPOS": "TAG", "FEATS": "MORPH"}


class LeftOut:
    """A counter of the annotation that is not written.

    Args:
        keep: The annotation that is copied from the input.

    Attributes:
        keep: The annotation that is copied from the input.
    """

    def __init__(self, keep: Collection[Kept]) -> None:
        self.keep = keep
        self._found: Counter[str] = Counter()
        self._predicted: set[str] = set()

    def count(self, sentence: Sentence) -> None:
        """Count the annotation of a sentence that is not copied.

        Args:
            sentence: The sentence of the input.
        """
        self._found += left_out(sentence, self.keep)

    def note_predicted(self, doc: Doc) -> None:
        """Note the columns that the pipeline predicts.

        Args:
            doc: A Doc that the pipeline returned.
        """
        for column in _PREDICTED.keys() - self._predicted:
            if doc.has_annotation(_PREDICTED[column]):
                self._predicted.add(column)

    def summary(self, source: Path) -> str:
        """Summarise the annotation that is neither copied nor predicted.

        Args:
            source: The file that was parsed.

        Returns:
            A line of text, empty if there is no such annotation.
        """
        parts = [
            f"{what} of {n:,} lines" if what.isupper() else f"{what}: {n:,}"
            for what, n in sorted(self._found.items())
            if what not in self._predicted
        ]
        return f"{source}: not written: {', '.join(parts)}; see --keep" if parts else ""
