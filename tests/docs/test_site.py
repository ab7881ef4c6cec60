"""The site as MkDocs builds it."""

import re
import subprocess
import sys

import pytest
from documentation import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site; warnings are errors, and so are those of the notebook."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


def test_the_notebook_has_run(site):
    page = (site / "tutorials" / "lecture.html").read_text(encoding="utf-8")
    # The last of its counts, the tree and the page of a derivation.
    assert re.search(r"mh4 +16\b", page)
    assert 'src="data:image/svg+xml;base64,' in page
    assert "<iframe srcdoc=" in page


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
