"""Tests of the documentation that MkDocs builds."""

import re
import subprocess
import sys
from html import unescape
from urllib.parse import unquote

import pytest
from documentation import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site and return its folder; warnings and errors of the notebook are errors."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


def test_the_notebook_has_run(site):
    page = (site / "tutorials" / "lecture.html").read_text(encoding="utf-8")
    # The page shows the last count, the tree and the page of a derivation.
    assert re.search(r"mh4 +16\b", page)
    assert 'src="data:image/svg+xml;base64,' in page
    assert "<iframe srcdoc=" in page


def test_the_solutions_have_run(site):
    lecture, solutions = (
        unescape((site / "tutorials" / f"{name}.html").read_text(encoding="utf-8"))
        for name in ("lecture", "lecture-solutions")
    )
    for result in (
        "words with heads on the stack: True",
        "8 trees that attardi does not build",
        "lazy 67 swaps in the treebank",
        "[0, 0, 1, 1] lazy: 2 fewest: 1",
        "single root: {'SHIFT': 2, 'LEFT-ARC': 0}",
    ):
        assert result in solutions, result
    assert re.findall(r"<h2[^>]*>(\d)\. ", solutions) == ["1", "2", "3", "4", "5"]
    assert 'href="lecture-solutions.html"' in lecture and 'href="lecture.html"' in solutions


def test_all_links_lead_somewhere(site):
    for page in site.rglob("*.html"):
        if page.name == "404.html":  # Its links begin at the root of the server.
            continue
        text = page.read_text(encoding="utf-8")
        for link in map(unescape, re.findall(r'\bhref="([^"#]+)', text)):
            if not re.match(r"\w+:", link):
                target = page.parent / unquote(link.partition("?")[0])
                assert target.exists(), f"{page}: {link}"


def test_the_api_is_there(site):
    page = (site / "reference" / "api.html").read_text(encoding="utf-8")
    source = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    for name in re.findall(r"^::: (\S+)$", source, re.M):
        assert f'id="{name}"' in page, name
    members = sum((text.split(", ") for text in re.findall(r"members: \[(.+)\]", source)), [])
    for name in members:
        assert re.search(rf'id="[\w.]+\.{name}"', page), name


def test_nothing_is_loaded_from_the_network(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|img|iframe|source)\b[^>]*\bsrc="(https?:[^"]+)"', text)
        loaded += re.findall(r'<link\b[^>]*\brel="stylesheet"[^>]*\bhref="(https?:[^"]+)"', text)
        assert loaded == [], page
