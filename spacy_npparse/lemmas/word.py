"""The words that have lemmas."""

from typing import NamedTuple


class Word(NamedTuple):
    """What the lemma of a word depends on. Tags that are not known are empty.

    Attributes:
        form: Its form.
        upos: UPOS.
        xpos: XPOS.
        feats: FEATS, as CoNLL-U has them.
    """

    form: str
    upos: str = ""
    xpos: str = ""
    feats: str = ""
