"""Algorithms on trees: projective order, classes of non-projective trees, pseudo-projective
encodings, and partial trees."""

from spacy_npparse.trees.projectivity import (
    complete_heads,
    is_projective,
    is_tree,
    mpc,
    nonprojective_arcs,
    projective_order,
)
from spacy_npparse.trees.shapes import (
    crossing_arcs,
    edge_degree,
    gap_degree,
    is_one_endpoint_crossing,
    is_well_nested,
)

__all__ = [
    "complete_heads",
    "crossing_arcs",
    "edge_degree",
    "gap_degree",
    "is_one_endpoint_crossing",
    "is_projective",
    "is_tree",
    "is_well_nested",
    "mpc",
    "nonprojective_arcs",
    "projective_order",
]
