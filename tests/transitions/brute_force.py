"""Exhaustive search over small trees and configurations: the judge of systems and oracles."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import cache

from spacy_npparse.transitions import (
    Configuration,
    TransitionSystem,
    get_transition_system,
    is_tree,
    transition_systems,
)

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


def single_root(heads: Heads) -> bool:
    return heads[1:].count(0) == 1


def wrong_heads(tree: Heads, gold: Heads) -> int:
    """Words with another head than in gold; words without gold head are never wrong."""
    return sum(g != -1 and h != g for h, g in zip(tree[1:], gold[1:], strict=True))


class Reachable:
    """All configurations of a system for n words, with the trees reachable from each."""

    def __init__(self, system: TransitionSystem, n: int) -> None:
        self.system = system
        self.next: dict[Configuration, dict[str, Configuration]] = {}
        self.trees: dict[Configuration, frozenset[Heads]] = {}
        self.initial = system.initial(n)
        self._expand(self.initial)

    def _expand(self, configuration: Configuration) -> frozenset[Heads]:
        if configuration not in self.trees:
            steps = {
                name: self.system.apply(configuration, name)
                for name in self.system.legal(configuration)
            }
            self.next[configuration] = steps
            if steps:
                found = frozenset().union(*(self._expand(step) for step in steps.values()))
            else:
                found = frozenset([(0, *configuration.heads[1:])])
            self.trees[configuration] = found
        return self.trees[configuration]

    def losses(self, gold: Heads) -> dict[Configuration, int]:
        """The least number of wrong heads reachable from each configuration."""
        wrong = {tree: wrong_heads(tree, gold) for tree in self.trees[self.initial]}
        return {c: min(wrong[tree] for tree in trees) for c, trees in self.trees.items()}


@cache
def reachable(name: str, single: bool, n: int) -> Reachable:
    return Reachable(get_transition_system(name, single_root=single), n)


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
