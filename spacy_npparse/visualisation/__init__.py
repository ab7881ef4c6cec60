"""Trees as self-contained pictures and pages: no scripts, no fonts, no network."""

from spacy_npparse.visualisation.trees import render_tree_svg, render_trees

__all__ = ["render_tree_svg", "render_trees"]
