"""Geometry of drawings, whose words, labels and arcs must be distinguishable."""

from __future__ import annotations

from itertools import combinations

from hypothesis import example, given
from hypothesis import strategies as st

from spacy_npparse.visualisation.trees.layout import (
    LABEL_SIZE,
    WORD_SIZE,
    Arc,
    arc_levels,
    place,
    place_rows,
    text_width,
)


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[str], list[Arc]]:
    """Draw random trees, with or without crossing arcs, with random words and labels."""
    n = draw(st.integers(1, 12))
    order = draw(st.permutations(range(1, n + 1)))
    heads = {word: order[draw(st.integers(0, i - 1))] if i else 0 for i, word in enumerate(order)}
    text = st.text("aWi.", min_size=1, max_size=9)
    words = [draw(text) for _ in range(n)]
    return words, [Arc(heads[word], word, draw(text)) for word in range(1, n + 1)]


def test_nested_arcs_stack_and_neighbours_share_a_level() -> None:
    arcs = [Arc(1, 2, ""), Arc(3, 2, ""), Arc(1, 4, ""), Arc(0, 3, "")]
    assert arc_levels([arc.span for arc in arcs]) == [1, 1, 2, 3]


def test_crossing_arcs_get_different_levels() -> None:
    first, second = arc_levels([(1, 3), (2, 4)])
    assert first != second


@given(trees())
def test_strokes_never_coincide(tree: tuple[list[str], list[Arc]]) -> None:
    (placed,) = place(tree[0], None, [tree[1]]).sides
    uprights = [x for p in placed for x in {p.start, p.end}]
    assert all(abs(a - b) > 1.0 for a, b in combinations(uprights, 2))
    for a, b in combinations(placed, 2):
        if a.rise == b.rise:
            assert max(a.start, a.end) < min(b.start, b.end) or max(b.start, b.end) < min(
                a.start, a.end
            )


@given(trees())
def test_only_crossing_arcs_cross(tree: tuple[list[str], list[Arc]]) -> None:
    (placed,) = place(tree[0], None, [tree[1]]).sides
    for low, high in combinations(sorted(placed, key=lambda p: p.rise), 2):
        (a, b), (c, d) = low.arc.span, high.arc.span
        ends = {high.start, high.end}
        pierced = any(min(low.start, low.end) < x < max(low.start, low.end) for x in ends)
        inside = (a < c < b) or (a < d < b)
        assert pierced == inside


# The label of the root arc is above another arc at the edge of the word.
@example((["W"] * 8, [*(Arc(8, word, "W") for word in range(1, 8)), Arc(0, 8, "WWWW")]))
@given(trees())
def test_words_and_labels_have_room(tree: tuple[list[str], list[Arc]]) -> None:
    words, arcs = tree
    _, xs, (placed,), width = place(words, None, [arcs])
    edges = [
        (x - text_width(w, WORD_SIZE) / 2, x + text_width(w, WORD_SIZE) / 2)
        for x, w in zip(xs, words, strict=True)
    ]
    assert edges[0][0] > 0 and edges[-1][1] < width
    assert all(left[1] < right[0] for left, right in zip(edges, edges[1:], strict=False))
    for p in placed:
        half = text_width(p.arc.label, LABEL_SIZE) / 2
        assert 0 <= p.label_x - half and p.label_x + half <= width
        if p.arc.head:
            assert min(p.start, p.end) < p.label_x < max(p.start, p.end)
            assert abs(p.end - p.start) > 2 * half


# All free parts of the last arc are too narrow for its long label.
NARROW = [Arc(2, 1, "W"), Arc(0, 2, "W"), *(Arc(2, word, "W") for word in (3, 4))]
NARROW += [*(Arc(1, word, "W") for word in range(5, 12)), Arc(1, 12, "WWWWWWW")]


@given(trees(), st.floats(60, 600))
@example((["W"] * 12, NARROW), 60.0)
def test_rows_hold_every_word_and_every_part_of_an_arc(
    tree: tuple[list[str], list[Arc]], limit: float
) -> None:
    words, arcs = tree
    rows = place_rows(words, None, [arcs], limit)
    numbers = [row.first + i for row in rows for i in range(len(row.xs))]
    assert numbers == list(range(1, len(words) + 1))
    for row in rows:
        assert row.width <= limit or len(row.xs) == 1
        inside = range(row.first, row.first + len(row.xs))
        (placed,) = row.sides
        expected = [a for a in arcs if a.span[0] <= inside[-1] and a.span[1] >= inside[0]]
        assert [p.arc for p in placed] == expected
        for p in placed:
            assert p.from_edge == (p.arc.head not in (0, *inside))
            assert p.to_edge == (p.arc.dependent not in inside)
            half = text_width(p.arc.label, LABEL_SIZE) / 2
            assert 0 <= p.label_x - half and p.label_x + half <= row.width
            assert 0 <= min(p.start, p.end) and max(p.start, p.end) <= row.width
            for x, cut in ((p.start, p.from_edge), (p.end, p.to_edge)):
                if cut:
                    assert x < row.xs[0] or x > row.xs[-1]


def test_rows_are_about_equally_long() -> None:
    words = ["word"] * 60
    arcs = [Arc(max(0, word - 1), word, "dep") for word in range(1, 61)]
    strip = place(words, None, [arcs])
    rows = place_rows(words, None, [arcs], strip.width / 2.5)
    lengths = [len(row.xs) for row in rows]
    assert len(lengths) == 3 and min(lengths) >= 19
    assert place_rows(words, None, [arcs], None) == place_rows(words, None, [arcs], 1e6) == [strip]


def test_a_row_ends_where_few_arcs_are_cut() -> None:
    # Words are attached to the last word of their group of 13 or 7. Word 11 is in the middle.
    arcs = [Arc(0, 13, "root"), Arc(13, 20, "conj")]
    arcs += [Arc(13, word, "dep") for word in range(1, 13)]
    arcs += [Arc(20, word, "dep") for word in range(14, 20)]
    strip = place(["word"] * 20, None, [arcs])
    rows = place_rows(["word"] * 20, None, [arcs], 0.8 * strip.width)
    assert [row.first for row in rows] == [1, 14]


def test_a_label_steps_aside_for_an_arc_that_passes() -> None:
    # 5 -> 1 has its middle at word 3, where the longer crossing arc 3 -> 8 goes up.
    arcs = [Arc(5, 1, "label"), Arc(3, 8, "x"), Arc(0, 5, "root")]
    (placed,) = place(["word"] * 8, None, [arcs]).sides
    assert abs(placed[0].label_x - placed[1].start) > text_width("label", LABEL_SIZE) / 2


def test_wide_scripts_need_more_room() -> None:
    assert text_width("漢字", 10) > text_width("ab", 10) > text_width("il", 10)
    assert text_width("e\u0301", 10) == text_width("e", 10)
