"""The layout of dependency trees: coordinates of words, arcs and labels, without markup.

Arcs are drawn at levels. An arc lies above every shorter arc whose span overlaps with its own, so
nested arcs never touch, and crossing arcs meet only at right angles.

A long sentence is broken into rows. An arc between rows is cut, and in each row it runs to the
edge.
"""

from __future__ import annotations

import math
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

WORD_SIZE = 16.0
TAG_SIZE = 10.5
LABEL_SIZE = 11.5
LEVEL_HEIGHT = 27.0
PORT_GAP = 8.0
WORD_GAP = 20.0
MARGIN = 18.0
# The share by which a row may be shorter or longer than its share of the sentence.
_TOLERANCE = 0.25

_NARROW = frozenset("fijlrtI.,;:'’`|!()[]{}/ ")
_WIDE = frozenset("mwMW@%—…æœÆŒжмфшщыюЖМФШЩЫЮ")


@dataclass(frozen=True)
class Arc:
    """An arc to draw.

    Attributes:
        head: The head, 1..n, or 0 for the root.
        dependent: The dependent, 1..n.
        label: The relation.
        kinds: The classes that determine its colour: "crossing", "wrong", "gold", "mislabelled".
        probability: The probability of the head, which determines how light the arc is; None if
            unknown.
    """

    head: int
    dependent: int
    label: str
    kinds: tuple[str, ...] = ()
    probability: float | None = None

    @property
    def span(self) -> tuple[int, int]:
        """The left and the right end. An arc from the root stands on its dependent alone."""
        if self.head == 0:
            return self.dependent, self.dependent
        return min(self.head, self.dependent), max(self.head, self.dependent)


@dataclass(frozen=True)
class PlacedArc:
    """An arc, or the part of it that lies in a row, with coordinates in px.

    Attributes:
        arc: The arc.
        start: The x of the head's end.
        end: The x of the arrow.
        rise: The distance between the words and the horizontal stroke.
        label_x: The x of the middle of the label.
        from_edge: Whether the head is in another row, so that `start` is an edge of this one.
        to_edge: Whether the dependent is in another row, so that `end` is an edge of this one.
    """

    arc: Arc
    start: float
    end: float
    rise: float
    label_x: float
    from_edge: bool = False
    to_edge: bool = False


class PlacedRow(NamedTuple):
    """The words of a row and the arcs in it.

    Attributes:
        first: The number of the first word, from 1.
        xs: The x of the middle of each word.
        sides: The arcs in the row, for each set of arcs.
        width: The width of the row in px.
    """

    first: int
    xs: list[float]
    sides: list[list[PlacedArc]]
    width: float


def text_width(text: str, size: float) -> float:
    """Estimate an upper bound of the width of a text in a common sans-serif font.

    Args:
        text: The text.
        size: The font size in px.

    Returns:
        The width in px.
    """
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


def arc_levels(spans: Sequence[tuple[int, int]]) -> list[int]:
    """Assign levels 1, 2, … to arcs, so that each arc is above every shorter one whose span
    overlaps with its own.

    Args:
        spans: The left and the right end of each arc, which are equal if it comes from the root.
            Such an arc lies above all arcs that span its word.

    Returns:
        The level of each arc.
    """
    levels = [0] * len(spans)
    order = sorted(
        range(len(spans)),
        key=lambda a: (spans[a][0] == spans[a][1], spans[a][1] - spans[a][0], spans[a]),
    )
    placed: list[int] = []
    for a in order:
        left, right = spans[a]
        below = [
            levels[b]
            for b in placed
            if (spans[b][0] < right and left < spans[b][1])
            or (left == right and spans[b][0] <= left <= spans[b][1])
        ]
        levels[a] = 1 + max(below, default=0)
        placed.append(a)
    return levels


