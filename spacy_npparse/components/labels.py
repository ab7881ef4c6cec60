"""The labels of a component, which are numbers in the network and hashes in a Doc. The set grows
when a new label is added or occurs in training."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD, IS_SPACE
from spacy.parts_of_speech import IDS
from spacy.strings import StringStore
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import minibatch

from spacy_npparse.checks import check_type
from spacy_npparse.components.docs import SPACE_LABEL
from spacy_npparse.components.gold import GoldBoundaries, misplaced_roots, read_gold
from spacy_npparse.parsing import GoldBatch
from spacy_npparse.parsing.labelling import Labeller
from spacy_npparse.parsing.pseudo_projective import PseudoProjectiveLabels, decorated_labels
from spacy_npparse.parsing.settings import Encoding
from spacy_npparse.treebank.sentence import SPACY_ROOT, UD_ROOT
from spacy_npparse.trees.label_rules import LabelRule
from spacy_npparse.trees.missing import NO_LABEL
from spacy_npparse.trees.pseudo_projective import Decorated


class Growth(NamedTuple):
    """The result of adding labels.

    Attributes:
        places: The new numbers of the old labels, ascending.
        n_labels: The new number of labels.
    """

    places: list[int]
    n_labels: int


class Labels:
    """The labels of a parser.

    Args:
        strings: The string store that all labels are added to.
        encoding: The pseudo-projective encoding of crossing arcs; None if there is none.
        ruled: Whether predicted labels obey the rules.

    Attributes:
        plain: The arc labels, without that of the root.
        decorated: The labels with decorations of the encoding, numbered after the plain ones.
        rules: The label rules.
        labeller: The search for the labels of trees.
    """

    plain: list[str]
    decorated: list[Decorated]
    labeller: Labeller

    def __init__(self, strings: StringStore, encoding: Encoding | None, *, ruled: bool):
        self._strings = strings
        self._encoding = encoding
        self._is_ruled = ruled
        self.rules: tuple[LabelRule, ...] = ()
        self.replace([], [])

    def __len__(self) -> int:
        return len(self.plain) + len(self.decorated)

    def replace(self, plain: Sequence[str], decorated: Iterable[Decorated]) -> None:
        """Replace the labels.

        Args:
            plain: The new plain labels.
            decorated: The new decorated labels.
        """
        strings = self._strings
        self.plain, self.decorated = list(plain), list(decorated)
        for label in (*plain, SPACY_ROOT, SPACE_LABEL):
            strings.add(label, allow_transient=False)  # type: ignore[call-arg]
        self._numbers = {strings[label]: i for i, label in enumerate(plain)}
        # NO_LABEL (-1) selects the last label, that of the root.
        hashes = [strings[label] for label in (*plain, SPACY_ROOT)]
        self._hashes = np.array(hashes, dtype=np.uint64)
        self._spelled = [*plain, *(label.spell(self.plain) for label in self.decorated)]
        self._codec = None
        if self._encoding is not None:
            self._codec = PseudoProjectiveLabels(self._encoding, len(plain), self.decorated)
        rules = self.rules if self._is_ruled else ()
        self.labeller = Labeller(rules, (*plain, SPACY_ROOT), self._codec, IDS)

    def replace_rules(self, rules: Iterable[LabelRule]) -> None:
        """Replace the label rules.

        Args:
            rules: The new rules.
        """
        self.rules = tuple(rules)
        self.replace(self.plain, self.decorated)

    @property
    def are_plain(self) -> bool:
        """Whether the parser builds gold trees without an encoding."""
        return self._codec is None

    def collect(
        self, get_examples: Callable[[], Iterable[Example]], given: Sequence[str] | None
    ) -> None:
        """Collect the labels of examples, after those that have been added before.

        Args:
            get_examples: A function that returns the examples.
            given: The plain labels; None to collect them from the examples.
        """
        if given is None:
            given = sorted(set().union(*(_deps(eg.reference) for eg in get_examples())))
        # The network does not predict the label of the root.
        added = [label for label in self.plain if label != SPACY_ROOT]
        self.replace(list(dict.fromkeys([*added, *given])) or [SPACE_LABEL], [])
        if self._encoding is not None:
            self.replace(self.plain, self._decorated(get_examples()))

    def add(self, plain: Sequence[str] = (), decorated: Iterable[Decorated] = ()) -> Growth:
        """Add labels that are new.

        Args:
            plain: Plain labels that are not known.
            decorated: Decorated labels that are not known.

        Returns:
            The growth. Decorated labels are numbered after all plain ones.
        """
        n_plain, n_decorated = len(self.plain), len(self.decorated)
        self.replace([*self.plain, *plain], [*self.decorated, *decorated])
        first = len(self.plain)
        return Growth([*range(n_plain), *range(first, first + n_decorated)], len(self))

    def add_new(self, examples: Sequence[Example]) -> tuple[list[str], list[Growth]]:
        """Add the new labels of gold trees.

        Args:
            examples: A batch of examples.

        Returns:
            The new plain labels, sorted; and the growth by plain labels and then by decorated ones.
        """
        met = set().union(*(_deps(eg.reference) for eg in examples))
        plain = sorted(met.difference(self.plain))
        growth = [self.add(plain)] if plain else []
        if self._encoding is not None:
            decorated = [new for new in self._decorated(examples) if new not in self.decorated]
            growth += [self.add(decorated=decorated)] if decorated else []
        return plain, growth

    def gold(self, examples: Sequence[Example]) -> tuple[GoldBatch, GoldBoundaries]:
        """Align the gold annotation of a batch.

        Args:
            examples: The batch.

        Returns:
            The gold trees as the parser has to build them, and the sentence boundaries.

        Raises:
            ValueError: A label is unknown, or gold heads form a cycle.
        """
        trees, boundaries = read_gold(examples, self._numbers)
        return self.encode(trees), boundaries

    def encode(self, gold: GoldBatch) -> GoldBatch:
        """Encode gold trees in the form that the parser builds.

        Args:
            gold: The gold trees.

        Returns:
            The encoded ones.
        """
        return gold if self._codec is None else self._codec.encode(gold)

    def hashes(self, labels: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Convert plain labels to hashes.

        Args:
            labels: int64 [n_words], the numbers of the labels, NO_LABEL for the root's.

        Returns:
            uint64 [n_words], the hashes.
        """
        return self._hashes[labels]

    def spell(self, numbers: Iterable[int]) -> list[str]:
        """Convert labels to strings, including decorated ones.

        Args:
            numbers: The numbers of the labels, NO_LABEL for the root's.

        Returns:
            The labels; for decorated ones see `spacy_npparse.trees.pseudo_projective`.
        """
        return [UD_ROOT if number == NO_LABEL else self._spelled[number] for number in numbers]

    def _decorated(self, examples: Iterable[Example]) -> list[Decorated]:
        """Collect the decorated labels of gold trees, sorted."""
        assert self._encoding is not None
        found: set[Decorated] = set()
        for batch in minibatch(examples, 256):
            found |= decorated_labels(read_gold(batch, self._numbers)[0], self._encoding)
        return sorted(found)


