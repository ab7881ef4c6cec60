"""Self-contained HTML pages from Jinja2 templates, light and dark, which need no network."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from spacy_npparse.visualisation.glossary import GLOSSARY
from spacy_npparse.visualisation.markup import legal_characters

_PACKAGE = "spacy_npparse.visualisation"


class Page(str):
    """A complete HTML page. Notebooks show it in a frame, which separates the styles of the page
    from those of the notebook. Links within the page do not lead to the notebook."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return Markup(
            '<iframe srcdoc="{}" title="spacy_npparse" '
            'style="width:100%;height:720px;border:0"></iframe>'
        ).format(self.replace("<head>", '<head><base href="about:srcdoc">', 1))


def render(template: str, **context: object) -> Page:
    """Render a template.

    Args:
        template: The name of a file in `templates/`.
        **context: The variables of the template. Text is escaped unless it is `Markup`.

    Returns:
        A complete page.
    """
    return Page(legal_characters(templates().get_template(template).render(context)))


@cache
def templates() -> Environment:
    """Load the templates of this package. Undefined variables are errors."""
    environment = Environment(
        loader=PackageLoader(_PACKAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"static": static, "glossary": GLOSSARY}
    environment.filters["plural"] = plural
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    return environment


@cache
def static(name: str) -> Markup:
    """Read a style sheet or script of `static/` for a page."""
    return Markup((files(_PACKAGE) / "static" / name).read_text(encoding="utf-8"))


def plural(noun: str, count: int) -> str:
    """Write the noun in the plural, unless the count is one."""
    return noun if count == 1 else noun + "s"
