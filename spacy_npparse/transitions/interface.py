"""The Python interface of transition systems, for study, tests and viewers.

Words are 1..n and 0 is the root. Configurations are immutable; transitions go by name. Parsers
use the compiled classes behind it, `KernelSystem`, `KernelConfiguration` and `KernelOracle`, which
never leave C.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spacy_npparse.transitions.system import ILLEGAL
from spacy_npparse.trees.partial_trees import NO_WORD


class UncoveredTree(ValueError):
    """The transition system has no derivation for this tree."""


class Configuration:
    """What a parser knows half-way through a sentence.

    Equal, and of equal hash, if every structure is. Structures that only some systems have are
    attributes too, under the system's own names.

    stack: words, the top last.
    buffer: words, the front first.
    heads: n + 1 heads; heads[0] is unused, -1 stands for none yet.
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

    def as_dict(self) -> dict[str, tuple[int, ...]]:
        """All structures by name."""
        return dict(self._structures)


class TransitionSystem:
    """A transition system; see `spacy_npparse.systems.get_transition_system`.

    name: registered name.
    kernel: the compiled system, a `KernelSystem`.
    single_root: whether exactly one word may hang on the root.
    transitions: names of all transitions, in the kernel's order.
    """

    def __init__(self, name: str, kernel: Any) -> None:
        self.name = name
        self.kernel = kernel
        self._scratch = kernel.new_configuration()

    def with_single_root(self, single_root: bool) -> TransitionSystem:
        """The same system with or without the single-root precondition."""
        return TransitionSystem(self.name, self.kernel.with_single_root(single_root))

    def __reduce__(self) -> tuple[type[TransitionSystem], tuple[str, Any]]:
        """For other processes, which get the system without what it was used for last."""
        return TransitionSystem, (self.name, self.kernel)

    @property
    def transitions(self) -> tuple[str, ...]:
        return self.kernel.names

    @property
    def position_names(self) -> tuple[str, ...]:
        """Names of the places the scorer looks at."""
        return self.kernel.position_names

    @property
    def candidate_arcs(self) -> tuple[tuple[str, str], ...]:
        """The arcs between positions, as (dependent, head), whose scores the scorer looks at."""
        return self.kernel.candidate_arcs

    @property
    def structure_names(self) -> dict[str, str]:
        """The structures of a configuration that words move through, in the order they are read:
        their names there and the names that readers know."""
        return self.kernel.structure_names

    @property
    def reorders(self) -> bool:
        """Whether it has a transition that only changes the word order."""
        return any(self.kernel.reorders(t) for t in range(len(self.transitions)))

    @property
    def single_root(self) -> bool:
        return bool(self.kernel.single_root)

    @property
    def oracles(self) -> tuple[str, ...]:
        """Names of the oracles."""
        return tuple(self.kernel.oracle_classes())

    def initial(self, n_words: int) -> Configuration:
        """The initial configuration for a sentence of n words."""
        if n_words < 0:
            raise ValueError(f"a sentence cannot have {n_words} words")
        self.kernel.start(self._scratch, n_words)
        return Configuration(self._scratch.structures())

    def legal(self, configuration: Configuration) -> tuple[str, ...]:
        """Names of the transitions whose preconditions hold."""
        legal = self.kernel.legal_transitions(self._loaded(configuration))
        return tuple(self.transitions[t] for t in legal)

    def apply(self, configuration: Configuration, transition: str) -> Configuration:
        """The configuration after a transition. Raises ValueError if it is not legal."""
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
        """Whether the derivation ends here."""
        return bool(self.kernel.finished(self._loaded(configuration)))

    def positions(self, configuration: Configuration) -> tuple[int, ...]:
        """The word at each of `position_names`, -1 where there is none."""
        return tuple(self.kernel.looked_at(self._loaded(configuration)))

    def dependent(self, configuration: Configuration, transition: str) -> int | None:
        """The word that a legal transition attaches, None if it adds no arc."""
        t = self.transitions.index(transition)
        word = self.kernel.attached(self._loaded(configuration), t)
        return None if word == NO_WORD else word

    def max_length(self, n_words: int) -> int:
        """The longest derivation for n words, in transitions."""
        return self.kernel.max_length(n_words)

    def oracle(self, name: str, heads: Sequence[int]) -> Oracle:
        """An oracle for a gold tree.

        name: one of `oracles`.
        heads: n + 1 heads; heads[0] is ignored, -1 marks a missing head.

        Raises ValueError if there is no such oracle, or heads form a cycle.
        """
        return Oracle(self, name, heads)

    def _loaded(self, configuration: Configuration) -> Any:
        """The compiled configuration with this content, valid until the next call."""
        self._scratch.load(len(configuration.heads) - 1, configuration.as_dict())
        return self._scratch


class Oracle:
    """Costs of transitions with respect to a gold tree; see `TransitionSystem.oracle`.

    explores: costs are meaningful off the gold derivation too.
    honours_single_root: costs take the single-root precondition into account.
    explores_reordering: the same of derivations with wrong reorderings.
    proven: the costs asked for last are those that the oracle promises, no fall-back.
    postpones: several transitions may cost 0 on the gold derivation, as one of them can wait.
    """

    def __init__(self, system: TransitionSystem, name: str, heads: Sequence[int]) -> None:
        self.system = system
        self.name = name
        self._kernel = system.kernel.oracle(name)
        self._kernel.set_gold(heads)
        self._n_nodes = len(heads)

    @property
    def explores(self) -> bool:
        return bool(self._kernel.explores)

    @property
    def honours_single_root(self) -> bool:
        return bool(self._kernel.honours_single_root)

    @property
    def explores_reordering(self) -> bool:
        return bool(self._kernel.explores_reordering)

    @property
    def proven(self) -> bool:
        return bool(self._kernel.proven)

    @property
    def postpones(self) -> bool:
        return bool(self._kernel.postpones)

    def costs(self, configuration: Configuration) -> dict[str, int]:
        """Cost of each legal transition."""
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
        """RDEPS: the dependents of the gold arcs that can still be built, ascending; None if the
        oracle keeps no account of them."""
        words = self._kernel.reachable(self.system._loaded(configuration))
        return None if words is None else tuple(words)

    def derivation(self) -> tuple[str, ...]:
        """The canonical gold transition sequence.

        Static oracles spell out their own, the others that of the static oracle they build on.
        Missing heads are filled in. A gold tree with several children of the root is derived
        without the single-root precondition.

        Raises UncoveredTree if the system cannot build the tree.
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
