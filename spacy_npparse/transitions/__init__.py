"""The parts that transition systems share: configurations, oracles, derivations and coverage."""

from spacy_npparse.transitions.coverage import derivable, derivation_counts
from spacy_npparse.transitions.derivation import (
    Decisions,
    Derivation,
    Option,
    Step,
    gold_derivation,
    parser_derivation,
)
from spacy_npparse.transitions.interface import (
    Configuration,
    Oracle,
    TransitionSystem,
    UncoveredTree,
)
from spacy_npparse.transitions.system import ILLEGAL

__all__ = [
    "ILLEGAL",
    "Configuration",
    "Decisions",
    "Derivation",
    "Option",
    "Oracle",
    "Step",
    "TransitionSystem",
    "UncoveredTree",
    "derivable",
    "derivation_counts",
    "gold_derivation",
    "parser_derivation",
]
