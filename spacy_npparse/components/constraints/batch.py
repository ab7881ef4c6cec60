"""The constraints on a batch of Docs: on their sentence boundaries, and on their trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter

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
from spacy_npparse.components.docs import ROOT_LABEL, TokenBatch
from spacy_npparse.components.gold import head_tokens
from spacy_npparse.components.settings import Keep
from spacy_npparse.decoding import IMPOSSIBLE, AllowedTrees
from spacy_npparse.parsing import SentenceBatch
from spacy_npparse.treebank.sentence import UD_ROOT
from spacy_npparse.trees.missing import NO_HEAD


@dataclass(frozen=True)
class BatchConstraints:
    """The constraints on a batch of Docs.

    Attributes:
        docs: The Docs.
        by_doc: The constraints on each of them.
        labels: Those that are known, that of the root last.
    """

    docs: Sequence[Doc]
    by_doc: Sequence[Sequence[Constraint]]
    labels: tuple[str, ...]

    def keep_together(self, tokens: TokenBatch) -> TokenBatch:
        """Leave no boundary open within a subtree, or between a token and its only possible head.

        Args:
            tokens: Of the Docs.

        Returns:
            The tokens, of which fewer are open.
        """
        is_open = tokens.is_open.copy()
        for offset, constraints in zip(tokens.offsets[:-1].tolist(), self.by_doc, strict=True):
            for one in constraints:
                if one.kind == "subtrees":
                    start, end = sorted(one.heads)
                    is_open[_after_first_word(tokens, offset + start, offset + end)] = False
                elif one.kind == "heads" and len(one.heads) == 1:
                    start, end = sorted((one.token, *one.heads))
                    is_open[offset + start + 1 : offset + end + 1] = False
        return replace(tokens, is_open=is_open)

    def undecided(self, tokens: TokenBatch) -> Bools:
        """The open tokens of Docs with constraints, none of which is likely or unlikely to start a
        sentence before the constraints have been looked at: bool [n_tokens].

        Args:
            tokens: Of the Docs.
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
            arcs: float32 [n, 2 * reach + 1], changed in place.
            roots: float32 [n], changed in place.
            words: int64 [n], the tokens of the words.
            tokens: Of the Docs.
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
        """Whether a sentence can have a tree.

        Args:
            tokens: Of the Docs.
            words: int64 [n], the tokens of its words, of one Doc.
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
        """The constraints on each Doc in the order of the first words that they are on, and these
        words."""
        found = []
        for doc, constraints in zip(self.docs, self.by_doc, strict=True):
            pairs = [(_first_word(doc, one), one) for one in constraints]
            pairs.sort(key=itemgetter(0))
            first_words = np.array([word for word, _ in pairs], dtype=np.int64)
            found.append((first_words, tuple(one for _, one in pairs)))
        return found

    def in_sentences(self, tokens: TokenBatch, sentences: SentenceBatch) -> ConstrainedSentences:
        """Assign the constraints to sentences.

        Args:
            tokens: Of the Docs.
            sentences: Of the Docs.

        Returns:
            The constraints of those sentences that have any.
        """
        found: dict[int, SentenceConstraints] = {}
        slices = sentences.slices()
        for doc, offset, constraints in zip(
            self.docs, tokens.offsets[:-1].tolist(), self.by_doc, strict=True
        ):
            by_sentence: dict[int, list[Constraint]] = {}
            for one in constraints:
                first = _first_word(doc, one)
                place = int(np.searchsorted(sentences.words, offset + first))
                by_sentence.setdefault(int(sentences.sentence[place]), []).append(one)
            for number, ones in by_sentence.items():
                own = sentences.words[slices[number]] - offset
                found[number] = SentenceConstraints(doc, own, tuple(ones), self.labels)
        return ConstrainedSentences(found)


@dataclass(frozen=True)
class ConstrainedSentences:
    """The sentences of a batch that there are constraints on.

    Attributes:
        by_number: Their constraints, by their numbers in the batch.
    """

    by_number: dict[int, SentenceConstraints]

    @property
    def allowed_trees(self) -> dict[int, AllowedTrees]:
        """The trees that are allowed of these sentences, by their numbers."""
        return {number: one.allowed for number, one in self.by_number.items()}

    def select(self, kept: Bools) -> ConstrainedSentences:
        """Keep only some of the sentences of the batch, as `SentenceBatch.select` does.

        Args:
            kept: bool [n_sentences].
        """
        numbers = np.cumsum(kept) - 1
        return ConstrainedSentences(
            {int(numbers[i]): one for i, one in self.by_number.items() if kept[i]}
        )

    def allowed_labels(self, sentences: SentenceBatch) -> Bools | None:
        """The labels that words may have.

        Args:
            sentences: The batch.

        Returns:
            bool [n_words, n_labels] without that of the root; None if all may have any.
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
    """Read the constraints on Docs: those of their `user_data`, and the arcs that are kept.

    Args:
        docs: The Docs.
        keep: Whether heads and labels that the Docs have are kept.
        labels: The arc labels that are known, without the root's.

    Returns:
        The constraints; None if there are none.

    Raises:
        ConstraintError: If some are malformed, or name a label that is not known.
    """
    if keep == "none" and not any(CONSTRAINTS_KEY in doc.user_data for doc in docs):
        return None
    known = (*labels, ROOT_LABEL)
    by_doc = []
    for doc in docs:
        constraints = [*DependencyConstraints.of(doc)]
        if keep == "heads":
            constraints += _kept_arcs(doc)
        by_doc.append([_with_known_labels(doc, one, known) for one in constraints])
    return BatchConstraints(docs, by_doc, known) if any(by_doc) else None


def _kept_arcs(doc: Doc) -> Iterator[Constraint]:
    """The heads and labels that a Doc has, but for those of white space. A token that is its own
    head is the root if its label says so; otherwise its head is unknown, which spaCy cannot tell
    from that."""
    for token, head in zip(doc, head_tokens(doc).tolist(), strict=True):
        if head == NO_HEAD or token.is_space:
            continue
        is_root = head == token.i and token.dep_ in (ROOT_LABEL, UD_ROOT)
        if is_root or head != token.i:
            yield Constraint("heads", token.i, heads=frozenset((head,)))
        if token.dep and not is_root:
            yield Constraint("labels", token.i, labels=frozenset((token.dep_,)))


def _with_known_labels(doc: Doc, one: Constraint, known: tuple[str, ...]) -> Constraint:
    """The constraint, with the root's label in spaCy's spelling."""
    labels = one.labels
    if UD_ROOT in labels and UD_ROOT not in known:
        labels = labels - {UD_ROOT} | {ROOT_LABEL}
    unknown = sorted(labels - set(known))
    if unknown:
        raise ConstraintError(
            f"the Doc {quoted(doc.text)}: the label {unknown[0]!r} of {doc[one.token].text!r} "
            f"(token {one.token}) is not known. Give one of: {', '.join(known)}; or add it to the "
            "parser with add_label."
        )
    return replace(one, labels=labels)


def _first_word(doc: Doc, one: Constraint) -> int:
    """The first word that a constraint is on, which is not white space."""
    token = one.token
    while doc[token].is_space:
        token += 1
    return token


def _after_first_word(tokens: TokenBatch, start: int, end: int) -> slice:
    """The tokens of a span after its first word. start, end: counted through all Docs."""
    while not tokens.is_word[start]:
        start += 1
    return slice(start + 1, end)
