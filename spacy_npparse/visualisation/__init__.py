"""Self-contained pictures and pages of trees, derivations and reports, which need no network."""

from spacy_npparse.visualisation.derivations.page import render_derivation
from spacy_npparse.visualisation.derivations.table import derivation_table
from spacy_npparse.visualisation.reports.calibration import render_calibration
from spacy_npparse.visualisation.reports.comparison import render_comparison
from spacy_npparse.visualisation.reports.contradictions import render_contradictions
from spacy_npparse.visualisation.reports.leaderboard import render_leaderboard
from spacy_npparse.visualisation.reports.statistics import render_statistics
from spacy_npparse.visualisation.reports.sweep import render_sweep
from spacy_npparse.visualisation.trees.page import render_trees
from spacy_npparse.visualisation.trees.picture import render_tree_svg

__all__ = [
    "derivation_table",
    "render_calibration",
    "render_comparison",
    "render_contradictions",
    "render_derivation",
    "render_leaderboard",
    "render_statistics",
    "render_sweep",
    "render_tree_svg",
    "render_trees",
]
