"""The drawing of a dependency tree as SVG, which all pictures and pages use."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from spacy_npparse.visualisation.markup import element, legal_characters, number
from spacy_npparse.visualisation.page import static
from spacy_npparse.visualisation.trees.layout import (
    LABEL_SIZE,
    MARGIN,
    TAG_SIZE,
    WORD_SIZE,
    Arc,
    PlacedArc,
    place_rows,
)

_CORNER = 9
_ABOVE_WORDS = 10.0  # The distance in px between the foot of an arc and the top of the words.
_ROW_GAP = 14.0
# The points of an arrowhead from its tip, which is at the words.
_TIP = ((-3, -6), (3, -6), (0, 0))
# A halo lifts these arcs over those that they cross.
_LIFTED = frozenset(["crossing", "wrong", "gold"])


def visible(text: str) -> str:
    """Replace white space by ␣."""
    return text.strip() or "␣"


def _isolated(text: str) -> str:
    """Isolate a text from text of the other direction, in which an arrow would point to the wrong
    side."""
    return f"\u2068{text}\u2069"


def draw_tree(
    words: Sequence[str],
    above: Sequence[Arc],
    *,
    below: Sequence[Arc] = (),
    tags: Sequence[str] | None = None,
    title: str = "Dependency tree",
    width: float | None = None,
    alone: bool = False,
) -> Markup:
    """Draw one sentence.

    Args:
        words: The n words.
        above: The arcs drawn above the words.
        below: The arcs drawn below the words.
        tags: The n part-of-speech tags shown under the words; None to show none.
        title: The text alternative.
        width: The width in px at which the sentence is broken into rows; None for a single row.
        alone: Whether the picture contains a style sheet, a background and tooltips. A page has
            `tree.css` and `tooltips.js` for all its trees, which keeps it small.

    Returns:
        An SVG element.
    """
    shown = [visible(word) for word in words]
    parts, y, widest = [], 0.0, 0.0
    for row in place_rows(shown, tags, [above, below], width):
        upper, lower = row.sides
        foot = round(y + MARGIN + max((p.rise for p in upper), default=0.0) + LABEL_SIZE / 2)
        baseline = foot + round(_ABOVE_WORDS + WORD_SIZE * 0.85)
        floor = baseline + round(TAG_SIZE + 8.0 if tags else 5.0)
        here = range(row.first - 1, row.first - 1 + len(row.xs))
        parts.append(_arcs(upper, shown, foot, -1, tooltips=alone))
        if lower:
            parts.append(_arcs(lower, shown, floor + 6, 1, tooltips=alone))
        parts.append(_texts(row.xs, [shown[i] for i in here], baseline, "npparse-words"))
        if tags:
            under = baseline + round(TAG_SIZE + 5)
            parts.append(_texts(row.xs, [tags[i] for i in here], under, "npparse-tags"))
        depth = max((p.rise for p in lower), default=0.0)
        y = floor + (depth + LABEL_SIZE / 2 + _ABOVE_WORDS if lower else 0.0) + _ROW_GAP
        widest = max(widest, row.width)
    height = y - _ROW_GAP + MARGIN
    paper = element("rect", class_="npparse-paper", width=widest, height=height, rx=8)
    drawing = element(
        "svg",
        *([element("style", static("tree.css")), paper] if alone else []),
        *parts,
        xmlns="http://www.w3.org/2000/svg" if alone else None,
        class_="npparse npparse-tree",
        role="img",
        direction="ltr",
        aria_label=title,
        # On pages, the drawing can shrink, see `page.css`.
        style=None if alone else f"--width: {number(widest)}px",
        width=widest,
        height=height,
        viewBox=f"0 0 {number(widest)} {number(height)}",
    )
    return Markup(legal_characters(drawing))


def _arcs(
    placed: Sequence[PlacedArc], words: Sequence[str], foot: int, sign: int, *, tooltips: bool
) -> Markup:
    """Draw the arcs of a row. `data-arcs` has the head and the dependent of each, for scripts.

    foot: y of their ends. sign: -1 if they rise above the words, 1 if they hang below them.
    """
    # Crossing arcs come last, because their halo lifts them over the arcs that they cross.
    order = sorted(placed, key=lambda placed: ("crossing" in placed.arc.kinds, -placed.rise))
    return element(
        "g",
        *(_arc(one, sign, _tooltip(one.arc, words) if tooltips else None) for one in order),
        class_="npparse-arcs",
        data_arcs=" ".join(f"{one.arc.head}-{one.arc.dependent}" for one in order),
        transform=f"translate(0 {foot})",
    )


def _tooltip(arc: Arc, words: Sequence[str]) -> str:
    source = _isolated(words[arc.head - 1]) if arc.head else "root"
    return f"{source} → {_isolated(words[arc.dependent - 1])}: {arc.label}"


def _arc(placed: PlacedArc, sign: int, tooltip: str | None) -> Markup:
    """Draw the tooltip, the halo, the stroke, the arrowhead and the label of an arc."""
    arc, ridge = placed.arc, round(sign * placed.rise)
    path = _path(placed, ridge, sign)
    is_doubtful = arc.probability is not None and arc.probability < 0.5
    kinds = [*arc.kinds, *(["doubtful"] if is_doubtful else [])]
    return element(
        "g",
        *([] if tooltip is None else [element("title", tooltip)]),
        *([element("path", class_="npparse-halo", d=path)] if _LIFTED & set(arc.kinds) else []),
        element("path", d=path),
        *([] if placed.to_edge else [element("polygon", points=_tip(round(placed.end), sign))]),
        element("text", arc.label, x=round(placed.label_x), y=ridge + round(LABEL_SIZE * 0.34)),
        class_=" ".join(f"npparse-{kind}" for kind in kinds) or None,
        style=None if arc.probability is None else f"--probability: {arc.probability:.2g}",
    )


def _path(placed: PlacedArc, ridge: int, sign: int) -> str:
    """Draw the stroke from the head, or the edge of the row, to the dependent, or the edge."""
    start, end = round(placed.start), round(placed.end)
    if placed.arc.head == 0:
        return f"M{end} {ridge}V0"
    turn = _CORNER if end > start else -_CORNER
    rise = sign * _CORNER
    if placed.from_edge:
        path = f"M{start} {ridge}"
    else:
        path = f"M{start} 0V{ridge - rise}q0 {rise} {turn} {rise}"
    if placed.to_edge:
        path += f"H{end}"
    else:
        path += f"H{end - turn}q{turn} 0 {turn} {-rise}V0"
    # A minus sign also separates numbers.
    return path.replace(" -", "-")


def _tip(x: int, sign: int) -> str:
    """Draw the arrowhead of an arc that ends at x."""
    return " ".join(f"{x + right},{-sign * down}" for right, down in _TIP)


def _texts(xs: Sequence[float], texts: Sequence[str], y: int, kind: str) -> Markup:
    """Draw the words or tags of a row."""
    found = (element("text", text, x=round(x)) for x, text in zip(xs, texts, strict=True))
    return element("g", *found, class_=kind, transform=f"translate(0 {y})")
