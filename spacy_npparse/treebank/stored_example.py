"""Examples that take memory only while they are used.

`spacy train` keeps all examples of a corpus in a list. With their Docs, they would take about 700
bytes for each word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

# Stands for a Doc that does not exist.
_NOTHING = Doc(Vocab())


class StoredExample(Example):
    """An example that makes its Docs when they are needed.

    A new example has its reference Doc, because compiled code of spaCy reads annotation there
    without using attributes. `release` removes the Doc again. If a Doc is accessed, the example
    keeps it from then on, so that it may be changed. `lend` makes other Docs, which the example
    does not keep.

    Args:
        predicted: A function that makes the predicted Doc.
        reference: A function that makes the reference Doc, with the same number of tokens.
    """

    __slots__ = ("_has_reference", "_is_asked", "_length", "_predicted", "_reference")

    # None once both Docs are kept.
    _predicted: Callable[[], Doc] | None

    def __init__(self, predicted: Callable[[], Doc], reference: Callable[[], Doc]):
        doc = reference()
        self._predicted = None
        super().__init__(_NOTHING, doc)
        self._length = len(doc)
        self._has_reference, self._is_asked = True, False
        self._predicted, self._reference = predicted, reference

    def __len__(self) -> int:
        return self._length if self._predicted else super().__len__()

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("_"):
            self._keep(name)
        return super().__getattribute__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_"):
            self._keep(name)
        super().__setattr__(name, value)

    def _keep(self, name: str) -> None:
        """Make the Docs that an attribute needs, and keep them from then on."""
        predicted = self._predicted
        if predicted is None:
            return
        self._predicted = None
        if not self._has_reference:
            self.reference = self._reference()
        self._has_reference = self._is_asked = True
        if name in ("reference", "y"):
            self._predicted = predicted
        else:
            self.predicted = predicted()

    @staticmethod
    def release(example: StoredExample) -> None:
        """Remove the reference Doc, unless it has been accessed.

        Args:
            example: The example.
        """
        predicted, example._predicted = example._predicted, None
        if not example._is_asked:
            example.reference = _NOTHING
            example._has_reference = False
        example._predicted = predicted


def lend(example: Example) -> Example:
    """Make an example with Docs that are equal to those of a stored example, which does not change.

    Args:
        example: The example, which may be of any class.

    Returns:
        A new example if the Docs of the stored one have not been accessed; otherwise the same
        example.
    """
    if isinstance(example, StoredExample) and example._predicted and not example._is_asked:
        return Example(example._predicted(), example._reference())
    return example
