"""Exhaustive search over small trees and configurations: the judge of systems and oracles."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spacy_npparse.systems import get_transition_system, transition_systems
from spacy_npparse.transitions import ILLEGAL, Configuration, TransitionSystem
from spacy_npparse.trees import is_tree

Heads = tuple[int, ...]

SYSTEMS = sorted(transition_systems.get_all())
ORACLES = [(name, oracle) for name in SYSTEMS for oracle in get_transition_system(name).oracles]


@cache
def explores(name: str, oracle: str) -> bool:
    return get_transition_system(name).oracle(oracle, (0, 0)).explores


STATIC = [pair for pair in ORACLES if not explores(*pair)]
EXPLORING = [pair for pair in ORACLES if explores(*pair)]


@cache
def all_trees(n: int) -> tuple[Heads, ...]:
    """All trees over n words, with any number of root children; heads[0] is 0."""
    candidates = ((0, *heads) for heads in itertools.product(range(n + 1), repeat=n))
    return tuple(heads for heads in candidates if is_tree(heads, single_root=False))


def random_tree(n, rng):
    words = rng.sample(range(1, n + 1), n)
    heads = [0] * (n + 1)
    for i, word in enumerate(words):
        heads[word] = rng.choice([0, *words[:i]])
    return tuple(heads)


def single_root(heads: Heads) -> bool:
    return heads[1:].count(0) == 1


def wrong_heads(tree: Heads, gold: Heads) -> int:
    """Words with another head than in gold; words without gold head are never wrong."""
    return sum(g != -1 and h != g for h, g in zip(tree[1:], gold[1:], strict=True))


class Reachable:
    """All configurations that can follow one, successors before their predecessors.

    configurations: the last one is the one to start from.
    compiled: the same, as the kernel sees them.
    successors: [configurations, transitions] numbers of configurations, -1 if illegal.
    trees: all trees that can be built.
    """

    def __init__(self, system: TransitionSystem, start: Configuration) -> None:
        self.system = system
        self.configurations: list[Configuration] = []
        self.compiled: list[Any] = []
        self._numbers: dict[Configuration, int] = {}
        self._steps: list[list[int]] = []
        self._expand(start)
        self.successors = np.array(self._steps)
        self.terminal = (self.successors == -1).all(axis=1)
        self.trees = {(0, *self.configurations[i].heads[1:]) for i in np.flatnonzero(self.terminal)}

    def _expand(self, configuration: Configuration) -> int:
        if configuration not in self._numbers:
            kernel = self.system.kernel
            compiled = load(kernel, configuration)
            steps = [-1] * kernel.n_transitions
            for t in kernel.legal_transitions(compiled):
                after = load(kernel, configuration)
                kernel.take(after, t)
                steps[t] = self._expand(Configuration(after.structures()))
            self._numbers[configuration] = len(self.configurations)
            self.configurations.append(configuration)
            self.compiled.append(compiled)
            self._steps.append(steps)
        return self._numbers[configuration]

    def steps(self) -> Iterator[tuple[Configuration, str, Configuration]]:
        """All configurations, what can be done there, and what comes of it."""
        names = self.system.transitions
        for number, t in zip(*np.nonzero(self.successors >= 0), strict=True):
            after = self.configurations[self.successors[number, t]]
            yield self.configurations[number], names[t], after

    def losses(self, golds: Sequence[Heads]) -> NDArray[np.int8]:
        """The least number of wrong heads reachable: [configurations, golds]."""
        gold = np.array(golds)[:, 1:]
        losses = np.empty((len(self.configurations), len(golds)), dtype=np.int8)
        for number, configuration in enumerate(self.configurations):
            if self.terminal[number]:
                wrong = (gold != configuration.heads[1:]) & (gold != -1)
                losses[number] = wrong.sum(axis=1)
            else:
                after = self.successors[number]
                losses[number] = losses[after[after >= 0]].min(axis=0)
        return losses

    def true_costs(self, losses: NDArray[np.int8]) -> NDArray[np.int32]:
        """What each transition loses, ILLEGAL if it is illegal: [configurations, transitions]."""
        lost = losses[self.successors].astype(np.int32) - losses[:, None]
        return np.where(self.successors >= 0, lost, ILLEGAL)

    def costs(self, oracle: str, gold: Heads) -> NDArray[np.int32]:
        """What the oracle says of that, in random order: it may keep results, but must not depend
        on what came before."""
        kernel = self.system.kernel.oracle(oracle)
        kernel.set_gold(gold)
        order = np.random.default_rng(len(gold)).permutation(len(self.compiled))
        shuffled = np.empty((len(order), self.system.kernel.n_transitions), dtype=np.int32)
        kernel.fill_costs([self.compiled[i] for i in order], shuffled)
        costs = np.empty_like(shuffled)
        costs[order] = shuffled
        return costs


def load(kernel: Any, configuration: Configuration) -> Any:
    """A compiled configuration with this content."""
    compiled = kernel.new_configuration()
    compiled.load(len(configuration.heads) - 1, configuration.as_dict())
    return compiled


@cache
def reachable(name: str, single: bool, n: int) -> Reachable:
    system = get_transition_system(name, single_root=single)
    return Reachable(system, system.initial(n))


def restricted_losses(
    system: TransitionSystem,
    n: int,
    gold: Heads,
    permitted: Callable[[Configuration], tuple[str, ...]],
) -> tuple[dict[Configuration, int], dict[Configuration, dict[str, Configuration]]]:
    """Losses and successors in the system restricted to the permitted transitions."""
    losses: dict[Configuration, int] = {}
    successors: dict[Configuration, dict[str, Configuration]] = {}

    def expand(configuration: Configuration) -> int:
        if configuration not in losses:
            steps = {name: system.apply(configuration, name) for name in permitted(configuration)}
            successors[configuration] = steps
            losses[configuration] = (
                min(expand(step) for step in steps.values())
                if steps
                else wrong_heads(configuration.heads, gold)
            )
        return losses[configuration]

    expand(system.initial(n))
    return losses, successors


def partial_trees(n: int) -> Iterator[Heads]:
    """All trees over n words with some heads missing, at least one."""
    seen = set()
    for tree in all_trees(n):
        for mask in itertools.product((False, True), repeat=n):
            if any(mask):
                heads = tuple(-1 if gone else h for h, gone in zip(tree[1:], mask, strict=True))
                seen.add((0, *heads))
    return iter(sorted(seen))
