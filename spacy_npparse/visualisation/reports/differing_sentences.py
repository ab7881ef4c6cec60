"""The sentences in which parsers differ most, with their trees against the gold tree."""

from __future__ import annotations

from typing import NamedTuple

from markupsafe import Markup

from spacy_npparse.evaluation.parser_comparison import (
    Parser,
    ParserComparison,
    Prediction,
    sentence_text,
)
from spacy_npparse.treebank import Sentence
from spacy_npparse.visualisation.anchors import anchors
from spacy_npparse.visualisation.plots import Key, key
from spacy_npparse.visualisation.trees.drawing import draw_tree
from spacy_npparse.visualisation.trees.picture import ROW_WIDTH, tree_arcs


class ComparedTree(NamedTuple):
    """A tree and the parsers that predict it.

    Attributes:
        drawing: The tree against the gold tree.
        owners: For each parser its entry in the legend and the numbers of right words, one for
            each seed.
    """

    drawing: Markup
    owners: list[tuple[Key, str]]


class ComparedSentence(NamedTuple):
    """A sentence with the trees of all parsers.

    Attributes:
        number: Its number in the gold file, from 1.
        anchor: Its anchor on the page.
        text: Its text.
        notes: Its sent_id, if it has one.
        n_words: Its number of words.
        trees: The trees, equal ones once.
    """

    number: int
    anchor: str
    text: str
    notes: list[str]
    n_words: int
    trees: list[ComparedTree]


def differing_sentences(comparison: ParserComparison, limit: int) -> list[ComparedSentence]:
    """The sentences in which parsers differ most.

    Args:
        comparison: From `evaluation.compare_parsers`.
        limit: The largest number of sentences.

    Returns:
        The sentences, the one with the largest difference first; those with equal trees are left
        out.
    """
    places = comparison.most_different(limit)
    names = [comparison.gold[place].sent_id for place in places]
    unique = anchors(names, [place + 1 for place in places])
    return [
        _sentence(comparison, place, name, anchor)
        for place, name, anchor in zip(places, names, unique, strict=True)
    ]


def _sentence(
    comparison: ParserComparison, place: int, name: str | None, anchor: str
) -> ComparedSentence:
    text = sentence_text(comparison.gold[place])
    first, end = comparison.parsers[0].seeds[0].comparison.gold.sentence_words[place]
    found: dict[tuple[object, ...], list[int]] = {}
    for i, parser in enumerate(comparison.parsers):
        seed = parser.seeds[0]
        tree = (seed.sentences[place].heads, *_relations(seed, first, end))
        found.setdefault(tree, []).append(i)
    trees = []
    for owners in found.values():
        parsers = [(i, comparison.parsers[i]) for i in owners]
        drawing = _draw(comparison, parsers[0][1].seeds[0], place)
        trees.append(
            ComparedTree(drawing, [(key(i, p.name), _right_words(p, place)) for i, p in parsers])
        )
    notes = [] if name is None else [f"sent_id = {name}"]
    return ComparedSentence(place + 1, anchor, text, notes, end - first, trees)


def _right_words(parser: Parser, place: int) -> str:
    return ", ".join(str(seed.scores.correct_words[place]) for seed in parser.seeds)


def _draw(comparison: ParserComparison, seed: Prediction, place: int) -> Markup:
    gold, predicted = comparison.gold[place], seed.sentences[place]
    first, end = seed.comparison.gold.sentence_words[place]
    labels = _relations(seed, first, end)
    # Where the gold tree has no relation, none is wrong.
    gold_labels = [
        known or label
        for known, label in zip(seed.comparison.gold.deprels[first:end], labels, strict=True)
    ]
    words = [word.form for word in gold.words]
    above, below = tree_arcs(words, _heads(predicted), labels, _heads(gold), gold_labels)
    tags = [word.upos for word in gold.words]
    return draw_tree(
        words,
        above,
        below=below,
        tags=None if set(tags) == {"_"} else tags,
        title="Dependency tree",
        width=ROW_WIDTH,
    )


def _heads(sentence: Sentence) -> list[int]:
    return [-1 if head is None else head for head in sentence.heads[1:]]


def _relations(seed: Prediction, first: int, end: int) -> list[str]:
    return [label or "_" for label in seed.comparison.system.deprels[first:end]]
