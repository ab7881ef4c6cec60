"""Words and their tags."""

from typing import NamedTuple


class Word(NamedTuple):
    """The form and the tags of a word, on which its lemma depends. Unknown tags are empty.

    Attributes:
        form: The form of the word.
        upos: The universal tag (UPOS).
        xpos: The language-specific tag (XPOS).
        feats: The morphological features (FEATS), as in CoNLL-U.
    """

    form: str
    upos: str = ""
    xpos: str = ""
    feats: str = ""