def place_rows(
    words: Sequence[str],
    tags: Sequence[str] | None,
    sides: Sequence[Sequence[Arc]],
    width: float | None,
) -> list[PlacedRow]:
    """Break a sentence into rows and place its words and arcs.

    Args:
        words: The n words.
        tags: The n tags shown under the words; None to show none.
        sides: Sets of arcs that share the words: one above, and possibly one below.
        width: The width of a row in px, which only a single wide word exceeds; None for a single
            row.

    Returns:
        The rows, at least one.
    """
    strip = place(words, tags, sides)
    if width is None or strip.width <= width:
        return [strip]
    spans = [arc.span for side in sides for arc in side]
    # The number of arcs that a break after each word cuts.
    cuts = [sum(left <= word < right for left, right in spans) for word in range(len(words) + 1)]
    rows, first = [], 1
    while first <= len(words):
        last = _row_end(strip.xs, cuts, first, width - 2 * MARGIN)
        # The labels of cut arcs may need more room than in a single row.
        while (row := place(words, tags, sides, first, last)).width > width and last > first:
            last -= 1
        rows.append(row)
        first = last + 1
    return rows


def _row_end(xs: Sequence[float], cuts: Sequence[int], first: int, width: float) -> int:
    """Find the last word of a row, where few arcs are cut and rows are about equally long."""
    start, rest = xs[first - 1], xs[-1] - xs[first - 1]
    if rest <= width:
        return len(xs)
    share = rest / math.ceil(rest / width)
    furthest = start + min(width, share * (1 + _TOLERANCE))
    ends = [
        word
        for word in range(first, len(xs))
        if start + share * (1 - _TOLERANCE) <= xs[word - 1] <= furthest
    ]
    if not ends:
        # A word is wider than the tolerance.
        return max(first, bisect_right(xs, furthest))
    return min(ends, key=lambda word: (cuts[word], abs(xs[word - 1] - start - share)))


def place(
    words: Sequence[str],
    tags: Sequence[str] | None,
    sides: Sequence[Sequence[Arc]],
    first: int = 1,
    last: int | None = None,
) -> PlacedRow:
    """Place the words of one row and the arcs in it.

    Args:
        words: The n words of the sentence.
        tags: The n tags shown under the words; None to show none.
        sides: Sets of arcs that share the words: one above, and possibly one below.
        first: The first word of the row.
        last: The last word of the row; by default n.

    Returns:
        The row.
    """
    last = len(words) if last is None else last
    parts = [_parts(side, first, last) for side in sides]
    ports = [_ports(side, first, last) for side in parts]
    cells = {}
    for word in range(first, last + 1):
        tag = text_width(tags[word - 1], TAG_SIZE) if tags else 0.0
        roots = [
            text_width(part.arc.label, LABEL_SIZE) + 2 * abs(offsets[a, word])
            for side, (offsets, _) in zip(parts, ports, strict=True)
            for a, part in enumerate(side)
            if part.left == part.right == word
        ]
        taken = [widths[word] for _, widths in ports]
        cells[word] = max(text_width(words[word - 1], WORD_SIZE), tag, *taken, *roots)
    need: dict[int, list[tuple[int, float]]] = {}
    for side, (offsets, _) in zip(parts, ports, strict=True):
        for a, part in enumerate(side):
            if part.left < part.right:
                flat = text_width(part.arc.label, LABEL_SIZE) + 26.0
                between = flat + offsets.get((a, part.left), 0.0)
                between -= offsets.get((a, part.right), 0.0)
                need.setdefault(part.right, []).append((part.left, between))
    # The edges count as words before the first one and after the last one.
    xs = {first - 1: MARGIN / 2}
    for word in range(first, last + 1):
        x = xs[word - 1] + (cells[word - 1] / 2 + WORD_GAP if word > first else MARGIN / 2)
        xs[word] = max([x + cells[word] / 2, *_least(xs, need.get(word, ()))])
    end = xs[last] + cells.get(last, 0.0) / 2 + MARGIN / 2
    xs[last + 1] = max([end, *_least(xs, need.get(last + 1, ()))])
    placed = [
        _place_side(side, offsets, xs, first, last)
        for side, (offsets, _) in zip(parts, ports, strict=True)
    ]
    middles = [xs[word] for word in range(first, last + 1)]
    return PlacedRow(first, middles, placed, xs[last + 1] + MARGIN / 2)


