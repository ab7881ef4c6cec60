"""Trees and reports as self-contained pictures and pages: no scripts, no fonts, no network."""

from spacy_npparse.visualisation.comparison_page import render_comparison
from spacy_npparse.visualisation.statistics_page import render_statistics
from spacy_npparse.visualisation.trees import render_tree_svg, render_trees

__all__ = ["render_comparison", "render_statistics", "render_tree_svg", "render_trees"]
