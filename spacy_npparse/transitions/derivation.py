"""Derivations step by step: every configuration, and what could have been done there."""

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

    cost: that the oracle gives it; None if there is no oracle, or its costs mean nothing here.
    score: that the parser gives it; None if there is no parser.
    """

    cost: int | None
    score: float | None


class Step(NamedTuple):
    """A configuration of a derivation.

    transition: that is taken next, None at the end.
    options: the legal transitions, by name.
    reachable: RDEPS, see `Oracle.reachable`.
    proven: the costs are those that the oracle promises, no fall-back.
    """

    configuration: Configuration
    transition: str | None
    options: dict[str, Option]
    reachable: tuple[int, ...] | None
    proven: bool


@dataclass(frozen=True)
class Derivation:
    """How the tree of a sentence is built.

    system: the transition system.
    words: the n words.
    labels: of the arcs to the n words in the tree that is built, None if they are not known.
    steps: from the initial configuration to the terminal one.
    gold: n + 1 gold heads, -1 where missing; gold[0] is ignored. None if nothing is known.
    gold_labels: of the n gold arcs, None if they are not known.
    oracle: name of the oracle that gives the costs, None if there is none.
    search: how a parser found the derivation, such as "greedy search"; None if it follows the
        oracle.
    normalised: the softmax of the scores of the legal transitions is their probability.
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
        """The tree that is built: n + 1 heads, heads[0] being unused."""
        return self.steps[-1].configuration.heads

    @property
    def transitions(self) -> tuple[str, ...]:
        """The transitions that are taken."""
        return tuple(step.transition for step in self.steps if step.transition is not None)

    def changed_heads(self) -> list[list[tuple[int, int]]]:
        """For each transition, the arcs that it adds, as (dependent, head); a head of -1 means that
        it takes one away."""
        heads = [step.configuration.heads for step in self.steps]
        return [
            []
            if before == after
            else [(d, head) for d, head in enumerate(after) if head != before[d]]
            for before, after in pairwise(heads)
        ]


class Decisions(NamedTuple):
    """What a parser did in a sentence.

    system: its transition system.
    oracle: name of the oracle that it was trained with.
    transitions: that it took, by name.
    scores: before each of them, those of all transitions that it considers, by name.
    search, normalised: see `Derivation`.
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
    """The derivation of a gold tree.

    If the system cannot build the tree, an oracle that explores leads to one that is as similar as
    it can see.

    words: the n words.
    heads: n + 1 heads; heads[0] is ignored, -1 marks a missing head, which is filled in.
    labels: of the arcs to the n words.
    system: the transition system. Several words may hang on the root if they do in the gold tree.
    oracle: one of the system's oracles; by default the first, a static one.

    Raises UncoveredTree if the system cannot build the tree and the oracle does not explore;
    ValueError if there is no such oracle, the numbers of words and heads do not fit, or
    the heads form a cycle.
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
    """The derivation that a parser found, without labels.

    words, gold, gold_labels: see `Derivation`.
    oracle: gives the costs if the gold tree is known, by default the one of the training. Those of
        an oracle that does not explore are left out from the first wrong transition on.

    Raises ValueError as `gold_derivation` does, or if a transition is not legal.
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
    if len(heads) != len(words) + 1:
        raise ValueError(
            f"{len(heads)} heads for {len(words)} words; give {len(words) + 1}, the first of which "
            "is ignored"
        )
    if labels is not None and len(labels) != len(words):
        raise ValueError(f"{len(labels)} labels for {len(words)} words; give one for each word")


def _cheapest(system: TransitionSystem, oracle: Oracle, n_words: int) -> tuple[str, ...]:
    """The transitions that cost least, the first of several."""
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
    """The steps of a derivation. oracle: prepared with the gold tree."""
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
    """Costs along a derivation, as far as the oracle knows them.

    proven: see `Step`, of the costs asked for last.
    """

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self._reordering = {
            name
            for t, name in enumerate(oracle.system.transitions)
            if oracle.system.kernel.reorders(t)
        }
        self._lost = False
        self._wrongly_reordered = False
        self._last: dict[str, int] = {}
        self.proven = True

    def costs(self, configuration: Configuration) -> dict[str, int]:
        """Of the legal transitions, nothing where they mean nothing."""
        self._last = {} if self._lost else self._oracle.costs(configuration)
        if not self._oracle.explores and 0 not in self._last.values():
            # The system cannot build the tree.
            self._lost, self._last = True, {}
        self.proven = self._oracle.proven and not self._wrongly_reordered
        return self._last

    def follow(self, transition: str) -> None:
        """Take note of the transition that is taken."""
        if not self._last or self._last[transition] == min(self._last.values()):
            return
        self._lost = not self._oracle.explores
        if transition in self._reordering and not self._oracle.explores_reordering:
            self._wrongly_reordered = True
