"""Transition systems, their oracles, and tree algorithms; compiled, with a Python window."""

from spacy_npparse.transitions.coverage import derivable, derivation_counts
from spacy_npparse.transitions.derivation import (
    Decisions,
    Derivation,
    Option,
    Step,
    gold_derivation,
    parser_derivation,
)
from spacy_npparse.transitions.projectivity import (
    complete_heads,
    is_projective,
    is_tree,
    mpc,
    nonprojective_arcs,
    projective_order,
)
from spacy_npparse.transitions.registry import transition_systems
from spacy_npparse.transitions.shapes import (
    crossing_arcs,
    edge_degree,
    gap_degree,
    is_one_endpoint_crossing,
    is_well_nested,
)
from spacy_npparse.transitions.window import (
    Configuration,
    Oracle,
    TransitionSystem,
    UncoveredTree,
    get_transition_system,
)

__all__ = [
    "Configuration",
    "Decisions",
    "Derivation",
    "Option",
    "Oracle",
    "Step",
    "TransitionSystem",
    "UncoveredTree",
    "complete_heads",
    "crossing_arcs",
    "derivable",
    "derivation_counts",
    "edge_degree",
    "gap_degree",
    "get_transition_system",
    "gold_derivation",
    "is_one_endpoint_crossing",
    "is_projective",
    "is_tree",
    "is_well_nested",
    "mpc",
    "nonprojective_arcs",
    "parser_derivation",
    "projective_order",
    "transition_systems",
]
