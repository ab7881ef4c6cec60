"""Reports in a real browser: nothing is missing, nothing sticks out, all can be read."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from browser_helpers import Browsed
from report_helpers import SAMPLE, SOURCE, many_parsers, several_treebanks, three_parsers

from spacy_npparse.evaluation.sweep import make_sweep
from spacy_npparse.treebank import read_conllu
from spacy_npparse.treebank.statistics import treebank_statistics
from spacy_npparse.visualisation import (
    render_comparison,
    render_leaderboard,
    render_statistics,
    render_sweep,
)

Browse = Callable[..., Browsed]


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """A page of each kind."""
    boards = several_treebanks()
    return {
        "comparison": render_comparison(three_parsers(), SOURCE, n_sentences=3),
        "statistics": render_statistics(treebank_statistics(read_conllu(SAMPLE)), SOURCE),
        "leaderboard": render_leaderboard(many_parsers(8, "arc_hybrid_swap"), SOURCE),
        "sweep": render_sweep(make_sweep(boards), SOURCE, dict.fromkeys(boards, "board.html")),
    }


@pytest.mark.parametrize("kind", ["comparison", "statistics", "leaderboard", "sweep"])
def test_readable_everywhere(browse: Browse, pages: dict[str, str], kind: str) -> None:
    browsed = browse(pages[kind])
    page = browsed.page
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    selectors = ["h1", "header p", "h2", ".note", "h3", "thead th", "tbody th", "footer dt"]
    present = [selector for selector in selectors if page.locator(selector).count()]
    assert len(present) >= 6
    for width, _ in browsed.views():
        assert browsed.too_wide() == []
        for selector in [*present, ".terms dd"]:
            assert browsed.contrast(selector) >= 4.5, selector
        plots = page.evaluate(
            """() => [...document.querySelectorAll("canvas, .bars")].map((plot) => {
              const { x, width, height } = plot.getBoundingClientRect();
              return [x, width, height];
            })"""
        )
        assert len(plots) >= 4
        for x, extent, height in plots:
            assert 240 <= extent <= 480 and x + extent <= width and height >= 60


@pytest.mark.parametrize("kind", ["comparison", "statistics", "leaderboard"])
def test_wide_tables_scroll_by_keyboard(browse: Browse, pages: dict[str, str], kind: str) -> None:
    page = browse(pages[kind], 360).page
    wide = [
        table
        for table in page.locator(".scroll.figures").all()
        if table.is_visible() and table.evaluate("(t) => t.scrollWidth > t.clientWidth + 40")
    ]
    assert wide or kind == "statistics"
    for table in wide[:2]:
        table.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_function("(t) => t.scrollLeft > 0", arg=table.element_handle())
        # The names of the rows stay where they are.
        name = table.locator("tbody th").first
        assert name.bounding_box()["x"] == pytest.approx(table.bounding_box()["x"], abs=2)


def test_arcs_are_there(browse: Browse, pages: dict[str, str]) -> None:
    page = browse(pages["comparison"]).page
    counts = page.evaluate(
        """() => [...document.querySelectorAll("svg.npparse-tree")].map((tree) =>
          [".npparse-arcs > g", ".npparse-words text"]
            .map((selector) => tree.querySelectorAll(selector).length))"""
    )
    assert len(counts) == 6
    assert all(arcs >= words > 0 for arcs, words in counts)
