"""SVG elements whose text is escaped by MarkupSafe."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def element(name: str, *content: str, **attributes: str | float | None) -> Markup:
    """Make an SVG element.

    Args:
        name: The tag of the element.
        *content: Strings, which are escaped, and elements, which are not.
        **attributes: The attributes. `class_` stands for `class`, and other underscores stand for
            hyphens. Numbers are rounded to a tenth. Attributes that are None are left out.

    Returns:
        The element as markup.
    """
    listed = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if not content:
        return Markup(f"<{name}{listed}/>")
    return Markup(f"<{name}{listed}>{''.join(map(escape, content))}</{name}>")


def _value(value: str | float) -> str:
    return escape(value) if isinstance(value, str) else number(value)


def number(value: float) -> str:
    """Write a coordinate, rounded to a tenth, as briefly as possible."""
    return f"{value:.1f}".removesuffix(".0")


def legal_characters(document: str) -> str:
    """Replace every character that XML forbids, escaped or not, by U+FFFD."""
    return _NOT_XML.sub("\ufffd", document)
