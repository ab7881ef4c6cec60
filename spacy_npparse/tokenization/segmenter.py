"""Segmentation of a text into tokens by a model of UDPipe 1."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from ufal import udpipe

_UNREADABLE = re.compile("[\0\ud800-\udfff]")
_OTHER_SPACE = re.compile(r"[^\S\n\r\t]")
_OPTIONS = "ranges"


class Segmenter:
    """A loaded model.

    Args:
        model: The model in UDPipe's format.

    Raises:
        ValueError: If it is none.
    """

    def __init__(self, model: bytes) -> None:
        # UDPipe loads models from files only.
        with TemporaryDirectory() as folder:
            path = Path(folder, "model.udpipe")
            path.write_bytes(model)
            self._model = udpipe.Model.load(str(path))
        if self._model is None or self._model.newTokenizer(_OPTIONS) is None:
            raise ValueError("The model of the trained tokenizer is damaged.")

    def __call__(self, text: str) -> Iterator[tuple[int, int]]:
        """Segment a text.

        Args:
            text: Any text.

        Yields:
            Start and end (exclusive) of each token; together the tokens have all characters that
            are not white space.
        """
        reader = self._model.newTokenizer(_OPTIONS)
        reader.setText(readable(text))
        sentence = udpipe.Sentence()
        while reader.nextSentence(sentence):
            # After the root.
            for word in sentence.words[1:]:
                yield word.getTokenRangeStart(), word.getTokenRangeEnd()


def readable(text: str) -> str:
    """Replace the characters that UDPipe cannot read, or does not take for white space as Python
    does.

    Args:
        text: Any text.

    Returns:
        A text with as many characters.
    """
    return _OTHER_SPACE.sub(" ", _UNREADABLE.sub("\ufffd", text))
