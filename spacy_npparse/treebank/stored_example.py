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
    """An example that makes its Docs when they are asked for.

    It keeps them from then on, so that they may be changed. `lend` makes other Docs, which the
    example does not keep.

    Args:
        length: The number of tokens of the Docs.
        predicted: A function that makes the predicted Doc.
        reference: A function that makes the reference Doc.
    """

    __slots__ = ("_length", "_predicted", "_reference")

    # None if the example has the Doc.
    _predicted: Callable[[], Doc] | None
    _reference: Callable[[], Doc] | None

    def __init__(
        self, length: int, predicted: Callable[[], Doc], reference: Callable[[], Doc]
    ) -> None:
        self._predicted = self._reference = None
        super().__init__(_NOTHING, _NOTHING)
        self._length, self._predicted, self._reference = length, predicted, reference

    def __len__(self) -> int:
        return self._length if self._predicted else super().__len__()

    def __reduce__(self) -> tuple[type[Example], tuple[Doc, Doc]]:
        """Copy and pickle it as an example that has its Docs."""
        return Example, (self.predicted, self.reference)

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
        predicted, reference = self._predicted, self._reference
        if reference is not None:
            self._reference = None
            self.reference = reference()
        if predicted is not None and name not in ("reference", "y"):
            self._predicted = None
            self.predicted = predicted()


def lend(example: Example) -> Example:
    """Make an example with Docs that are equal to those of a stored example, which does not change.

    Args:
        example: The example, which may be of any class.

    Returns:
        A new example if the Docs of the stored one have not been accessed; otherwise the same
        example.
    """
    if isinstance(example, StoredExample) and example._predicted and example._reference:
        return Example(example._predicted(), example._reference())
    return example
