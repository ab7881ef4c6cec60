"""A fixture that opens pages in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browser_helpers import Browsed


@pytest.fixture
def browse(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Browsed]]:
    """Return a function that opens HTML in a new window, and check after the test that no page had
    problems. With `clock`, time stands still until the test advances the clock."""
    opened: list[Browsed] = []

    def open_page(
        html: str,
        width: int = 1400,
        scheme: str = "light",
        *,
        clock: bool = False,
        scripts: bool = True,
    ) -> Browsed:
        path = tmp_path / f"page-{len(opened)}.html"
        path.write_text(html, encoding="utf-8")
        viewport = {"width": width, "height": 800}
        page = chromium.new_page(
            viewport=viewport, color_scheme=scheme, java_script_enabled=scripts
        )
        if clock:
            page.clock.install()
        opened.append(Browsed(page, path.as_uri()))
        return opened[-1]

    yield open_page
    for browsed in opened:
        browsed.page.close()
        assert browsed.problems == []
