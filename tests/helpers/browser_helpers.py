"""Pages in headless Chromium, if the machine has it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

# Debian's package `chromium` installs it on the PATH. The tests download no browser.
_CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
VIEWS = [(width, scheme) for width in (360, 500, 1400) for scheme in ("light", "dark")]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Start a browser for all tests."""
    if _CHROMIUM is None:
        pytest.skip("no Chromium on this machine; Debian has it as the package chromium")
    from playwright.sync_api import sync_playwright

    # Containers run as root, for which Chromium has no sandbox.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=arguments)
        yield browser
        browser.close()


class Browsed:
    """A page in the browser.

    Attributes:
        page: Playwright's page, for `press`, `click` and `evaluate`.
        problems: Errors and warnings on the console, exceptions, and requests for anything except
            the page and resources below its address.
    """

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.problems: list[str] = []
        page.on("pageerror", lambda error: self.problems.append(f"exception: {error}"))
        page.on("console", self._note)
        page.on("request", lambda request: self._check(request.url, address))
        page.goto(address)

    def _note(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"{message.type}: {message.text}")

    def _check(self, url: str, own: str) -> None:
        if not url.startswith((own, "blob:", "data:")):
            self.problems.append(f"request: {url}")

    def views(self) -> Iterator[tuple[int, str]]:
        """Show the page in all widths and color schemes without reloading it."""
        for width, scheme in VIEWS:
            self.page.set_viewport_size({"width": width, "height": 800})
            self.page.emulate_media(color_scheme=scheme)
            # Plots adapt to the width of their box with a delay.
            self.page.wait_for_function(
                """() => [...document.querySelectorAll("canvas")].every((plot) =>
                  Math.abs(plot.offsetWidth - plot.parentElement.clientWidth) <= 1)"""
            )
            yield width, scheme

    def too_wide(self) -> list[str]:
        """Return elements that overflow the window outside scrollable boxes, and elements that hide
        a part of their content without an ellipsis."""
        found: list[str] = self.page.evaluate(
            """() => {
              const width = document.documentElement.clientWidth;
              const clipped = (e) => e && (getComputedStyle(e).overflowX !== "visible"
                || clipped(e.parentElement));
              const hides = (e) => getComputedStyle(e).overflowX === "hidden"
                && getComputedStyle(e).textOverflow !== "ellipsis"
                && e.scrollWidth > e.clientWidth + 1;
              return [...document.querySelectorAll("body *")]
                .filter((e) => hides(e)
                  || (e.getBoundingClientRect().right > width + 1 && !clipped(e.parentElement)))
                .map((e) => e.outerHTML.slice(0, 80));
            }"""
        )
        if self.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found.append("the page itself")
        return found

    def contrast(self, selector: str) -> float:
        """Return the contrast of the text of an element with its background, as WCAG 2 defines."""
        ratio: float = self.page.evaluate(
            """(selector) => {
              const luminance = (colour) => {
                const [r, g, b] = colour.match(/[0-9.]+/g).map((c) => c / 255)
                  .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
              };
              const element = document.querySelector(selector);
              const style = getComputedStyle(element);
              let behind = element;
              while (getComputedStyle(behind).backgroundColor === "rgba(0, 0, 0, 0)")
                behind = behind.parentElement;
              const ink = luminance(element.closest("svg") ? style.fill : style.color);
              const paper = luminance(getComputedStyle(behind).backgroundColor);
              return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
            }""",
            selector,
        )
        return ratio
