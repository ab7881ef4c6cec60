"""Constraints on the trees of a Doc, as they are given."""

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
# Of what is written to a Doc: the checksum of its tokens, which other programs may leave out.
_TOKENS = "tokens"


class ConstraintError(UserError, ValueError):
    """Constraints that are malformed, or that no tree meets. The message names tokens and
    remedy."""


@dataclass(frozen=True)
class Constraint:
    """One constraint on the tree of a Doc.

    Attributes:
        kind: See the fields of `DependencyConstraints`.
        token: That it is about; the first one of a subtree.
        heads: The tokens that are, or are not, its head, itself for the root; for a subtree, its
            first token and its end.
        labels: That are, or are not, its label.
    """

    kind: Kind
    token: int
    heads: frozenset[int] = frozenset()
    labels: frozenset[str] = frozenset()


@dataclass(frozen=True)
class DependencyConstraints:
    """What is known of the trees of a Doc: all parsers of this package obey it.

    Tokens are given by their indices in the Doc. The head of a root is the token itself, and its
    label "ROOT" (or "root"), as in spaCy. A token that only one head is left for has that head.

    Attributes:
        heads: The tokens that may be the head of a token; of several, the parser chooses one.
        forbidden_heads: The tokens that are not its head.
        labels: The labels that the arc to a token may have.
        forbidden_labels: Those that it does not have.
        subtrees: Spans, [start, end] with the end exclusive as in `doc[start:end]`, whose words
            are the descendants of one of them, and that one.

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
        """Write the constraints to a Doc, in place of those that it has.

        They are saved with it wherever its `user_data` is, together with a checksum of its tokens:
        they hold for these only.

        Args:
            doc: The Doc, before it is parsed.

        Returns:
            The same Doc.

        Raises:
            ConstraintError: If they do not fit the Doc, see `of`.
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
            The constraints in `doc.user_data["dependency_constraints"]`, none without that key.

        Raises:
            ConstraintError: If there is no such kind of constraint, if something is of another
                type, if the Doc has no such token or span, if one is white space, or if the
                constraints were attached to other tokens.
        """
        given = doc.user_data.get(CONSTRAINTS_KEY, {})
        check_constraints(doc, given)
        return cls(**{kind: values for kind, values in given.items() if kind != _TOKENS})

    def __iter__(self) -> Iterator[Constraint]:
        """The constraints one by one."""
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
        """The kinds of constraints, without those of which there are none."""
        for one in fields(self):
            values = getattr(self, one.name)
            if values:
                yield one.name, values  # type: ignore[misc]


def check_constraints(doc: Doc, given: Any) -> None:
    """Check the form of the constraints of a Doc.

    Args:
        doc: The Doc.
        given: What its `user_data` has.

    Raises:
        ConstraintError: See `DependencyConstraints.of`.
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
    """Of the tokens of a Doc, to tell them from others."""
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
    """A text as error messages quote it: in one line, and its beginning only if it is long.

    Args:
        text: Of a Doc or a sentence.
    """
    return repr(shortened(" ".join(text.split())))
