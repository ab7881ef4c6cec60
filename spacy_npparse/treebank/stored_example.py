"""Examples that need memory while they are used only.

`spacy train` keeps all examples of a corpus in a list. With their Docs, they would take some 700
bytes a word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

# In place of a Doc that is not there.
_NOTHING = Doc(Vocab())


class StoredExample(Example):
    """An example that gives its Docs up as long as nobody has asked for them.

    It has its reference when it is made, since compiled code of spaCy looks for annotation there
    past all attributes. `release` gives it up. Whoever asks for a Doc gets one that the example
    keeps from then on, so that it may be changed; `lend` makes others, which it does not keep.

    Args:
        predicted: Makes its predicted Doc.
        reference: Makes its reference Doc, of as many tokens.
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
        """Have the Docs that an attribute needs, and do not give them up any more."""
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
        """Give the reference up, unless somebody has asked for it.

        Args:
            example: The example.
        """
        predicted, example._predicted = example._predicted, None
        if not example._is_asked:
            example.reference = _NOTHING
            example._has_reference = False
        example._predicted = predicted


def lend(example: Example) -> Example:
    """Make an example with Docs that are as good as those of a stored one, which stays as it is.

    Args:
        example: Any example.

    Returns:
        Another one if it is a stored one that nobody has asked for its Docs; else itself.
    """
    if isinstance(example, StoredExample) and example._predicted and not example._is_asked:
        return Example(example._predicted(), example._reference())
    return example
