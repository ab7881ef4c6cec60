"""Links in notebooks, which the plugin for notebooks leaves as they are."""

import re
from typing import Any

_LINK = re.compile(r'(href="(?!\w+:)[^"#]+)\.(?:md|ipynb)(["#])')


def on_page_content(html: str, *, page: Any, **_: Any) -> str:
    """Make links of a notebook lead to the pages of the site. MkDocs calls this for each page."""
    return _LINK.sub(r"\1.html\2", html) if page.file.src_uri.endswith(".ipynb") else html
