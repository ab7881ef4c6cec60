"""Reports in a browser: all parts are visible and readable, and none are wider than the window."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from browser_helpers import Browsed
from report_helpers import SAMPLE, SOURCE, many_parsers, several_treebanks, three_parsers
from tree_helpers import make_doc

from spacy_npparse.annotation.contradictions import Contradiction
from spacy_npparse.evaluation.sweep import make_sweep
from spacy_npparse.treebank import parse_sentence, read_conllu
from spacy_npparse.treebank.statistics import treebank_statistics
from spacy_npparse.visualisation import (
    render_comparison,
    render_contradictions,
    render_leaderboard,
    render_statistics,
    render_sweep,
    render_trees,
)
from spacy_npparse.visualisation.trees.picture import ROW_WIDTH

Browse = Callable[..., Browsed]


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """Render a page of each kind."""
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
        # The headings of rows do not scroll.
        name = table.locator("tbody th").first
        assert name.bounding_box()["x"] == pytest.approx(table.bounding_box()["x"], abs=2)


LONG = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenfabrikant"


def contradictions(n_words: int = 30) -> str:
    """Render the page of `check` with names and words that are as long as in some treebanks."""
    rows = [f"# sent_id = weblog-{LONG}_20040423000200_ENG_20040423_000200-0001"]
    for word in range(1, n_words + 1):
        form = LONG if word == 3 else "word"
        rows.append(f"{word}\t{form}\t_\tNOUN\t_\t_\t{word - 1}\tobl:agent\t_\t_")
    found = [
        Contradiction(0, 4, 3, "obl:agent", 0.001, 1, "nmod", 0.98),
        Contradiction(0, 2, 1, "obl:agent", 0.02, 1, "nmod", 0.9),
    ]
    title = f"Contradicted arcs of {LONG.lower()}-ud-train.conllu"
    return render_contradictions(found, [parse_sentence(rows)], SOURCE, title=title)


def test_contradictions_are_readable_everywhere(browse: Browse) -> None:
    browsed = browse(contradictions())
    words = (".npparse-words text", ".npparse-wrong text", ".npparse-gold text")
    texts = ("h1", "header p", "h2", ".note", "thead th", "tbody th", "td", "td small")
    others = (".legend li", "figcaption", "figcaption small", "footer dt", *words)
    for _ in browsed.views():
        assert browsed.too_wide() == []
        for selector in (*texts, *others):
            assert browsed.contrast(selector) >= 4.5, selector
        # The whole table is visible, whereas trees scroll in their boxes.
        assert browsed.page.evaluate(
            "(({scrollWidth, clientWidth}) => scrollWidth <= clientWidth)"
            "(document.querySelector('.figures'))"
        )


@pytest.mark.parametrize("kind", ["trees", "comparison", "contradictions"])
def test_rows_of_trees_are_as_wide_as_their_cards(
    browse: Browse, pages: dict[str, str], kind: str
) -> None:
    trees = render_trees([make_doc(list(range(14)), ["dep"] * 14, ["wordform"] * 14)])
    page = browse({**pages, "trees": trees, "contradictions": contradictions()}[kind], 1600).page
    card = page.locator("figure .scroll:has(svg)").first
    assert card.evaluate("(box) => box.clientWidth") == ROW_WIDTH
    if kind == "trees":
        tree = card.locator("svg")
        assert tree.evaluate("(tree) => tree.viewBox.baseVal.width") > 1250
        # The tree fits into one row, which shrinks to fit into the window of a laptop.
        assert tree.locator(".npparse-words").count() == 1
        page.set_viewport_size({"width": 1280, "height": 800})
        assert card.evaluate("(box) => box.scrollWidth <= box.clientWidth")


def test_arcs_are_there(browse: Browse, pages: dict[str, str]) -> None:
    page = browse(pages["comparison"]).page
    counts = page.evaluate(
        """() => [...document.querySelectorAll("svg.npparse-tree")].map((tree) =>
          [".npparse-arcs > g", ".npparse-words text"]
            .map((selector) => tree.querySelectorAll(selector).length))"""
    )
    assert len(counts) == 6
    assert all(arcs >= words > 0 for arcs, words in counts)
