"""Exhaustive search over small trees and configurations, to test systems and oracles."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spacy_npparse.systems import get_transition_system, transition_systems
from spacy_npparse.transitions import ILLEGAL, Configuration, TransitionSystem, UncoveredTree
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
    """Return all trees over n words, with any number of root children; heads[0] is 0."""
    candidates = ((0, *heads) for heads in itertools.product(range(n + 1), repeat=n))
    return tuple(heads for heads in candidates if is_tree(heads, single_root=False))


def random_tree(n: int, rng: random.Random) -> Heads:
    words = rng.sample(range(1, n + 1), n)
    heads = [0] * (n + 1)
    for i, word in enumerate(words):
        heads[word] = rng.choice([0, *words[:i]])
    return tuple(heads)


def random_trees(
    count: int,
    seed: int,
    largest: int = 9,
    covered_by: tuple[TransitionSystem, str] | None = None,
) -> list[list[int]]:
    """Return trees of up to `largest` words with a single root.

    covered_by: A system and the name of one of its static oracles, which must derive the trees.
    """
    rng = random.Random(seed)
    trees: list[list[int]] = []
    while len(trees) < count:
        n = rng.randint(1, largest)
        words = rng.sample(range(1, n + 1), n)
        heads = [0] * (n + 1)
        for i, word in enumerate(words):
            heads[word] = rng.choice(words[:i]) if i else 0
        if covered_by is None or is_covered(*covered_by, heads):
            trees.append(heads)
    return trees


def is_covered(system: TransitionSystem, oracle: str, heads: Sequence[int]) -> bool:
    """Return whether the oracle derives the tree, where it may choose missing heads."""
    try:
        system.oracle(oracle, heads).derivation()
    except UncoveredTree:
        return False
    return True


def single_root(heads: Heads) -> bool:
    return heads[1:].count(0) == 1


def wrong_heads(tree: Heads, gold: Heads) -> int:
    """Count the words with a wrong head; words without gold head are never wrong."""
    return sum(g != -1 and h != g for h, g in zip(tree[1:], gold[1:], strict=True))


class Reachable:
    """All configurations reachable from a start, successors before their predecessors.

    Attributes:
        configurations: The configurations. The last one is the start.
        compiled: The same configurations, compiled.
        legal: bool [configurations, transitions], whether the transition is legal.
        successors: [configurations, transitions], number of the next configuration, where legal.
        terminal: bool [configurations], whether the configuration is terminal.
        trees: All trees that can be built.
    """

    def __init__(self, system: TransitionSystem, start: Configuration) -> None:
        self.system = system
        self.configurations: list[Configuration] = []
        self.compiled: list[Any] = []
        self._numbers: dict[Configuration, int] = {}
        self._steps: list[dict[int, int]] = []
        self._sorted: dict[tuple[str, ...], tuple[NDArray[np.int64], ...]] = {}
        self._expand(start)
        shape = len(self.configurations), len(system.transitions)
        self.legal = np.zeros(shape, dtype=bool)
        self.successors = np.zeros(shape, dtype=np.int64)
        for number, steps in enumerate(self._steps):
            self.legal[number, list(steps)] = True
            self.successors[number, list(steps)] = list(steps.values())
        self.terminal = ~self.legal.any(axis=1)
        self.trees = {(0, *self.configurations[i].heads[1:]) for i in np.flatnonzero(self.terminal)}

    def _expand(self, configuration: Configuration) -> int:
        if configuration not in self._numbers:
            kernel = self.system.kernel
            compiled = load(kernel, configuration)
            steps = {}
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
        """Yield each configuration, legal transition, and resulting configuration."""
        names = self.system.transitions
        for number, t in zip(*np.nonzero(self.legal), strict=True):
            after = self.configurations[self.successors[number, t]]
            yield self.configurations[number], names[t], after

    def losses(self, golds: Sequence[Heads]) -> NDArray[np.int8]:
        """Return the least number of wrong heads reachable: [configurations, golds]."""
        gold = np.array(golds)[:, 1:]
        losses = np.empty((len(self.configurations), len(golds)), dtype=np.int8)
        for number, configuration in enumerate(self.configurations):
            if self.terminal[number]:
                wrong = (gold != configuration.heads[1:]) & (gold != -1)
                losses[number] = wrong.sum(axis=1)
            else:
                after = self.successors[number][self.legal[number]]
                losses[number] = losses[after].min(axis=0)
        return losses

    def restricted(
        self, golds: Sequence[Heads], permitted: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
        """Return the losses if only the permitted transitions are used, and whether these reach
        the configurations: [configurations, golds].

        permitted: [configurations, transitions, golds].
        """
        losses = self.losses(golds)
        reached = np.zeros(losses.shape, dtype=bool)
        reached[-1] = True
        for number in np.flatnonzero(~self.terminal):
            after = losses[self.successors[number]]
            losses[number] = np.where(permitted[number], after, np.int8(127)).min(axis=0)
        for number in np.flatnonzero(~self.terminal)[::-1]:
            for t in np.flatnonzero(self.legal[number]):
                reached[self.successors[number, t]] |= reached[number] & permitted[number, t]
        return losses, reached

    def one_for_each(
        self, structures: Sequence[str], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return the number of a random configuration for each content of the given structures, or
        the numbers of all configurations if no structures are given."""
        if not structures:
            return np.arange(len(self.configurations))
        by_content, sizes = self._by_content(tuple(structures))
        return by_content[np.cumsum(sizes) - 1 - rng.integers(sizes)]

    def _by_content(self, structures: tuple[str, ...]) -> tuple[NDArray[np.int64], ...]:
        """Sort the configurations by the contents of the structures, and count each content."""
        if structures not in self._sorted:
            numbers: dict[Any, int] = {}
            found = [tuple(getattr(c, name) for name in structures) for c in self.configurations]
            contents = [numbers.setdefault(content, len(numbers)) for content in found]
            self._sorted[structures] = np.argsort(contents, kind="stable"), np.bincount(contents)
        return self._sorted[structures]

    def true_costs(
        self, losses: NDArray[np.int8], rows: NDArray[np.int64] | slice = slice(None)
    ) -> NDArray[np.int32]:
        """Return the loss after each transition minus the loss before it, ILLEGAL for illegal ones:
        [configurations, transitions], of all configurations or of the given rows."""
        lost = losses[self.successors[rows]].astype(np.int32) - losses[rows, None]
        return np.where(self.legal[rows], lost, ILLEGAL)

    def costs(
        self, oracle: str, gold: Heads, rows: NDArray[np.int64] | None = None
    ) -> NDArray[np.int32]:
        """Return the costs of the oracle for all configurations or for the given rows.

        The costs are computed in random order, because an oracle may cache results, but must not
        depend on earlier calls.
        """
        kernel = self.system.kernel.oracle(oracle)
        kernel.set_gold(gold)
        if rows is None:
            rows = np.arange(len(self.compiled))
        order = np.random.default_rng(len(gold)).permutation(len(rows))
        costs = np.empty((len(rows), self.system.kernel.n_transitions), dtype=np.int32)
        for i in order:
            costs[i] = kernel.cost_list(self.compiled[rows[i]])
        return costs


def load(kernel: Any, configuration: Configuration) -> Any:
    """Compile a configuration."""
    compiled = kernel.new_configuration()
    compiled.load(len(configuration.heads) - 1, configuration.as_dict())
    return compiled


@cache
def reachable(name: str, single: bool, n: int) -> Reachable:
    system = get_transition_system(name, single_root=single)
    return Reachable(system, system.initial(n))


def partial_trees(n: int) -> Iterator[Heads]:
    """Return all trees over n words with at least one missing head."""
    seen = set()
    for tree in all_trees(n):
        for mask in itertools.product((False, True), repeat=n):
            if any(mask):
                heads = tuple(-1 if gone else h for h, gone in zip(tree[1:], mask, strict=True))
                seen.add((0, *heads))
    return iter(sorted(seen))
