"""The page of trees in a browser."""

from __future__ import annotations

from collections.abc import Callable

from browser_helpers import Browsed
from tree_helpers import PROJECTIVE, TOOLTIP, make_doc

from spacy_npparse.visualisation import render_trees

Browse = Callable[..., Browsed]
WRONG = [4, 4, 4, 0, 7, 7, 4, 7]


def test_trees_are_drawn(browse: Browse) -> None:
    docs, gold = [make_doc(), make_doc(WRONG)], [make_doc(), make_doc()]
    browsed = browse(render_trees(docs, gold=gold))
    page = browsed.page
    page.locator("summary").click()
    backgrounds = set()
    for _ in browsed.views():
        visible = page.locator(".npparse-arcs > g").evaluate_all(
            "(arcs) => arcs.map((arc) => arc.checkVisibility() && arc.getBBox().height > 0)"
        )
        assert visible == [True] * (8 + 8 + 1)
        assert page.locator(".npparse-gold").count() == 1
        assert browsed.too_wide() == []
        words = (".npparse-words text", ".npparse-arcs text", ".npparse-crossing text")
        for selector in ("h1", "figcaption", ".index", ".legend li", ".terms dd", *words):
            assert browsed.contrast(selector) >= 4.5, selector
        backgrounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(backgrounds) == 2, "light and dark"


def test_wide_trees_are_scrolled_by_keyboard(browse: Browse) -> None:
    page = browse(render_trees([make_doc()]), 360).page
    # The Tab key reaches terms, the filter and the link to the sentence first.
    for _ in range(4):
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('.scroll').scrollLeft > 0")


def test_long_sentences_fit_into_the_window(browse: Browse) -> None:
    heads = [0, *(max(1, word - 1 - 5 * word % 3) for word in range(2, 134))]
    doc = make_doc(heads, ["dep"] * 133, [f"word{i}" for i in range(133)])
    page = browse(render_trees([doc]), 1200).page
    box = page.locator("svg.npparse-tree").bounding_box()
    assert box["x"] + box["width"] <= 1200 and box["height"] > 800
    assert page.locator(".npparse-words text").count() == 133


def test_tooltips(browse: Browse) -> None:
    page = browse(render_trees([make_doc()])).page
    assert page.locator("svg title").count() == 0
    page.locator(".npparse-crossing text").hover()
    assert page.locator("svg title").text_content() == TOOLTIP


def test_links_in_a_notebook(browse: Browse) -> None:
    """A frame resolves links against the address of the notebook, unless the page has a base."""
    docs = [make_doc(), make_doc()]
    page = browse(f"<title>x</title>{render_trees(docs)._repr_html_()}").page
    frame = page.frame_locator("iframe")
    frame.locator(".index").nth(1).click()
    assert frame.locator("figure").count() == 2 and frame.locator("iframe").count() == 0


def test_filter_and_links(browse: Browse) -> None:
    docs = [make_doc(PROJECTIVE), make_doc(), make_doc(PROJECTIVE)]
    # Neither the drawings nor the filter nor the links need scripts.
    page = browse(render_trees(docs), scripts=False).page
    figures = page.locator("figure")
    assert [figure.is_visible() for figure in figures.all()] == [True] * 3
    page.locator("#only-crossing").check()
    assert [figure.is_visible() for figure in figures.all()] == [False, True, False]
    assert page.locator("figure:visible .npparse-arcs > g").count() == 8
    page.locator("figure:visible .index").click()
    assert page.url.endswith("#s2")
