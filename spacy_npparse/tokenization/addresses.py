"""Web and e-mail addresses, each of which is one token.

An address is the longest string that matches UDPipe 1's grammar of addresses. Protocol, user and
password may precede the host, which is a name or four numbers. A port and a path may follow. A path
may contain letters of any script. It does not end in punctuation, or in a closing parenthesis
without an opening one.
"""

from __future__ import annotations

import re
from string import ascii_letters, digits
from unicodedata import category

_ALPHANUMERIC = "A-Za-z0-9"
_IN_NAMES = "$_.+!*'(),%-"
_IN_PATHS = frozenset(_IN_NAMES + ";/?:@&=")
# An address is read as long as it may continue. In a text of full stops, this would be from each of
# them up to the end. Therefore longer strings are cut, which affects few addresses.
LONGEST_ADDRESS = 500
ADDRESS_CHARACTERS = _IN_PATHS | {*ascii_letters, *digits}
_NOT_AT_END = frozenset(".!',;?:")

_NAME = rf"[{_ALPHANUMERIC}{re.escape(_IN_NAMES)}]+"
_LABEL = rf"[{_ALPHANUMERIC}](?:[{_ALPHANUMERIC}-]*[{_ALPHANUMERIC}])?"
_NUMBER = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])"
_UP_TO_PORT = re.compile(
    r"(?:[A-Za-z]{3,}://)?"
    rf"(?:{_NAME}(?::{_NAME})?@)?"
    rf"(?:(?:{_LABEL}\.)+[A-Za-z]{{2,}}|{_NUMBER}(?:\.{_NUMBER}){{3}})"
    r"(?::[0-9]*)?"
)


def address_end(text: str, start: int, end: int) -> int:
    """Find the address that begins at a place in a text.

    Args:
        text: The text.
        start: The place where the address may begin.
        end: The place where the address must end at the latest.

    Returns:
        The end of the longest address, exclusive; `start` if there is none.
    """
    match = _UP_TO_PORT.match(text, start, end)
    if match is None:
        return start
    place = match.end()
    return _path_end(text, place, end) if text.startswith("/", place, end) else place


def _path_end(text: str, slash: int, end: int) -> int:
    longest = slash + 1
    n_open = 0
    for place in range(slash + 1, end):
        char = text[place]
        if not (char in _IN_PATHS or category(char)[0] in "LMN"):
            break
        if char == "(":
            n_open += 1
        is_closing = char == ")"
        if char not in _NOT_AT_END and (n_open or not is_closing):
            longest = place + 1
        if is_closing and n_open:
            n_open -= 1
    return longest
