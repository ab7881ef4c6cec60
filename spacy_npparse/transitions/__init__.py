"""Transition systems, their oracles, and tree algorithms; compiled, with a Python window."""

from spacy_npparse.transitions.coverage import derivable
from spacy_npparse.transitions.projectivity import (
    complete_heads,
    is_projective,
    is_tree,
    mpc,
    nonprojective_arcs,
    projective_order,
)
from spacy_npparse.transitions.registry import transition_systems
from spacy_npparse.transitions.window import (
    Configuration,
    Oracle,
    TransitionSystem,
    UncoveredTree,
    get_transition_system,
)

__all__ = [
    "Configuration",
    "Oracle",
    "TransitionSystem",
    "UncoveredTree",
    "complete_heads",
    "derivable",
    "get_transition_system",
    "is_projective",
    "is_tree",
    "mpc",
    "nonprojective_arcs",
    "projective_order",
    "transition_systems",
]
