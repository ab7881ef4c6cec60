"""The labels of a component: numbers for the model, hashes for the Doc."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD, IS_SPACE
from spacy.strings import StringStore
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import minibatch

from spacy_npparse.components.annotation import ROOT_LABEL, SPACE_LABEL
from spacy_npparse.components.gold import GoldBatch, gold_batch
from spacy_npparse.components.pseudo_projective import PseudoProjectiveLabels, decorated_labels
from spacy_npparse.components.sentences import SentenceBatch
from spacy_npparse.treebank.docs import UD_ROOT
from spacy_npparse.trees.missing import NO_HEAD
from spacy_npparse.trees.pseudo_projective import Decorated


class Labels:
    """The labels of a component, as its saved settings have them.

    Args:
        cfg: "labels", the arc labels without the root's; "pseudo_projective", the encoding of
            crossing arcs, None for none; "decorated", the labels that this decorates, as numbers.
        strings: All labels are added to it.
    """

    def __init__(self, cfg: Mapping[str, Any], strings: StringStore):
        for label in (*cfg["labels"], ROOT_LABEL, SPACE_LABEL):
            strings.add(label, allow_transient=False)  # type: ignore[call-arg]
        self._numbers = {strings[label]: i for i, label in enumerate(cfg["labels"])}
        # The last one, which NO_HEAD selects, is the root's.
        labels = [*cfg["labels"], ROOT_LABEL]
        self._hashes = np.array([strings[label] for label in labels], dtype=np.uint64)
        self._encoding = None
        self._spelled = list(cfg["labels"])
        if cfg["pseudo_projective"] is not None:
            decorated = [
                Decorated(label, bool(lifted), head_label, bool(passed))
                for label, lifted, head_label, passed in cfg["decorated"]
            ]
            self._spelled += [label.spell(cfg["labels"]) for label in decorated]
            self._encoding = PseudoProjectiveLabels(
                cfg["pseudo_projective"], len(cfg["labels"]), decorated
            )

    def gold(self, examples: Sequence[Example]) -> GoldBatch:
        """Align and encode the gold trees of a batch.

        Args:
            examples: The batch.

        Returns:
            The gold trees as the parser has to build them.

        Raises:
            ValueError: As `gold_batch` does.
        """
        return self.encode(gold_batch(examples, self._numbers))

    @property
    def plain(self) -> bool:
        """Whether gold trees are built as they are."""
        return self._encoding is None

    def encode(self, gold: GoldBatch) -> GoldBatch:
        """Encode gold trees as the parser has to build them.

        Args:
            gold: The gold trees.

        Returns:
            The encoded ones.
        """
        return gold if self._encoding is None else self._encoding.encode(gold)

    def spell(self, numbers: Iterable[int]) -> list[str]:
        """Spell labels as the parser predicts them, decorated or not.

        Args:
            numbers: Of the labels, NO_HEAD for the root's.

        Returns:
            The labels; see `spacy_npparse.trees.pseudo_projective`.
        """
        return [UD_ROOT if number == NO_HEAD else self._spelled[number] for number in numbers]

    def decode(
        self,
        sentences: SentenceBatch,
        heads: NDArray[np.int32],
        labels: NDArray[np.int64],
    ) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
        """Decode predicted heads and labels.

        Args:
            sentences: The sentences.
            heads: int32 [n_words], in the sentence.
            labels: int64 [n_words], numbers, NO_HEAD for the root's.

        Returns:
            The heads of the decoded trees, and hashes of the plain labels.
        """
        if self._encoding is not None:
            heads, labels = self._encoding.decode(sentences, heads, labels)
        return heads, self._hashes[labels]


def collect_labels(
    cfg: dict[str, Any],
    strings: StringStore,
    get_examples: Callable[[], Iterable[Example]],
    labels: Sequence[str] | None,
) -> None:
    """Write the labels of some examples to a component's saved settings, behind those that have
    been added before.

    Args:
        cfg: Gets "labels" and "decorated"; see `Labels`.
        strings: All labels are added to it.
        get_examples: Returns the examples.
        labels: The plain labels, if they are given.
    """
    if labels is None:
        labels = sorted({dep for eg in get_examples() for dep in _deps(eg.reference)})
    # No network has to learn which word is the root's.
    added = [label for label in cfg["labels"] if label != ROOT_LABEL]
    cfg["labels"] = list(dict.fromkeys([*added, *labels])) or [SPACE_LABEL]
    cfg["decorated"] = []
    if cfg["pseudo_projective"] is not None:
        cfg["decorated"] = _decorated(cfg, strings, get_examples())


def new_labels(
    cfg: Mapping[str, Any], strings: StringStore, examples: Iterable[Example]
) -> list[str]:
    """Collect the labels of gold trees that a component does not have.

    Args:
        cfg: Of the component, see `Labels`.
        strings: With its labels.
        examples: A batch.

    Returns:
        The labels, sorted.
    """
    known = {strings[label] for label in cfg["labels"]}
    met: dict[int, str] = {}
    for example in examples:
        arcs = example.reference.to_array([HEAD, DEP, IS_SPACE])
        # The component may be from a pipeline with other strings.
        own = example.reference.vocab.strings
        has_label = (arcs[:, 0] != 0) & (arcs[:, 2] == 0)
        met.update((i, own[i]) for i in {*arcs[has_label, 1].tolist()} - met.keys() - {0})
    return sorted(label for i, label in met.items() if i not in known)


def new_decorated_labels(
    cfg: Mapping[str, Any], strings: StringStore, examples: Iterable[Example]
) -> list[list[int]]:
    """Collect the decorated labels of gold trees that a pseudo-projective component does not have.

    Args:
        cfg: Of the component, see `Labels`.
        strings: With its labels.
        examples: A batch, whose plain labels it has.

    Returns:
        The labels in the form of the settings, sorted.
    """
    return [label for label in _decorated(cfg, strings, examples) if label not in cfg["decorated"]]


def _decorated(
    cfg: Mapping[str, Any], strings: StringStore, examples: Iterable[Example]
) -> list[list[int]]:
    """The decorated labels of gold trees, in the form of the settings, sorted."""
    plain = Labels({**cfg, "pseudo_projective": None}, strings)
    found: set[Decorated] = set()
    for batch in minibatch(examples, 256):
        found |= decorated_labels(plain.gold(batch), cfg["pseudo_projective"])
    return [list(map(int, label)) for label in sorted(found)]


def _deps(doc: Doc) -> Iterator[str]:
    """The labels of a Doc but for those of roots and of white space."""
    return (
        token.dep_ for token in doc if token.dep_ and token.head.i != token.i and not token.is_space
    )
