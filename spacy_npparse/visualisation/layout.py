"""Where the words, arcs and labels of a dependency tree go: numbers only, no markup.

Arcs rise above the words to levels: an arc lies above every shorter arc that shares a stretch of
the sentence with it, so nested arcs never touch, and crossing arcs meet at right angles only.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

WORD_SIZE = 16.0
TAG_SIZE = 10.5
LABEL_SIZE = 11.5
LEVEL_HEIGHT = 27.0
PORT_GAP = 8.0
WORD_GAP = 20.0
MARGIN = 18.0

_NARROW = frozenset("fijlrtI.,;:'’`|!()[]{}/ ")
_WIDE = frozenset("mwMW@%—…")


@dataclass(frozen=True)
class Arc:
    """An arc to draw.

    Args:
        head: the head, 1..n, or 0 for the root.
        dependent: the dependent, 1..n.
        label: the relation.
        kinds: what the arc is, for its colour: any of "crossing", "wrong", "gold", "mislabelled".
    """

    head: int
    dependent: int
    label: str
    kinds: tuple[str, ...] = ()

    @property
    def span(self) -> tuple[int, int]:
        """Left and right end; an arc from the root stands on its dependent alone."""
        if self.head == 0:
            return self.dependent, self.dependent
        return min(self.head, self.dependent), max(self.head, self.dependent)


@dataclass(frozen=True)
class PlacedArc:
    """An arc with its place: ends, height above (or depth below) the words, label position."""

    arc: Arc
    start: float  # x of the head's end
    end: float  # x of the arrow
    rise: float  # distance between the words and the horizontal stroke, px
    label_x: float


def text_width(text: str, size: float) -> float:
    """An upper estimate of a text's width in px in a common sans-serif font of `size` px."""
    width = 0.0
    for char in text:
        if unicodedata.combining(char):
            continue
        if unicodedata.east_asian_width(char) in "WF":
            width += 1.02
        elif char in _NARROW:
            width += 0.36
        elif char in _WIDE:
            width += 0.9
        elif char.isupper():
            width += 0.7
        else:
            width += 0.58
    return width * size


def arc_levels(arcs: Sequence[Arc]) -> list[int]:
    """Levels 1, 2, … by nesting: above every shorter arc that overlaps. The root arcs come last.

    A root arc stands above all arcs that span its word.
    """
    levels = [0] * len(arcs)
    order = sorted(
        range(len(arcs)),
        key=lambda a: (arcs[a].head == 0, arcs[a].span[1] - arcs[a].span[0], arcs[a].span),
    )
    placed: list[int] = []
    for a in order:
        left, right = arcs[a].span
        below = [
            levels[b]
            for b in placed
            if (arcs[b].span[0] < right and left < arcs[b].span[1])
            or (left == right and arcs[b].span[0] <= left <= arcs[b].span[1])
        ]
        levels[a] = 1 + max(below, default=0)
        placed.append(a)
    return levels


def _ports(arcs: Sequence[Arc], n_words: int) -> tuple[dict[tuple[int, int], float], list[float]]:
    """Offsets from the word's middle for each arc end, and the width all ends of a word take.

    Seen from the word, a longer arc stands further inside, so arcs of one word never cross.
    Keys are (arc index, word).
    """
    ends: list[list[tuple[int, int, int]]] = [[] for _ in range(n_words + 1)]
    for a, arc in enumerate(arcs):
        left, right = arc.span
        if arc.head == 0:
            ends[left].append((1, 0, a))
        else:
            ends[left].append((2, left - right, a))
            ends[right].append((0, right - left, a))
    offsets, widths = {}, [0.0] * (n_words + 1)
    for word, at_word in enumerate(ends):
        for i, (_, _, a) in enumerate(sorted(at_word)):
            offsets[a, word] = (i - (len(at_word) - 1) / 2) * PORT_GAP
        widths[word] = max(0, len(at_word) - 1) * PORT_GAP
    return offsets, widths


def place(
    words: Sequence[str],
    tags: Sequence[str] | None,
    rows: Sequence[Sequence[Arc]],
) -> tuple[list[float], list[list[PlacedArc]], float]:
    """Place words and arcs.

    Args:
        words: the n words.
        tags: n tags shown under the words, or None.
        rows: arc sets that share the words: one above, perhaps one below.

    Returns:
        The x of each word's middle, the placed arcs of each row, and the total width in px.
    """
    n = len(words)
    ports = [_ports(row, n) for row in rows]
    cells = []
    for i, word in enumerate(words, 1):
        tag = text_width(tags[i - 1], TAG_SIZE) if tags else 0.0
        roots = [
            text_width(arc.label, LABEL_SIZE) for row in rows for arc in row if arc.span == (i, i)
        ]
        wide = max(text_width(word, WORD_SIZE), tag, *(w[i] for _, w in ports), *roots)
        cells.append(wide)
    need: dict[int, list[tuple[int, float]]] = {}
    for row, (offsets, _) in zip(rows, ports, strict=True):
        for a, arc in enumerate(row):
            left, right = arc.span
            if left < right:
                flat = text_width(arc.label, LABEL_SIZE) + 26.0
                between = flat + offsets[a, left] - offsets[a, right]
                need.setdefault(right, []).append((left, between))
    xs: list[float] = []
    for i in range(1, n + 1):
        if i == 1:
            xs.append(MARGIN + cells[0] / 2)
            continue
        x = xs[-1] + (cells[i - 2] + cells[i - 1]) / 2 + WORD_GAP
        xs.append(max([x, *(xs[left - 1] + width for left, width in need.get(i, ()))]))
    placed = [_place_row(row, offsets, xs) for row, (offsets, _) in zip(rows, ports, strict=True)]
    total = (xs[-1] + cells[-1] / 2 if xs else 0.0) + MARGIN
    return xs, placed, total


def _place_row(
    row: Sequence[Arc], offsets: dict[tuple[int, int], float], xs: Sequence[float]
) -> list[PlacedArc]:
    levels = arc_levels(row)
    uprights = [
        (xs[word - 1] + offsets[a, word], levels[a])
        for a, arc in enumerate(row)
        for word in sorted(set(arc.span))
    ]
    placed = []
    for a, arc in enumerate(row):
        rise = levels[a] * LEVEL_HEIGHT
        end = xs[arc.dependent - 1] + offsets[a, arc.dependent]
        if arc.head == 0:
            placed.append(PlacedArc(arc, end, end, rise, end))
            continue
        start = xs[arc.head - 1] + offsets[a, arc.head]
        low, high = min(start, end), max(start, end)
        through = sorted(x for x, level in uprights if low < x < high and level > levels[a])
        label_x = _label_position(low, high, through, text_width(arc.label, LABEL_SIZE))
        placed.append(PlacedArc(arc, start, end, rise, label_x))
    return placed


def _label_position(low: float, high: float, through: Sequence[float], width: float) -> float:
    """The middle of the stroke, or of its widest free stretch if other arcs pass the middle."""
    middle, half = (low + high) / 2, width / 2 + 5.0
    if all(abs(x - middle) >= half for x in through):
        return middle
    stops = [low, *through, high]
    stretches = [
        (b - a, -i, (a + b) / 2) for i, (a, b) in enumerate(zip(stops, stops[1:], strict=False))
    ]
    return max(stretches)[2]
