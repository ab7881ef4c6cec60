"""SVG elements whose text is escaped by MarkupSafe."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def element(name: str, *content: str, **attributes: str | float | None) -> Markup:
    """An SVG element.

    Args:
        name: The tag.
        *content: Text, which is escaped, and elements, which are kept.
        **attributes: `class_` stands for `class`, other underscores for hyphens. Numbers are
            rounded to a tenth; an attribute that is None is left out.

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
    """A coordinate rounded to a tenth, as short as it can be."""
    return f"{value:.1f}".removesuffix(".0")


def legal_characters(document: str) -> str:
    """The document with U+FFFD for every character that XML forbids, escaped or not."""
    return _NOT_XML.sub("\ufffd", document)
