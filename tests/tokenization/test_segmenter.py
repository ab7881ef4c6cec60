"""What UDPipe is given to read."""

import sys

from spacy_npparse.tokenization.segmenter import readable


def test_white_space_and_unreadable_characters_are_replaced_one_for_one():
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        if code == 0 or 0xD800 <= code < 0xE000:
            expected = "\ufffd"
        else:
            expected = " " if char.isspace() and char not in "\n\r\t" else char
        assert readable(char) == expected
