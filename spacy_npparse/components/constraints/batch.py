"""The constraints on a batch of Docs: on their sentence boundaries, and on their trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc

from spacy_npparse.components.constraints.given import (
    CONSTRAINTS_KEY,
    Constraint,
    ConstraintError,
    DependencyConstraints,
    quoted,
)
from spacy_npparse.components.constraints.sentence import (
    Bools,
    Ints,
    SentenceConstraints,
    token_limits,
)
from spacy_npparse.components.docs import TokenBatch
from spacy_npparse.components.settings import Keep
from spacy_npparse.decoding import IMPOSSIBLE, AllowedTrees
from spacy_npparse.parsing import SentenceBatch
from spacy_npparse.treebank.heads import head_tokens
from spacy_npparse.treebank.sentence import SPACY_ROOT, UD_ROOT
from spacy_npparse.trees.missing import NO_HEAD


@dataclass(frozen=True)
class BatchConstraints:
    """The constraints on the Docs of a batch.

    Attributes:
        docs: The Docs.
        by_doc: The constraints on each Doc.
        labels: The known labels. That of the root is the last.
    """

    docs: Sequence[Doc]
    by_doc: Sequence[Sequence[Constraint]]
    labels: tuple[str, ...]

    def keep_together(self, tokens: TokenBatch) -> TokenBatch:
        """Close the boundaries within a subtree, and between a token and its only possible head.

        Args:
            tokens: The tokens of the Docs.

        Returns:
            The tokens, of which fewer are open.
        """
        is_open = tokens.is_open.copy()
        for offset, constraints in zip(tokens.offsets[:-1].tolist(), self.by_doc, strict=True):
            for one in constraints:
                if one.kind == "subtrees":
                    start, end = sorted(one.heads)
                    is_open[offset + start + 1 : offset + end] = False
                elif one.kind == "heads" and len(one.heads) == 1:
                    start, end = sorted((one.token, *one.heads))
                    is_open[offset + start + 1 : offset + end + 1] = False
        return replace(tokens, is_open=is_open)

    def undecided(self, tokens: TokenBatch) -> Bools:
        """Find the open tokens of Docs with constraints. Before the constraints have been applied,
        none of them is certain to start a sentence, or not to.

        Args:
            tokens: The tokens of the Docs.
        """
        constrained = np.array([bool(constraints) for constraints in self.by_doc], dtype=bool)
        return np.repeat(constrained, np.diff(tokens.offsets)) & tokens.is_open

    def forbid_arcs(
        self,
        arcs: NDArray[np.float32],
        roots: NDArray[np.float32],
        words: Ints,
        tokens: TokenBatch,
    ) -> None:
        """Make forbidden arcs impossible in the search for sentences; see `score_spans`.

        Args:
            arcs: float32 [n, 2 * reach + 1], the scores of arcs, changed in place.
            roots: float32 [n], the scores of arcs from the root, changed in place.
            words: int64 [n], the tokens of the words.
            tokens: The tokens of the Docs.
        """
        reach = arcs.shape[1] // 2
        for offset, constraints in zip(tokens.offsets[:-1].tolist(), self.by_doc, strict=True):
            for limits in token_limits(constraints, self.labels):
                place = int(np.searchsorted(words, offset + limits.token))
                if place == len(words) or words[place] != offset + limits.token:
                    continue
                first = max(0, place - reach)
                heads = words[first : place + reach + 1] - offset
                at = first - place + reach
                band = arcs[place, at : at + len(heads)]
                permitted = limits.permits(heads)
                band[~permitted] = IMPOSSIBLE
                if not permitted[place - first]:
                    roots[place] = IMPOSSIBLE
                arcs[place, reach] = IMPOSSIBLE

    def admit_tree(self, tokens: TokenBatch, words: Ints) -> bool:
        """Check whether a sentence can have a tree.

        Args:
            tokens: The tokens of the Docs.
            words: int64 [n], the tokens of its words, all of one Doc.
        """
        number = int(np.searchsorted(tokens.offsets, words[0], side="right")) - 1
        if not self.by_doc[number]:
            return True
        own = words - tokens.offsets[number]
        first_words, constraints = self._by_first_word[number]
        begin = np.searchsorted(first_words, own[0])
        end = np.searchsorted(first_words, own[-1], side="right")
        ones = constraints[begin:end]
        return SentenceConstraints(self.docs[number], own, ones, self.labels).can_be_met

    @cached_property
    def _by_first_word(self) -> list[tuple[Ints, tuple[Constraint, ...]]]:
        """The constraints on each Doc, in the order of their first words, and these words."""
        found = []
        for constraints in self.by_doc:
            ordered = sorted(constraints, key=attrgetter("token"))
            first_words = np.array([one.token for one in ordered], dtype=np.int64)
            found.append((first_words, tuple(ordered)))
        return found

    def in_sentences(self, tokens: TokenBatch, sentences: SentenceBatch) -> ConstrainedSentences:
        """Assign the constraints to sentences.

        Args:
            tokens: The tokens of the Docs.
            sentences: The sentences of the Docs.

        Returns:
            The constraints of each sentence that has any.
        """
        found: dict[int, SentenceConstraints] = {}
        slices = sentences.slices()
        for doc, offset, constraints in zip(
            self.docs, tokens.offsets[:-1].tolist(), self.by_doc, strict=True
        ):
            by_sentence: dict[int, list[Constraint]] = {}
            for one in constraints:
                place = int(np.searchsorted(sentences.words, offset + one.token))
                by_sentence.setdefault(int(sentences.sentence[place]), []).append(one)
            for number, ones in by_sentence.items():
                own = sentences.words[slices[number]] - offset
                found[number] = SentenceConstraints(doc, own, tuple(ones), self.labels)
        return ConstrainedSentences(found)


@dataclass(frozen=True)
class ConstrainedSentences:
    """The sentences of a batch that have constraints.

    Attributes:
        by_number: The constraints of each sentence, by its number in the batch.
    """

    by_number: dict[int, SentenceConstraints]

    @property
    def allowed_trees(self) -> dict[int, AllowedTrees]:
        """The allowed trees of these sentences, by number."""
        return {number: one.allowed for number, one in self.by_number.items()}

    def select(self, kept: Bools) -> ConstrainedSentences:
        """Select some sentences of the batch, as `SentenceBatch.select` does.

        Args:
            kept: bool [n_sentences], whether each sentence is selected.
        """
        numbers = np.cumsum(kept) - 1
        return ConstrainedSentences(
            {int(numbers[i]): one for i, one in self.by_number.items() if kept[i]}
        )

    def allowed_labels(self, sentences: SentenceBatch) -> Bools | None:
        """Find the labels that words may have.

        Args:
            sentences: The batch.

        Returns:
            bool [n_words, n_labels] without the label of the root; None if there are no limits.
        """
        limited = [
            (number, word, labels)
            for number, one in self.by_number.items()
            for word, labels in one.allowed_labels.items()
        ]
        if not limited:
            return None
        first_words = np.cumsum(sentences.lengths) - sentences.lengths
        allowed = np.ones((len(sentences.words), len(limited[0][2])), dtype=bool)
        for number, word, labels in limited:
            allowed[first_words[number] + word - 1] = labels
        return allowed


def read_constraints(
    docs: Sequence[Doc], keep: Keep, labels: Sequence[str]
) -> BatchConstraints | None:
    """Read the constraints on Docs from their `user_data`, and from arcs that are kept.

    Args:
        docs: The Docs.
        keep: Whether the heads and labels of the Docs are kept.
        labels: The known arc labels, without that of the root.

    Returns:
        The constraints; None if there are none.

    Raises:
        ConstraintError: Constraints are malformed, or name an unknown label.
    """
    if keep == "none" and not any(CONSTRAINTS_KEY in doc.user_data for doc in docs):
        return None
    known = (*labels, SPACY_ROOT)
    by_doc = []
    for doc in docs:
        constraints = [*DependencyConstraints.of(doc)]
        if keep == "heads":
            constraints += _kept_arcs(doc)
        by_doc.append([_in_words(doc, _with_known_labels(doc, one, known)) for one in constraints])
    return BatchConstraints(docs, by_doc, known) if any(by_doc) else None


def _kept_arcs(doc: Doc) -> Iterator[Constraint]:
    """Read the heads and labels of a Doc, except those of white space. If a token is its own head
    and its label is not that of a root, its head is unknown, because spaCy has no other value for
    that."""
    for token, head in zip(doc, head_tokens(doc).tolist(), strict=True):
        if head == NO_HEAD or token.is_space:
            continue
        is_root = head == token.i and token.dep_ in (SPACY_ROOT, UD_ROOT)
        if is_root or head != token.i:
            yield Constraint("heads", token.i, heads=frozenset((head,)))
        if token.dep and not is_root:
            yield Constraint("labels", token.i, labels=frozenset((token.dep_,)))


def _with_known_labels(doc: Doc, one: Constraint, known: tuple[str, ...]) -> Constraint:
    """Spell the label of the root as spaCy does, and check that all labels are known."""
    labels = one.labels
    if UD_ROOT in labels and UD_ROOT not in known:
        labels = labels - {UD_ROOT} | {SPACY_ROOT}
    unknown = sorted(labels - set(known))
    if unknown:
        raise ConstraintError(
            f"the Doc {quoted(doc.text)}: the label {unknown[0]!r} of {doc[one.token].text!r} "
            f"(token {one.token}) is not known. Give one of: {', '.join(known)}; or add it to the "
            "parser with add_label."
        )
    return replace(one, labels=labels)


def _in_words(doc: Doc, one: Constraint) -> Constraint:
    """Let a subtree begin with a word instead of white space."""
    if one.kind != "subtrees":
        return one
    start, end = sorted(one.heads)
    start = next(token.i for token in doc[start:end] if not token.is_space)
    return replace(one, token=start, heads=frozenset((start, end)))
