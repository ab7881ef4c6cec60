"""Trees, derivations and reports as self-contained pictures and pages, without network."""

from spacy_npparse.visualisation.comparison_page import render_comparison
from spacy_npparse.visualisation.derivation_table import derivation_table
from spacy_npparse.visualisation.derivations import render_derivation
from spacy_npparse.visualisation.leaderboard_page import render_leaderboard
from spacy_npparse.visualisation.statistics_page import render_statistics
from spacy_npparse.visualisation.trees import render_tree_svg, render_trees

__all__ = [
    "derivation_table",
    "render_comparison",
    "render_derivation",
    "render_leaderboard",
    "render_statistics",
    "render_tree_svg",
    "render_trees",
]
