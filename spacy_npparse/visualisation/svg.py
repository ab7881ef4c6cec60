"""The drawing of a dependency tree as SVG markup, shared by every picture and page."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from spacy_npparse.visualisation.layout import (
    LABEL_SIZE,
    MARGIN,
    TAG_SIZE,
    WORD_SIZE,
    Arc,
    PlacedArc,
    place,
)

# One style sheet for pictures that stand alone and for pages: colours are variables, so that both
# follow the reader's light or dark mode, and every drawing brings its own background.
STYLE = """
.npparse{--paper:#ffffff;--ink:#1d2330;--soft:#5b6475;--line:#8a93a5;--rule:#e3e6ec;
--crossing:#d9480f;--wrong:#b5179e;--gold:#2b8a3e;
font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
@media (prefers-color-scheme:dark){.npparse{--paper:#161a22;--ink:#e8ebf2;--soft:#a3adbf;
--line:#79839a;--rule:#2c3340;--crossing:#ff9f4a;--wrong:#f783dd;--gold:#69db7c}}
.npparse-paper{fill:var(--paper)}
.npparse-word{fill:var(--ink)}
.npparse-tag{fill:var(--soft);letter-spacing:.04em}
.npparse-arc path{fill:none;stroke:var(--line);stroke-width:1.5}
.npparse-arc path.npparse-halo{stroke:var(--paper);stroke-width:5.5}
.npparse-arc polygon{fill:var(--line)}
.npparse-arc text{fill:var(--soft);stroke:var(--paper);stroke-width:6px;
stroke-linejoin:round;paint-order:stroke}
.npparse-crossing path{stroke:var(--crossing);stroke-width:2}
.npparse-crossing polygon,.npparse-crossing text{fill:var(--crossing)}
.npparse-wrong path{stroke:var(--wrong);stroke-dasharray:5 3}
.npparse-wrong polygon,.npparse-wrong text,.npparse-mislabelled text{fill:var(--wrong)}
.npparse-gold path{stroke:var(--gold)}
.npparse-gold polygon,.npparse-gold text{fill:var(--gold)}
.npparse-arc path.npparse-halo{stroke-dasharray:none}
.npparse-arc:hover path:not(.npparse-halo){stroke-width:3}
""" + "\n".join(
    f"{selector}{{font-size:{size}px}}"
    for selector, size in (
        (".npparse-word", WORD_SIZE),
        (".npparse-tag", TAG_SIZE),
        (".npparse-arc text", LABEL_SIZE),
    )
)

_CORNER = 9.0
_ABOVE_WORDS = 10.0  # px between the foot of an arc and the middle of the text line
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def escape(text: str) -> str:
    """Text for SVG and HTML, attribute values included; what XML forbids becomes U+FFFD."""
    return html.escape(_NOT_XML.sub("\ufffd", text))


def number(value: float) -> str:
    """A coordinate, as short as it can be."""
    return f"{value:.1f}".removesuffix(".0")


def visible(text: str) -> str:
    """The text, or a mark that stands for whitespace."""
    return text.strip() or "␣"


def draw_tree(
    words: Sequence[str],
    above: Sequence[Arc],
    *,
    below: Sequence[Arc] = (),
    tags: Sequence[str] | None = None,
    title: str,
    style: bool = True,
) -> str:
    """Draw one sentence.

    Args:
        words: the n words.
        above: arcs drawn above the words.
        below: arcs drawn below the words.
        tags: n part-of-speech tags shown under the words, or None.
        title: what the picture shows, for readers who cannot see it.
        style: whether the picture brings its own style sheet; a page brings one for all.

    Returns:
        An SVG element.
    """
    shown = [visible(word) for word in words]
    xs, (upper, lower), width = place(shown, tags, [above, below])
    top = MARGIN + max((p.rise for p in upper), default=0.0) + LABEL_SIZE / 2
    baseline = top + _ABOVE_WORDS + WORD_SIZE * 0.85
    floor = baseline + (TAG_SIZE + 8.0 if tags else 5.0)
    depth = max((p.rise for p in lower), default=0.0)
    height = floor + MARGIN + (depth + LABEL_SIZE / 2 + _ABOVE_WORDS if lower else 0.0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="npparse npparse-tree" role="img" '
        f'direction="ltr" aria-label="{escape(title)}" width="{number(width)}" '
        f'height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}">'
    ]
    if style:
        parts.append(f"<style>{STYLE}</style>")
    parts.append(
        f'<rect class="npparse-paper" width="{number(width)}" height="{number(height)}" rx="8"/>'
    )
    # Crossing arcs come last: their halo lifts them over the arcs they cross.
    for placed, y, upwards in ((upper, top, True), (lower, floor + _ABOVE_WORDS * 0.6, False)):
        for item in sorted(placed, key=lambda p: ("crossing" in p.arc.kinds, -p.rise)):
            parts.append(_draw_arc(item, shown, y, upwards))
    for i, word in enumerate(shown):
        x = number(xs[i])
        parts.append(
            f'<text class="npparse-word" data-word="{i + 1}" text-anchor="middle" x="{x}" '
            f'y="{number(baseline)}">{escape(word)}</text>'
        )
        if tags:
            parts.append(
                f'<text class="npparse-tag" text-anchor="middle" x="{x}" '
                f'y="{number(baseline + TAG_SIZE + 5)}">{escape(tags[i])}</text>'
            )
    parts.append("</svg>")
    return "\n".join(parts)


def _draw_arc(placed: PlacedArc, words: Sequence[str], foot: float, upwards: bool) -> str:
    """One arc: halo, stroke, arrow, label, tooltip."""
    arc, sign = placed.arc, -1.0 if upwards else 1.0
    ridge = foot + sign * placed.rise
    tip, top, x = number(foot), number(ridge), placed.end
    if arc.head == 0:
        path = f"M{number(x)},{top} V{tip}"
        source = "root"
    else:
        start, end = number(placed.start), number(x)
        turn = _CORNER if x > placed.start else -_CORNER
        bend = number(ridge - sign * _CORNER)
        path = (
            f"M{start},{tip} V{bend} Q{start},{top} {number(placed.start + turn)},{top} "
            f"H{number(x - turn)} Q{end},{top} {end},{bend} V{tip}"
        )
        source = words[arc.head - 1]
    arrow = (
        f"{number(x - 3.6)},{number(foot + sign * 6.5)} {number(x + 3.6)},"
        f"{number(foot + sign * 6.5)} {number(x)},{number(foot - sign * 1.0)}"
    )
    classes = " ".join(["npparse-arc", *(f"npparse-{kind}" for kind in arc.kinds)])
    tooltip = escape(f"{source} → {words[arc.dependent - 1]}: {arc.label}")
    return (
        f'<g class="{classes}" data-head="{arc.head}" data-dependent="{arc.dependent}">'
        f"<title>{tooltip}</title>"
        f'<path class="npparse-halo" d="{path}"/><path d="{path}"/>'
        f'<polygon points="{arrow}"/>'
        f'<text text-anchor="middle" x="{number(placed.label_x)}" '
        f'y="{number(ridge + LABEL_SIZE * 0.34)}">{escape(arc.label)}</text></g>'
    )
