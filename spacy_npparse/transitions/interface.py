"""The Python interface of transition systems, for study, tests and visualisation.

Each class has a compiled counterpart, which parsers use without the GIL and which users do not
need:

    TransitionSystem   KernelSystem           transitions by name, not by number
    Configuration      KernelConfiguration    immutable and hashable, not overwritten in place
    Oracle             KernelOracle           bound to one gold tree, not prepared with many

Words are 1..n and 0 is the root.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spacy_npparse.transitions.configuration import KernelConfiguration
from spacy_npparse.transitions.system import ILLEGAL, KernelSystem


class UncoveredTree(ValueError):
    """A tree that the transition system does not derive."""


class Configuration:
    """A configuration: stack, buffer, arcs, and further structures of some systems.

    Configurations are immutable. They are compared and hashed by their content. Structures that
    only some systems have are also attributes, such as `lambda1` and `lambda2` of Covington's
    algorithm.

    Args:
        structures: A tuple of integers for each structure, by name.

    Attributes:
        stack: The words on the stack, with the top last.
        buffer: The words in the buffer, with the front first.
        heads: n + 1 heads, NO_HEAD for words without a head; heads[0] is unused.
    """

    __slots__ = ("_structures",)

    stack: tuple[int, ...]
    buffer: tuple[int, ...]
    heads: tuple[int, ...]

    def __init__(self, structures: dict[str, tuple[int, ...]]) -> None:
        object.__setattr__(self, "_structures", tuple(structures.items()))

    def __getattr__(self, name: str) -> Any:
        for key, value in object.__getattribute__(self, "_structures"):
            if key == name:
                return value
        raise AttributeError(f"a configuration of this system has no {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("configurations are immutable")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Configuration) and self._structures == other._structures

    def __hash__(self) -> int:
        return hash(self._structures)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={list(value)}" for name, value in self._structures)
        return f"Configuration({shown})"

    def __reduce__(self) -> tuple[type[Configuration], tuple[dict[str, tuple[int, ...]]]]:
        return Configuration, (self.as_dict(),)

    def as_dict(self) -> dict[str, tuple[int, ...]]:
        """The structures by name."""
        return dict(self._structures)


class TransitionSystem:
    """A transition system; see `spacy_npparse.systems.get_transition_system`.

    Args:
        name: The name of the system in the registry.
        kernel: The compiled system.

    Attributes:
        name: The name of the system in the registry.
        kernel: The compiled system.
    """

    def __init__(self, name: str, kernel: KernelSystem) -> None:
        self.name = name
        self.kernel = kernel
        self._scratch = kernel.new_configuration()

    def with_single_root(self, single_root: bool) -> TransitionSystem:
        """Make a copy of the system with or without the single-root precondition."""
        return TransitionSystem(self.name, self.kernel.with_single_root(single_root))

    def with_positions(self, position_names: Sequence[str]) -> TransitionSystem:
        """Make a copy of the system whose scorer uses the words at other positions as features.

        Args:
            position_names: The positions, at least one: "s0" for the top of the stack, "s1" for the
                item below, "b0" for the front of the buffer, "head of s0" for the current head of
                s0 …

        Raises:
            ValueError: A position does not exist or occurs twice, or the system has positions of
                its own, which cannot be replaced.
        """
        return TransitionSystem(self.name, self.kernel.with_positions(position_names))

    def __reduce__(self) -> tuple[type[TransitionSystem], tuple[str, KernelSystem]]:
        """Pickle the system without its working memory."""
        return TransitionSystem, (self.name, self.kernel)

    @property
    def transitions(self) -> tuple[str, ...]:
        """The names of the transitions, in the order of their numbers in the kernel."""
        return self.kernel.names

    @property
    def position_names(self) -> tuple[str, ...]:
        """The names of the positions whose words are features of the scorer."""
        return self.kernel.position_names

    @property
    def candidate_arcs(self) -> tuple[tuple[str, str], ...]:
        """The arcs between positions, as (dependent, head), whose scores are features of the
        scorer."""
        return self.kernel.candidate_arcs

    @property
    def structure_names(self) -> dict[str, str]:
        """The structures of a configuration through which words move, from left to right: their
        names in `Configuration`, and names to display."""
        return self.kernel.structure_names

    @property
    def reorders(self) -> bool:
        """Whether the system has a transition that only changes the word order."""
        return bool(self.kernel.reordering)

    @property
    def single_root(self) -> bool:
        """Whether the root has exactly one dependent."""
        return self.kernel.single_root

    @property
    def oracles(self) -> tuple[str, ...]:
        """The names of the oracles, with the standard static one first."""
        return tuple(self.kernel.oracle_classes())

    def initial(self, n_words: int) -> Configuration:
        """Make the initial configuration of a sentence.

        Raises:
            ValueError: The number of words is negative.
        """
        if n_words < 0:
            raise ValueError(f"a sentence cannot have {n_words} words")
        self.kernel.start(self._scratch, n_words)
        return Configuration(self._scratch.structures())

    def legal(self, configuration: Configuration) -> tuple[str, ...]:
        """Find the names of the legal transitions."""
        legal = self.kernel.legal_transitions(self._loaded(configuration))
        return tuple(self.transitions[t] for t in legal)

    def apply(self, configuration: Configuration, transition: str) -> Configuration:
        """Apply a transition to a configuration.

        Raises:
            ValueError: The transition does not exist or is not legal.
        """
        if transition not in self.transitions:
            raise ValueError(
                f"{self.name} has no transition {transition!r}; "
                f"it has: {', '.join(self.transitions)}"
            )
        legal = self.legal(configuration)
        if transition not in legal:
            raise ValueError(
                f"{transition} is not legal in {configuration}; "
                f"legal: {', '.join(legal) or 'nothing, the configuration is terminal'}"
            )
        self.kernel.take(self._scratch, self.transitions.index(transition))
        return Configuration(self._scratch.structures())

    def is_terminal(self, configuration: Configuration) -> bool:
        """Check whether a configuration is terminal."""
        return self.kernel.finished(self._loaded(configuration))

    def positions(self, configuration: Configuration) -> tuple[int, ...]:
        """Find the word at each position of `position_names`, -1 where there is none."""
        return tuple(self.kernel.looked_at(self._loaded(configuration)))

    def dependent(self, configuration: Configuration, transition: str) -> int | None:
        """Find the dependent of the arc that a legal transition adds; None if it adds none."""
        t = self.transitions.index(transition)
        word = self.kernel.attached(self._loaded(configuration), t)
        return word if word > 0 else None

    def max_length(self, n_words: int) -> int:
        """Compute an upper bound of the length of derivations of n words."""
        return self.kernel.max_length(n_words)

    def oracle(self, name: str, heads: Sequence[int]) -> Oracle:
        """Create an oracle for a gold tree.

        Args:
            name: The name of an oracle, one of `oracles`.
            heads: n + 1 gold heads, NO_HEAD where missing; heads[0] is ignored.

        Raises:
            ValueError: The oracle does not exist, or the heads form a cycle.
        """
        return Oracle(self, name, heads)

    def _loaded(self, configuration: Configuration) -> KernelConfiguration:
        """Convert a configuration to its compiled form, which is valid until the next call."""
        self._scratch.load(len(configuration.heads) - 1, configuration.as_dict())
        return self._scratch


class Oracle:
    """The costs of transitions with respect to a gold tree; see `TransitionSystem.oracle`.

    Args:
        system: The transition system.
        name: The name of an oracle of the system.
        heads: n + 1 gold heads, NO_HEAD where missing; heads[0] is ignored.

    Attributes:
        system: The transition system.
        name: The name of the oracle.
    """

    def __init__(self, system: TransitionSystem, name: str, heads: Sequence[int]) -> None:
        self.system = system
        self.name = name
        self._kernel = system.kernel.oracle(name)
        self._kernel.set_gold(heads)
        self._n_nodes = len(heads)

    @property
    def explores(self) -> bool:
        """Whether costs are also defined off the gold derivation."""
        return self._kernel.explores

    @property
    def honours_single_root(self) -> bool:
        """Whether costs take the single-root precondition into account."""
        return self._kernel.honours_single_root

    @property
    def explores_reordering(self) -> bool:
        """Whether costs are also defined after wrong reorderings."""
        return self._kernel.explores_reordering

    @property
    def proven(self) -> bool:
        """Whether the last costs are known to be exact under the root constraint of the system,
        rather than approximations; in the sense that the docstring of the oracle states."""
        return self._kernel.proven

    @property
    def postpones(self) -> bool:
        """Whether several transitions cost 0 if one of them can be postponed."""
        return self._kernel.postpones

    def costs(self, configuration: Configuration) -> dict[str, int]:
        """Compute the cost of each legal transition, by name; empty in a terminal configuration.

        Raises:
            ValueError: The gold tree has a different number of words.
        """
        if self.system.is_terminal(configuration):
            return {}
        if len(configuration.heads) != self._n_nodes:
            raise ValueError(
                f"the gold tree has {self._n_nodes - 1} words, "
                f"the configuration {len(configuration.heads) - 1}"
            )
        costs = self._kernel.cost_list(self.system._loaded(configuration))
        names = self.system.transitions
        return {name: cost for name, cost in zip(names, costs, strict=True) if cost != ILLEGAL}

    def reachable(self, configuration: Configuration) -> tuple[int, ...] | None:
        """Find RDEPS, the dependents of the reachable gold arcs, in ascending order; None if the
        oracle does not compute them."""
        words = self._kernel.reachable(self.system._loaded(configuration))
        return None if words is None else tuple(words)

    def derivation(self) -> tuple[str, ...]:
        """Find the canonical gold transition sequence: that of the static oracle itself, or of the
        static oracle on which a dynamic one is based.

        Missing heads are filled in. If the root has several dependents in the gold tree, the
        single-root precondition is not applied.

        Raises:
            UncoveredTree: The oracle does not derive the tree.
        """
        heads = self._kernel.completed_heads()
        kernel = self.system.kernel.with_single_root(
            self.system.single_root and heads.count(0) <= 1
        )
        oracle = kernel.oracle(self._kernel.derivation_oracle())
        oracle.set_gold(heads)
        configuration = kernel.new_configuration()
        kernel.start(configuration, len(heads) - 1)
        names = []
        while not kernel.finished(configuration):
            costs = oracle.cost_list(configuration)
            if 0 not in costs:
                break
            names.append(kernel.names[costs.index(0)])
            kernel.take(configuration, costs.index(0))
        if list(configuration.structures()["heads"])[1:] != heads[1:]:
            raise UncoveredTree(f"{self.system.name} has no derivation for the tree {heads[1:]}")
        return tuple(names)
