"""The page of trees in a real browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from browser_helpers import VIEWS, Browsed
from tree_helpers import make_doc

from spacy_npparse.visualisation import render_trees

WRONG = [4, 4, 4, 0, 7, 7, 4, 7]


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_trees_are_drawn(browse: Callable[..., Browsed], width: int, scheme: str) -> None:
    docs, gold = [make_doc(), make_doc(WRONG)], [make_doc(), make_doc()]
    browsed = browse(render_trees(docs, gold=gold), width, scheme)
    arcs = browsed.page.locator(".npparse-arcs > g").all()
    assert len(arcs) == 8 + 8 + 1 and all(arc.is_visible() for arc in arcs)
    assert browsed.page.locator(".npparse-gold").count() == 1
    assert browsed.too_wide() == []
    for selector in ("h1", "figcaption", ".npparse-words text", ".npparse-arcs text", ".legend li"):
        assert browsed.contrast(selector) >= 4.5, selector


def test_light_and_dark_differ(browse: Callable[..., Browsed]) -> None:
    colours = {
        browse(render_trees([make_doc()]), 360, scheme).page.evaluate(
            "getComputedStyle(document.body).backgroundColor"
        )
        for scheme in ("light", "dark")
    }
    assert len(colours) == 2


def test_wide_trees_are_scrolled_by_keyboard(browse: Callable[..., Browsed]) -> None:
    page = browse(render_trees([make_doc()]), 360).page
    # Terms, the filter and the link to the sentence come first.
    for _ in range(4):
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('.scroll').scrollLeft > 0")
