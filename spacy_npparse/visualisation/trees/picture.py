"""A dependency tree as an SVG picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from spacy_npparse.treebank import Sentence
from spacy_npparse.treebank.sentence import EMPTY
from spacy_npparse.trees import complete_heads, nonprojective_arcs
from spacy_npparse.trees.missing import NO_HEAD
from spacy_npparse.visualisation.trees.drawing import draw_tree
from spacy_npparse.visualisation.trees.layout import MARGIN, Arc

# The width in px at which wider sentences are broken into rows on pages: the inside of a card on
# the widest page, see `page.css`. In narrower windows, drawings shrink a little before their boxes
# scroll.
ROW_WIDTH = 1398.0


def render_tree_svg(
    words: Sequence[str],
    heads: Sequence[int],
    labels: Sequence[str],
    *,
    tags: Sequence[str] | None = None,
    gold_heads: Sequence[int] | None = None,
    gold_labels: Sequence[str] | None = None,
    title: str | None = None,
    width: float | None = None,
    probabilities: Sequence[float | None] | None = None,
) -> str:
    """Draw a tree, with non-projective arcs in colour.

    Args:
        words: The n words.
        heads: The n heads, one for each word: 1..n, 0 for the root, NO_HEAD where there is none.
        labels: The n relations.
        tags: The n part-of-speech tags shown under the words; None to show none.
        gold_heads: The n correct heads (NO_HEAD where unknown). Wrong arcs are dashed, and the
            correct ones are drawn below the words.
        gold_labels: The n correct relations, which need `gold_heads`. Wrong labels are marked.
        title: The text alternative; by default the sentence.
        width: The width in px at which the sentence is broken into rows; None for a single row.
        probabilities: The n probabilities of the heads, None where unknown. The lighter an arc, the
            less probable is its head. Arcs with a probability below 0.5 are dashed.

    Returns:
        A self-contained SVG element.

    Raises:
        ValueError: The lengths differ, a head is out of range or part of a cycle, or the width has
            no room for a word.
    """
    above, below = tree_arcs(words, heads, labels, gold_heads, gold_labels)
    _check_length("tags", tags, len(words))
    _check_length("probabilities", probabilities, len(words))
    if width is not None and not width > 2 * MARGIN:
        raise ValueError(f"width is {width}, but must be more than {2 * MARGIN:.0f}")
    if probabilities is not None:
        above = [replace(arc, probability=probabilities[arc.dependent - 1]) for arc in above]
    drawing = draw_tree(
        words,
        above,
        below=below,
        tags=tags,
        title=title or f"Dependency tree: {' '.join(words)}",
        width=width,
        alone=True,
    )
    return str(drawing)


def render_sentence_svg(
    sentence: Sentence,
    width: float,
    gold: Sentence | None = None,
    probabilities: Sequence[float | None] | None = None,
) -> str:
    """Draw the tree of a CoNLL-U sentence with its UPOS tags; see `render_tree_svg`.

    Args:
        sentence: The sentence.
        width: The width in px at which the sentence is broken into rows.
        gold: The same words with the correct tree.
        probabilities: The probability of the head of each word.
    """
    tags = [row.upos for row in sentence.words]
    return render_tree_svg(
        [row.form for row in sentence.words],
        sentence.heads[1:],
        [row.deprel for row in sentence.words],
        tags=None if {*tags} == {EMPTY} else tags,
        gold_heads=None if gold is None else gold.heads[1:],
        gold_labels=None if gold is None else [row.deprel for row in gold.words],
        width=width,
        probabilities=probabilities,
    )


def tree_arcs(
    words: Sequence[str],
    heads: Sequence[int],
    labels: Sequence[str],
    gold_heads: Sequence[int] | None,
    gold_labels: Sequence[str] | None,
) -> tuple[list[Arc], list[Arc]]:
    """Make the arcs above the words, and the missed correct arcs below them.

    Arguments and errors are those of `render_tree_svg`.
    """
    n = len(words)
    for name, values in (
        ("heads", heads),
        ("labels", labels),
        ("gold_heads", gold_heads),
        ("gold_labels", gold_labels),
    ):
        _check_length(name, values, n)
    crossing = _crossing(heads)
    above, below = [], []
    for word in range(1, n + 1):
        head, label = heads[word - 1], labels[word - 1]
        kinds = ["crossing"] if crossing[word] else []
        gold_head = gold_heads[word - 1] if gold_heads is not None else NO_HEAD
        gold_label = gold_labels[word - 1] if gold_labels is not None else label
        if gold_head not in (NO_HEAD, head):
            kinds.append("wrong")
            below.append(Arc(gold_head, word, gold_label, ("gold",)))
        elif gold_head == head and gold_label not in ("", label):
            kinds.append("mislabelled")
            label = f"{label} (gold: {gold_label})"
        if head != NO_HEAD:
            above.append(Arc(head, word, label, tuple(kinds)))
    return above, below


def _crossing(heads: Sequence[int]) -> list[bool]:
    """Check which words 1..n have a non-projective arc. Missing arcs are ignored."""
    return list(nonprojective_arcs(complete_heads([NO_HEAD, *heads])))


def _check_length(name: str, values: Sequence[object] | None, n: int) -> None:
    if values is not None and len(values) != n:
        raise ValueError(f"{len(values)} {name} for {n} words; give one for each word")
