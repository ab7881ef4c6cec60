"""The constraints on the tree of one sentence, and their effect on its arcs and labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc

from spacy_npparse.components.constraints.given import Constraint, ConstraintError, quoted
from spacy_npparse.decoding import AllowedTrees, some_allowed_tree, spanning_trees
from spacy_npparse.parsing import best_heads_by_arcs

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class TokenLimits:
    """The combined constraints on one token.

    Attributes:
        token: The token.
        only: The heads that are allowed; None for all.
        never: The tokens that are forbidden as heads.
        labels: bool [n_labels + 1], whether each label is allowed. That of the root is the last.
    """

    token: int
    only: frozenset[int] | None
    never: frozenset[int]
    labels: Bools

    def permits(self, heads: Ints) -> Bools:
        """Check which tokens may be the head; the token itself stands for the root.

        Args:
            heads: int64 [n], the indices of tokens.

        Returns:
            bool [n], whether each of them may be the head.
        """
        is_root = heads == self.token
        permitted = np.where(is_root, self.labels[-1], self.labels[:-1].any())
        if self.only is not None:
            permitted &= np.isin(heads, list(self.only))
        return permitted & ~np.isin(heads, list(self.never))


def token_limits(constraints: Iterable[Constraint], labels: Sequence[str]) -> Iterator[TokenLimits]:
    """Combine the constraints on each token.

    Args:
        constraints: The constraints on some tokens. Subtrees are ignored.
        labels: The known labels. That of the root is the last.

    Yields:
        The combined constraints of each token that has any.
    """
    by_token: dict[int, list[Constraint]] = {}
    for one in constraints:
        if one.kind != "subtrees":
            by_token.setdefault(one.token, []).append(one)
    for token, ones in by_token.items():
        yield _combined(token, ones, labels)


def _combined(token: int, constraints: Iterable[Constraint], labels: Sequence[str]) -> TokenLimits:
    only: frozenset[int] | None = None
    never: frozenset[int] = frozenset()
    possible = np.ones(len(labels), dtype=bool)
    for one in constraints:
        if one.kind == "heads":
            only = one.heads if only is None else only & one.heads
        elif one.kind == "forbidden_heads":
            never |= one.heads
        else:
            possible &= np.array([label in one.labels for label in labels]) == (
                one.kind == "labels"
            )
    return TokenLimits(token, only, never, possible)


@dataclass(frozen=True)
class SentenceConstraints:
    """The constraints on the tree of a sentence.

    Attributes:
        doc: The Doc of the sentence.
        tokens: int64 [n], the tokens of words 1..n.
        constraints: The constraints on these tokens.
        labels: The known labels. That of the root is the last.
    """

    doc: Doc
    tokens: Ints
    constraints: tuple[Constraint, ...]
    labels: tuple[str, ...]

    @cached_property
    def allowed(self) -> AllowedTrees:
        """The trees that the constraints allow."""
        n = len(self.tokens)
        arcs = np.ones((n + 1, n + 1), dtype=bool)
        np.fill_diagonal(arcs, False)
        for word, limits in self._limits.items():
            arcs[word, 1:] &= limits.permits(self.tokens)
            arcs[word, 0] = limits.permits(self.tokens[word - 1 : word])[0]
            arcs[word, word] = False
        subtrees = []
        for one in self.constraints:
            if one.kind == "subtrees":
                start, end = sorted(one.heads)
                inside = np.flatnonzero((self.tokens >= start) & (self.tokens < end)) + 1
                subtrees.append((int(inside[0]), int(inside[-1])))
                if len(inside) < sum(not token.is_space for token in self.doc[start:end]):
                    # A sentence boundary cuts the subtree.
                    arcs[inside] = False
        return AllowedTrees(arcs, tuple(subtrees))

    @cached_property
    def allowed_labels(self) -> dict[int, Bools]:
        """The labels that words may have, by the number of the word, from 1: bool [n_labels]
        without that of the root. Words without limits are left out."""
        return {
            word: limits.labels[:-1]
            for word, limits in self._limits.items()
            if not limits.labels[:-1].all()
        }

    def admits(self, heads: NDArray[np.int32], labels: Ints) -> bool:
        """Check whether a labelled tree is allowed.

        Args:
            heads: int32 [n_words], the heads within the sentence.
            labels: int64 [n_words], the numbers of the labels; those of roots do not count.
        """
        return self.allowed.admits(heads) and all(
            heads[word - 1] == 0 or allowed[labels[word - 1]]
            for word, allowed in self.allowed_labels.items()
        )

    @cached_property
    def _limits(self) -> dict[int, TokenLimits]:
        """The combined constraints on each word."""
        return {
            int(np.searchsorted(self.tokens, limits.token)) + 1: limits
            for limits in token_limits(self.constraints, self.labels)
        }

    @property
    def can_be_met(self) -> bool:
        """Whether any tree is allowed."""
        scores = np.zeros(self.allowed.arcs.shape)
        return some_allowed_tree(self.allowed, spanning_trees(scores)) is not None

    def best_heads(self, arcs: NDArray[np.float32], name: str) -> NDArray[np.int32]:
        """Find the highest-scoring spanning tree that meets the constraints, by the scores of arcs
        alone.

        Args:
            arcs: The scores of arcs, see `best_heads_by_arcs`.
            name: The name of the component, for messages.

        Returns:
            int32 [n_words], the heads.

        Raises:
            ConstraintError: No tree meets the constraints.
        """
        heads = best_heads_by_arcs(arcs, self.allowed)
        if heads is None:
            raise self._conflict(name)
        return heads

    def _conflict(self, name: str) -> ConstraintError:
        """Make the error that no tree meets the constraints. It names a smallest set of constraints
        that conflict.

        Args:
            name: The name of the component.
        """

        def conflicting(some: Sequence[Constraint]) -> bool:
            return not replace(self, constraints=tuple(some)).can_be_met

        named = _smallest_conflict(self.constraints, conflicting)
        first, last = int(self.tokens[0]), int(self.tokens[-1])
        text = quoted(self.doc[first : last + 1].text)
        return ConstraintError(
            f"{name}: no tree of {text} (tokens {first} to {last}) meets these constraints: "
            f"{'; '.join(self._describe(one) for one in named)}. Remove or change one of them."
        )

    def _describe(self, one: Constraint) -> str:
        if one.kind == "subtrees":
            start, end = sorted(one.heads)
            text = quoted(self.doc[start:end].text)
            return f"{text} (tokens {start} to {end - 1}) is a subtree"
        negation = "not " if one.kind.startswith("forbidden") else ""
        if one.labels or one.kind.endswith("labels"):
            options = [repr(label) for label in sorted(one.labels)]
            what = "label"
        else:
            options = [self._describe_head(one.token, head) for head in sorted(one.heads)]
            what = "head"
        listed = " or ".join(options) or "none"
        return f"the {what} of {self._quote(one.token)} is {negation}{listed}"

    def _describe_head(self, token: int, head: int) -> str:
        if head == token:
            return "the root"
        if self.doc[head].is_space:
            return f"{self._quote(head)}, which is white space"
        elsewhere = "" if head in self.tokens else ", which is in another sentence"
        return f"{self._quote(head)}{elsewhere}"

    def _quote(self, token: int) -> str:
        return f"{self.doc[token].text!r} (token {token})"


def _smallest_conflict(
    constraints: Sequence[Constraint],
    conflicting: Callable[[Sequence[Constraint]], bool],
    beside: tuple[Constraint, ...] = (),
    *,
    can_be_empty: bool = False,
) -> tuple[Constraint, ...]:
    """Find a smallest subset of constraints that conflict, given others beside them. Whole halves
    are tried first, so the number of steps is logarithmic in the number of constraints.

    Source: QuickXplain, Junker (2004).
    """
    if can_be_empty and conflicting(beside):
        return ()
    if len(constraints) == 1:
        return tuple(constraints)
    half = len(constraints) // 2
    early, late = tuple(constraints[:half]), tuple(constraints[half:])
    of_early = _smallest_conflict(early, conflicting, beside + late, can_be_empty=True)
    of_late = _smallest_conflict(late, conflicting, beside + of_early, can_be_empty=bool(of_early))
    return of_early + of_late
