"""Constraints on the trees of a Doc, in the form in which users give them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from numbers import Integral
from typing import Any, Literal

from spacy.tokens import Doc

from spacy_npparse.errors import UserError
from spacy_npparse.treebank.sentence import shortened

CONSTRAINTS_KEY = "dependency_constraints"

Kind = Literal["heads", "forbidden_heads", "labels", "forbidden_labels", "subtrees"]
_WITH_LABELS = ("labels", "forbidden_labels")
# The key of the checksum of the Doc's tokens, which other programs may leave out.
_TOKENS = "tokens"


class ConstraintError(UserError, ValueError):
    """An error in constraints, which are malformed or not met by any tree. The message names the
    tokens and the remedy."""


@dataclass(frozen=True)
class Constraint:
    """A single constraint on the tree of a Doc.

    Attributes:
        kind: The name of a field of `DependencyConstraints`.
        token: The token that it applies to; for a subtree, the first token.
        heads: The allowed or forbidden heads of the token, with the token itself for the root; for
            a subtree, its first token and its end.
        labels: The allowed or forbidden labels of the token.
    """

    kind: Kind
    token: int
    heads: frozenset[int] = frozenset()
    labels: frozenset[str] = frozenset()


@dataclass(frozen=True)
class DependencyConstraints:
    """Constraints on the tree of a Doc, which all parsers of this package obey.

    Tokens are given by their indices in the Doc. As in spaCy, the head of a root is the token
    itself, and its label is "ROOT" (or "root"). If constraints leave a single head for a token, it
    gets that head.

    Attributes:
        heads: The heads that are allowed for a token, from which the parser chooses one.
        forbidden_heads: The heads that are forbidden for a token.
        labels: The labels that are allowed for the arc to a token.
        forbidden_labels: The labels that are forbidden for the arc to a token.
        subtrees: Spans that are subtrees: they consist of a word and all its descendants. A span is
            [start, end], with an exclusive end as in `doc[start:end]`.

    Examples:
        >>> import spacy
        >>> doc = spacy.blank("de").make_doc("Peter sieht Maria .")
        >>> constraints = DependencyConstraints(heads={0: [1]}, labels={2: ["obj", "iobj"]})
        >>> _ = constraints.attach(doc)
        >>> doc.user_data["dependency_constraints"]
        {'tokens': 2393345663, 'heads': {0: [1]}, 'labels': {2: ['obj', 'iobj']}}
    """

    heads: Mapping[int, Sequence[int]] = field(default_factory=dict)
    forbidden_heads: Mapping[int, Sequence[int]] = field(default_factory=dict)
    labels: Mapping[int, Sequence[str]] = field(default_factory=dict)
    forbidden_labels: Mapping[int, Sequence[str]] = field(default_factory=dict)
    subtrees: Sequence[Sequence[int]] = ()

    def attach(self, doc: Doc) -> Doc:
        """Write the constraints to a Doc, and replace those that it has.

        They are saved in the `user_data` of the Doc with a checksum of its tokens, and are valid
        only for these tokens.

        Args:
            doc: The Doc, before it is parsed.

        Returns:
            The same Doc.

        Raises:
            ConstraintError: The constraints do not fit the Doc, see `of`.
        """
        check_constraints(doc, dict(self._by_kind()))
        written: dict[str, Any] = {_TOKENS: _checksum(doc)}
        for kind, values in self._by_kind():
            if isinstance(values, Mapping):
                written[kind] = {token: list(options) for token, options in values.items()}
            else:
                written[kind] = [list(span) for span in values]
        doc.user_data[CONSTRAINTS_KEY] = written
        return doc

    @classmethod
    def of(cls, doc: Doc) -> DependencyConstraints:
        """Read the constraints of a Doc.

        Args:
            doc: The Doc.

        Returns:
            The constraints in `doc.user_data["dependency_constraints"]`; empty if it has no such
            key.

        Raises:
            ConstraintError: A kind of constraint is unknown, something has the wrong type, the Doc
                has no such token or span, one is white space, or the constraints were attached to
                other tokens.
        """
        given = doc.user_data.get(CONSTRAINTS_KEY, {})
        check_constraints(doc, given)
        return cls(**{kind: values for kind, values in given.items() if kind != _TOKENS})

    def __iter__(self) -> Iterator[Constraint]:
        """Iterate over the single constraints."""
        for kind, values in self._by_kind():
            if not isinstance(values, Mapping):
                for start, end in values:
                    yield Constraint(kind, start, heads=frozenset((start, end)))
                continue
            for token, options in values.items():
                if kind in _WITH_LABELS:
                    yield Constraint(kind, token, labels=frozenset(options))
                else:
                    yield Constraint(kind, token, heads=frozenset(options))

    def _by_kind(self) -> Iterator[tuple[Kind, Any]]:
        """Iterate over the kinds of constraints that are not empty."""
        for one in fields(self):
            values = getattr(self, one.name)
            if values:
                yield one.name, values  # type: ignore[misc]


def check_constraints(doc: Doc, given: Any) -> None:
    """Check the form of the constraints of a Doc.

    Args:
        doc: The Doc.
        given: The value in the Doc's `user_data`.

    Raises:
        ConstraintError: The constraints are malformed, see `DependencyConstraints.of`.
    """
    where = f"user_data[{CONSTRAINTS_KEY!r}]"
    kinds = [one.name for one in fields(DependencyConstraints)]
    if not isinstance(given, Mapping) or not set(given) <= {_TOKENS, *kinds}:
        raise _error(
            doc, f"{where} is {given!r}", f"Make it a dict with some of the keys {', '.join(kinds)}"
        )
    if _TOKENS in given and given[_TOKENS] != _checksum(doc):
        raise _error(
            doc,
            f"{where} was attached to other tokens",
            "Attach constraints to the Doc that is parsed, with the tokens that it has then: a "
            "component before the parser may have merged or split some, or the Doc may be a part "
            "of another one",
        )
    for kind, values in given.items():
        if kind == _TOKENS:
            continue
        of_kind = f"{where}[{kind!r}]"
        if kind == "subtrees":
            _check_subtrees(doc, of_kind, values)
        elif not isinstance(values, Mapping):
            raise _error(doc, f"{of_kind} is {values!r}", "Make it a dict by tokens")
        else:
            for token, options in values.items():
                _check_token(doc, of_kind, token)
                _check_options(doc, f"{of_kind}[{token!r}]", options, kind in _WITH_LABELS)


def _checksum(doc: Doc) -> int:
    """Compute a checksum of the tokens of a Doc."""
    return zlib.crc32("\n".join(token.text for token in doc).encode("utf-8", "surrogatepass"))


def _check_options(doc: Doc, where: str, options: Any, are_labels: bool) -> None:
    is_option = _is_label if are_labels else _is_index
    if not (isinstance(options, (list, tuple)) and all(map(is_option, options))):
        what = "labels" if are_labels else "indices of tokens"
        raise _error(doc, f"{where} is {options!r}", f"Make it a list of {what}")
    for option in () if are_labels else options:
        _check_token(doc, where, option)


def _check_subtrees(doc: Doc, where: str, spans: Any) -> None:
    if not _is_list(spans, list, tuple):
        raise _error(doc, f"{where} is {spans!r}", "Make it a list of pairs [start, end]")
    for span in spans:
        if not (
            all(map(_is_index, span)) and len(span) == 2 and 0 <= span[0] < span[1] <= len(doc)
        ):
            raise _error(
                doc,
                f"{where} has {list(span)}",
                f"Give spans [start, end] with 0 <= start < end <= {len(doc)}",
            )
        if all(token.is_space for token in doc[span[0] : span[1]]):
            raise _error(doc, f"{where} has {list(span)}, which is white space", "Remove it")


def _check_token(doc: Doc, where: str, token: Any) -> None:
    if not _is_index(token) or not 0 <= token < len(doc):
        raise _error(
            doc,
            f"{where} names the token {token!r}",
            f"Give indices of its {len(doc)} tokens, from 0",
        )
    if doc[token].is_space:
        raise _error(
            doc,
            f"{where} names token {token}, which is white space",
            "Parsers attach white space to the word before it: remove the constraint",
        )


def _is_list(value: Any, *types: type) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(item, types) for item in value)


def _is_index(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_label(value: Any) -> bool:
    return isinstance(value, str)


def _error(doc: Doc, problem: str, remedy: str) -> ConstraintError:
    return ConstraintError(f"the Doc {quoted(doc.text)}: {problem}. {remedy}.")


def quoted(text: str) -> str:
    """Shorten a text to one line for an error message.

    Args:
        text: The text of a Doc or sentence.
    """
    return repr(shortened(" ".join(text.split())))
