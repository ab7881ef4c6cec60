"""Derivations for the tests of their visualisations."""

from __future__ import annotations

from collections.abc import Sequence

from spacy_npparse.systems import get_transition_system, transition_systems
from spacy_npparse.transitions import Decisions, Derivation, gold_derivation, parser_derivation

SYSTEMS = sorted(transition_systems.get_all())
WORDS = "A hearing is scheduled on the issue today".split()
HEADS = [-1, 2, 3, 0, 3, 2, 7, 5, 4]  # hearing → on crosses scheduled → today
LABELS = "det nsubj root xcomp case det nmod obl".split()
PROJECTIVE = [-1, 2, 3, 0, 3, 4, 7, 5, 4]


def gold(system: str = "arc_hybrid_swap", oracle: str | None = None) -> Derivation:
    """Return the gold derivation of the sentence, with a projective tree if necessary."""
    projective = get_transition_system(system).kernel.projective or system == "attardi"
    heads = PROJECTIVE if projective else HEADS
    return gold_derivation(
        WORDS, heads, LABELS, system=get_transition_system(system), oracle=oracle
    )


def predicted(
    heads: Sequence[int] = PROJECTIVE,
    *,
    known: bool = True,
    normalised: bool = True,
    oracle: str = "static-dynamic",
) -> Derivation:
    """Return the derivation of a parser that finds the given heads, where the score of a transition
    is its number. known: whether the derivation has the gold heads."""
    system = get_transition_system("arc_hybrid_swap")
    transitions = system.oracle("static", heads).derivation()
    scores = [{name: float(t) for t, name in enumerate(system.transitions)}] * len(transitions)
    decisions = Decisions(system, oracle, transitions, scores, "greedy search", normalised)
    return parser_derivation(WORDS, decisions, gold=HEADS if known else None, gold_labels=LABELS)


def longest(n_words: int = 200) -> Derivation:
    """Return the derivation of a long sentence with many crossing arcs."""
    heads = [-1, 0, *(max(1, d - 1 - 5 * d % 3) for d in range(2, n_words + 1))]
    words = [f"word{d}" for d in range(1, n_words + 1)]
    return gold_derivation(
        words, heads, ["dep"] * n_words, system=get_transition_system("arc_hybrid_swap")
    )
