"""Constraints on the trees of a Doc, which annotators and programs set and parsers obey."""

from spacy_npparse.components.constraints.given import (
    CONSTRAINTS_KEY,
    ConstraintError,
    DependencyConstraints,
)
from spacy_npparse.components.constraints.partial_trees import (
    constraints_of_sentence,
    set_given_labels,
)

__all__ = [
    "CONSTRAINTS_KEY",
    "ConstraintError",
    "DependencyConstraints",
    "constraints_of_sentence",
    "set_given_labels",
]
