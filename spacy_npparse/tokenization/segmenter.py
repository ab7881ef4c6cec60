"""Segmentation of a text into tokens by a model of UDPipe 1."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from ufal import udpipe

_UNREADABLE = re.compile("[\0\ud800-\udfff]")
_OTHER_SPACE = re.compile(r"[^\S\n\r\t]")
_OPTIONS = "ranges"
# At each token UDPipe reads on as long as an address might go on, of the web or of e-mail: in a
# text of full stops, from each of them up to the end. Longer runs are cut; few addresses are.
_LONGEST_RUN = 500
_OF_ADDRESSES = r"A-Za-z0-9$_.+!*'(),%;/?:@&=\-"
_LONG_RUN = re.compile(rf"(?<![{_OF_ADDRESSES}])[{_OF_ADDRESSES}]{{{_LONGEST_RUN + 1},}}")


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
        sentence = udpipe.Sentence()
        for begin, end in pairwise([0, *cuts(text), len(text)]):
            # Another text of the same reader would go on counting characters.
            reader = self._model.newTokenizer(_OPTIONS)
            reader.setText(readable(text[begin:end]))
            while reader.nextSentence(sentence):
                # After the root.
                for word in sentence.words[1:]:
                    yield begin + word.getTokenRangeStart(), begin + word.getTokenRangeEnd()


def cuts(text: str) -> Iterator[int]:
    """Find the places where a text is cut before UDPipe gets it, so that its time is linear in the
    length of any text.

    Args:
        text: Any text.

    Yields:
        The places, in order; none in most texts.
    """
    for run in _LONG_RUN.finditer(text):
        yield from range(run.start() + _LONGEST_RUN, run.end(), _LONGEST_RUN)


def readable(text: str) -> str:
    """Replace the characters that UDPipe cannot read, or does not take for white space as Python
    does.

    Args:
        text: Any text.

    Returns:
        A text with as many characters.
    """
    return _OTHER_SPACE.sub(" ", _UNREADABLE.sub("\ufffd", text))
