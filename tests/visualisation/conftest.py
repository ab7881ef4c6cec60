"""A real browser for pages: headless Chromium, where the machine has one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browser_helpers import Browsed

# One on the PATH, as Debian's package `chromium` installs it; none is downloaded.
_CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A running browser."""
    if _CHROMIUM is None:
        pytest.skip("no Chromium on this machine; Debian has it as the package chromium")
    from playwright.sync_api import sync_playwright

    # Chromium has no sandbox for root, under which containers run.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def browse(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Browsed]]:
    """Opens HTML in a window of a certain width, light or dark, perhaps without scripts. With
    `clock`, time stands still until it is told to go on. There must be no problems in the end."""
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
        opened.append(Browsed(page, path))
        return opened[-1]

    yield open_page
    for browsed in opened:
        browsed.page.close()
        assert browsed.problems == []
