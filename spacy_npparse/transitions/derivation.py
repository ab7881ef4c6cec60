"""Derivations step by step: configurations, and the legal transitions in each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from spacy_npparse.transitions.interface import (
    Configuration,
    Oracle,
    TransitionSystem,
    UncoveredTree,
)
from spacy_npparse.trees.projectivity import complete_heads


class Option(NamedTuple):
    """A legal transition.

    Attributes:
        cost: The cost by the oracle; None without an oracle, or if the oracle does not define it.
        score: The score by the parser; None without a parser.
    """

    cost: int | None
    score: float | None


class Step(NamedTuple):
    """A configuration of a derivation.

    Attributes:
        configuration: The configuration.
        transition: The transition that is taken; None in the terminal configuration.
        options: The legal transitions, by name.
        reachable: The dependents of reachable gold arcs (RDEPS), see `Oracle.reachable`.
        proven: Whether the costs are known to be exact rather than approximations.
    """

    configuration: Configuration
    transition: str | None
    options: dict[str, Option]
    reachable: tuple[int, ...] | None
    proven: bool


@dataclass(frozen=True)
class Derivation:
    """The derivation of the tree of a sentence.

    Attributes:
        system: The transition system.
        words: The n words.
        labels: The labels of the arcs to the n words in the derived tree; None if unknown.
        steps: The steps from the initial to the terminal configuration.
        gold: n + 1 gold heads, NO_HEAD where missing; gold[0] is ignored. None if unknown.
        gold_labels: The labels of the gold arcs to the n words; None if unknown.
        oracle: The name of the oracle that computes the costs; None if there is none.
        search: The search by which a parser found the derivation, such as "greedy search"; None if
            the derivation follows the oracle.
        normalised: Whether the softmax of the scores of legal transitions is a probability.
    """

    system: TransitionSystem
    words: tuple[str, ...]
    labels: tuple[str, ...] | None
    steps: tuple[Step, ...]
    gold: tuple[int, ...] | None = None
    gold_labels: tuple[str, ...] | None = None
    oracle: str | None = None
    search: str | None = None
    normalised: bool = False

    @property
    def heads(self) -> tuple[int, ...]:
        """The derived tree: n + 1 heads, heads[0] being unused."""
        return self.steps[-1].configuration.heads

    @property
    def transitions(self) -> tuple[str, ...]:
        """The transition sequence."""
        return tuple(step.transition for step in self.steps if step.transition is not None)

    def changed_heads(self) -> list[list[tuple[int, int]]]:
        """The arcs that each transition adds, as (dependent, head). The head is NO_HEAD if the
        transition removes the arc to the dependent."""
        heads = [step.configuration.heads for step in self.steps]
        return [
            []
            if before == after
            else [(d, head) for d, head in enumerate(after) if head != before[d]]
            for before, after in pairwise(heads)
        ]


class Decisions(NamedTuple):
    """The decisions of a parser for a sentence.

    Attributes:
        system: The transition system.
        oracle: The name of the oracle of the parser's training.
        transitions: The transition sequence.
        scores: The scores, by name, of all transitions that the parser considered before each
            transition.
        search: The search that found the derivation, such as "greedy search".
        normalised: Whether the softmax of the scores of legal transitions is a probability.
    """

    system: TransitionSystem
    oracle: str
    transitions: Sequence[str]
    scores: Sequence[Mapping[str, float]]
    search: str
    normalised: bool


def gold_derivation(
    words: Sequence[str],
    heads: Sequence[int],
    labels: Sequence[str] | None = None,
    *,
    system: TransitionSystem,
    oracle: str | None = None,
) -> Derivation:
    """Derive a gold tree.

    If the system does not cover the tree, a dynamic oracle derives another one by transitions of
    minimal cost.

    Args:
        words: The n words.
        heads: n + 1 gold heads; heads[0] is ignored. Missing heads (NO_HEAD) are filled in.
        labels: The labels of the arcs to the n words.
        system: The transition system. Its single-root precondition is not applied if the root has
            several dependents in the gold tree.
        oracle: The name of an oracle of the system; None for the first one, which is static.

    Raises:
        UncoveredTree: The system does not cover the tree, and the oracle is static.
        ValueError: The oracle does not exist, the numbers of words and heads differ, or the heads
            form a cycle.
    """
    _check(words, heads, labels)
    found = system.with_single_root(complete_heads(heads).count(0) <= 1)
    guide = found.oracle(oracle or found.oracles[0], heads)
    try:
        transitions = guide.derivation()
    except UncoveredTree:
        if not guide.explores:
            raise
        transitions = _cheapest(found, guide, len(words))
    return Derivation(
        system=found,
        words=tuple(words),
        labels=None if labels is None else tuple(labels),
        steps=_replay(found, len(words), transitions, guide),
        gold=tuple(heads),
        gold_labels=None if labels is None else tuple(labels),
        oracle=guide.name,
    )


def parser_derivation(
    words: Sequence[str],
    decisions: Decisions,
    *,
    gold: Sequence[int] | None = None,
    gold_labels: Sequence[str] | None = None,
    oracle: str | None = None,
) -> Derivation:
    """Replay the derivation that a parser found, without labels.

    Args:
        words: The n words.
        decisions: The decisions of the parser.
        gold: n + 1 gold heads, None if unknown; see `Derivation`.
        gold_labels: The labels of the gold arcs to the n words; None if unknown.
        oracle: The name of the oracle that computes the costs if the gold tree is known; None for
            that of the training. After a wrong transition, the costs of a static oracle are left
            out.

    Raises:
        ValueError: The oracle does not exist, the gold heads are invalid, or a transition is not
            legal.
    """
    system, guide = decisions.system, None
    if gold is not None:
        _check(words, gold, gold_labels)
        guide = system.oracle(oracle or decisions.oracle, gold)
    return Derivation(
        system=system,
        words=tuple(words),
        labels=None,
        steps=_replay(system, len(words), decisions.transitions, guide, decisions.scores),
        gold=None if gold is None else tuple(gold),
        gold_labels=None if gold_labels is None else tuple(gold_labels),
        oracle=None if guide is None else guide.name,
        search=decisions.search,
        normalised=decisions.normalised,
    )


def _check(words: Sequence[str], heads: Sequence[int], labels: Sequence[str] | None) -> None:
    """Raise ValueError if the numbers of words, heads and labels differ."""
    if len(heads) != len(words) + 1:
        raise ValueError(
            f"{len(heads)} heads for {len(words)} words; give {len(words) + 1}, the first of which "
            "is ignored"
        )
    if labels is not None and len(labels) != len(words):
        raise ValueError(f"{len(labels)} labels for {len(words)} words; give one for each word")


def _cheapest(system: TransitionSystem, oracle: Oracle, n_words: int) -> tuple[str, ...]:
    """Find the transition sequence with minimal cost in each configuration; among several
    transitions, take the first one."""
    configuration = system.initial(n_words)
    transitions: list[str] = []
    while not system.is_terminal(configuration):
        costs = oracle.costs(configuration)
        transitions.append(min(costs, key=costs.__getitem__))
        configuration = system.apply(configuration, transitions[-1])
    return tuple(transitions)


def _replay(
    system: TransitionSystem,
    n_words: int,
    transitions: Sequence[str],
    oracle: Oracle | None,
    scores: Sequence[Mapping[str, float]] | None = None,
) -> tuple[Step, ...]:
    """Replay a transition sequence."""
    configuration = system.initial(n_words)
    guide = None if oracle is None else _Costs(oracle)
    steps: list[Step] = []
    for i, transition in enumerate(transitions):
        legal = system.legal(configuration)
        found = {} if scores is None else scores[i]
        costs = {} if guide is None else guide.costs(configuration)
        options = {
            name: Option(costs.get(name), found.get(name))
            for name in legal
            if scores is None or name in found
        }
        proven = guide is None or guide.proven
        reachable = None if oracle is None else oracle.reachable(configuration)
        steps.append(Step(configuration, transition, options, reachable, proven))
        if guide is not None:
            guide.follow(transition)
        configuration = system.apply(configuration, transition)
    reachable = None if oracle is None else oracle.reachable(configuration)
    return (*steps, Step(configuration, None, {}, reachable, True))


class _Costs:
    """The costs along a derivation, as long as the oracle defines them.

    Attributes:
        proven: Whether the last costs are known to be exact, see `Step`.
    """

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self._lost = False
        self._wrongly_reordered = False
        self._last: dict[str, int] = {}
        self.proven = True

    def costs(self, configuration: Configuration) -> dict[str, int]:
        """Compute the costs of the legal transitions, by name; empty if they are undefined."""
        self._last = {} if self._lost else self._oracle.costs(configuration)
        if not self._oracle.explores and 0 not in self._last.values():
            # The system does not cover the tree.
            self._lost, self._last = True, {}
        self.proven = self._oracle.proven and not self._wrongly_reordered
        return self._last

    def follow(self, transition: str) -> None:
        """Move to the configuration after a transition."""
        if not self._last or self._last[transition] == min(self._last.values()):
            return
        self._lost = not self._oracle.explores
        is_reordering = transition in self._oracle.system.kernel.reordering
        if is_reordering and not self._oracle.explores_reordering:
            self._wrongly_reordered = True
