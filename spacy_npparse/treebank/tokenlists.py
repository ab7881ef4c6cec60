"""Conversion of sentences from and to `TokenList`s of the `conllu` library."""

from __future__ import annotations

from typing import Any

from conllu import Metadata, Token, TokenList
from conllu.exceptions import ParseException
from conllu.parser import DEFAULT_FIELD_PARSERS
from conllu.serializer import serialize_field

from spacy_npparse.treebank.parsing import parse_sentence
from spacy_npparse.treebank.sentence import ConlluError, Row, Sentence

# Other names of these columns in conllu.
_ALIASES = {"upostag": "upos", "xpostag": "xpos"}


def sentence_from_tokenlist(tokens: TokenList, name: str = "TokenList") -> Sentence:
    """Validate a `TokenList`, and convert it to a sentence.

    Args:
        tokens: A list from `conllu.parse` or built by hand. A missing field is written as `_`.
        name: The name of the list in error messages.

    Raises:
        ConlluError: The list is not a CoNLL-U sentence. The message names the line of its CoNLL-U.
        TypeError: The argument is not a `TokenList`.
    """
    if not isinstance(tokens, TokenList):
        raise TypeError(
            f"{name} is a {type(tokens).__name__}: give a path, or several conllu.TokenList."
        )
    if not tokens:
        raise ConlluError(name, 1, "sentence without words", "Remove it")
    rows = []
    for number, token in enumerate(tokens, len(tokens.metadata) + 1):
        unknown = {_ALIASES.get(field, field) for field in token} - set(Row._fields)
        if unknown:
            raise ConlluError(
                name, number, f"unknown fields {sorted(unknown)}", "Remove them from the tokens"
            )
        rows.append(Token((field, token.get(field)) for field in Row._fields))
    text = TokenList(rows, tokens.metadata).serialize().removesuffix("\n\n")
    return parse_sentence(text.split("\n"), path=name)


def tokenlist_from_sentence(sentence: Sentence) -> TokenList:
    """Convert a sentence to a `TokenList`, as `conllu.parse` would.

    A column that `conllu` would not write back unchanged remains a string. Spaces around `#` and
    `=` in comments are lost, and so are all comments with the same key except the last one.
    """
    tokens = [
        Token((field, _value(field, column)) for field, column in row._asdict().items())
        for row in sentence.rows
    ]
    return TokenList(tokens, Metadata(sentence.metadata), default_fields=Row._fields)


def _value(field: str, column: str) -> Any:
    parser = DEFAULT_FIELD_PARSERS.get(field)
    if parser is None:
        return column
    try:
        value = parser([column], 0)
    except (ParseException, ValueError):  # the latter for numbers of thousands of digits
        return column
    return value if serialize_field(value) == column else column