class _ArcInRow(NamedTuple):
    """The part of an arc that lies in a row. Cut ends are at first - 1 or last + 1."""

    arc: Arc
    left: int
    right: int


def _parts(arcs: Sequence[Arc], first: int, last: int) -> list[_ArcInRow]:
    parts = []
    for arc in arcs:
        left, right = arc.span
        if left <= last and right >= first:
            parts.append(_ArcInRow(arc, max(left, first - 1), min(right, last + 1)))
    return parts


def _ports(
    parts: Sequence[_ArcInRow], first: int, last: int
) -> tuple[dict[tuple[int, int], float], dict[int, float]]:
    """Compute the offset from the middle of the word for each end of an arc, by arc and word, and
    the width that all ends at a word take.

    Seen from the word, longer arcs stand further inside, so arcs of one word never cross.
    """
    ends: dict[int, list[tuple[int, int, int]]] = {word: [] for word in range(first, last + 1)}
    for a, (arc, left, right) in enumerate(parts):
        if left == right:
            ends[left].append((1, 0, a))
            continue
        length = arc.span[1] - arc.span[0]
        if left in ends:
            ends[left].append((2, -length, a))
        if right in ends:
            ends[right].append((0, length, a))
    offsets, widths = {}, {}
    for word, at_word in ends.items():
        for i, (_, _, a) in enumerate(sorted(at_word)):
            offsets[a, word] = (i - (len(at_word) - 1) / 2) * PORT_GAP
        widths[word] = max(0, len(at_word) - 1) * PORT_GAP
    return offsets, widths


def _least(xs: Mapping[int, float], need: Iterable[tuple[int, float]]) -> list[float]:
    """Compute the least x of a word for each arc that needs room between it and a word to the
    left."""
    return [xs[left] + width for left, width in need]


def _place_side(
    parts: Sequence[_ArcInRow],
    offsets: Mapping[tuple[int, int], float],
    xs: Mapping[int, float],
    first: int,
    last: int,
) -> list[PlacedArc]:
    levels = arc_levels([(part.left, part.right) for part in parts])
    inside = range(first, last + 1)
    uprights = [
        (xs[word] + offsets[a, word], levels[a])
        for a, part in enumerate(parts)
        for word in sorted({part.left, part.right})
        if word in inside
    ]
    placed = []
    for a, (arc, left, right) in enumerate(parts):
        rise = levels[a] * LEVEL_HEIGHT
        low, high = (xs[word] + offsets.get((a, word), 0.0) for word in (left, right))
        if left == right:
            placed.append(PlacedArc(arc, low, low, rise, low))
            continue
        through = sorted(x for x, level in uprights if low < x < high and level > levels[a])
        label_x = _label_position(low, high, through, text_width(arc.label, LABEL_SIZE))
        start, end = (low, high) if arc.head < arc.dependent else (high, low)
        cut = arc.head not in inside, arc.dependent not in inside
        placed.append(PlacedArc(arc, start, end, rise, label_x, *cut))
    return placed


def _label_position(low: float, high: float, through: Sequence[float], width: float) -> float:
    """Find the middle of the stroke, or of its widest free stretch if other arcs pass the middle.
    The label does not extend beyond the stroke, which has room for it."""
    middle, half = (low + high) / 2, width / 2 + 5.0
    if all(abs(x - middle) >= half for x in through):
        return middle
    stops = [low, *through, high]
    stretches = [(b - a, -i, (a + b) / 2) for i, (a, b) in enumerate(pairwise(stops))]
    return min(max(max(stretches)[2], low + width / 2), high - width / 2)