def check_labels(name: str, labels: Sequence[str]) -> None:
    """Check labels that are given in a config.

    Args:
        name: The name of the component.
        labels: The arc labels, without that of the root.

    Raises:
        ValueError: The labels are not a list of different strings, or include that of the root.
    """
    where = f"{name}: initialize.components.{name}.labels"
    check_type(where, list(labels) if isinstance(labels, tuple) else labels, list[str])
    if not labels:
        raise ValueError(f"{where} is empty. Remove it, so that labels come from the examples.")
    for label in labels:
        if not label.strip():
            raise ValueError(f"{where} has an empty label. Remove it.")
        if labels.count(label) > 1:
            raise ValueError(f"{where} has {label!r} more than once. Name each label once.")
    if SPACY_ROOT in labels:
        raise ValueError(f"{where} has {SPACY_ROOT!r}, which every parser always has. Remove it.")


def _deps(doc: Doc) -> set[str]:
    """Collect the labels of a Doc, except those of roots and of white space."""
    arcs = doc.to_array([HEAD, DEP, IS_SPACE])
    has_label = (arcs[:, 0] != 0) & (arcs[:, 2] == 0) & ~misplaced_roots(doc)
    # The component may come from a pipeline with another string store.
    return {doc.vocab.strings[i] for i in {*arcs[has_label, 1].tolist()} - {0}}
