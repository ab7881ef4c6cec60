"""The sentences in which parsers differ most, with their trees against the gold tree."""

from __future__ import annotations

from typing import NamedTuple

from markupsafe import Markup

from spacy_npparse.evaluation.analysis import universal
from spacy_npparse.evaluation.attachment import Comparison
from spacy_npparse.evaluation.parser_comparison import Parser, ParserComparison, sentence_text
from spacy_npparse.treebank.sentence import EMPTY
from spacy_npparse.trees.missing import NO_HEAD
from spacy_npparse.visualisation.anchors import anchors
from spacy_npparse.visualisation.plots import Key, key
from spacy_npparse.visualisation.reports.parts import draw_sentence
from spacy_npparse.visualisation.trees.picture import tree_arcs


class ComparedTree(NamedTuple):
    """A tree and the parsers that predict it.

    Attributes:
        drawing: The tree against the gold tree.
        owners: The entry of each parser in the legend, and its numbers of correct words, one for
            each seed.
    """

    drawing: Markup
    owners: list[tuple[Key, str]]


class _PredictedTree(NamedTuple):
    """The heads of words 1..n of a gold sentence, NO_HEAD where a word is not aligned or its head
    is not among them, and the relations."""

    heads: tuple[int, ...]
    labels: tuple[str, ...]


class ComparedSentence(NamedTuple):
    """A sentence with the trees of all parsers.

    Attributes:
        number: The number of the sentence in the gold file, from 1.
        anchor: The anchor of the sentence on the page.
        text: The text of the sentence.
        notes: The sent_id, if the sentence has one.
        n_words: The number of words.
        trees: The different trees.
    """

    number: int
    anchor: str
    text: str
    notes: list[str]
    n_words: int
    trees: list[ComparedTree]


def differing_sentences(comparison: ParserComparison, limit: int) -> list[ComparedSentence]:
    """Find the sentences in which parsers differ most.

    Args:
        comparison: The comparison that `evaluation.compare_parsers` returned.
        limit: The maximum number of sentences.

    Returns:
        The sentences, starting with the one with the largest difference. Sentences with equal trees
        are left out.
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
    found: dict[_PredictedTree, list[int]] = {}
    for i, parser in enumerate(comparison.parsers):
        found.setdefault(_predicted(parser.seeds[0].comparison, place), []).append(i)
    trees = []
    for tree, owners in found.items():
        parsers = [(i, comparison.parsers[i]) for i in owners]
        drawing = _draw(comparison, tree, place)
        trees.append(
            ComparedTree(drawing, [(key(i, p.name), _right_words(p, place)) for i, p in parsers])
        )
    notes = [] if name is None else [f"sent_id = {name}"]
    n_words = len(comparison.gold[place].words)
    return ComparedSentence(place + 1, anchor, text, notes, n_words, trees)


def _predicted(comparison: Comparison, place: int) -> _PredictedTree:
    """Find the predictions for the words of a gold sentence, by the words aligned with them."""
    system = comparison.system
    first, end = comparison.gold.sentence_words[place]
    partners = comparison.aligned[first:end]
    numbers = {partner: number for number, partner in enumerate(partners, 1)}
    heads: list[int] = []
    labels: list[str] = []
    for partner in partners:
        head = NO_HEAD if partner is None else system.heads[partner]
        label = None if partner is None else system.deprels[partner]
        heads.append(0 if head == partner else numbers.get(head, NO_HEAD))
        labels.append(label or EMPTY)
    return _PredictedTree(tuple(heads), tuple(labels))


def _right_words(parser: Parser, place: int) -> str:
    return ", ".join(str(seed.scores.las_of_sentences[place].correct) for seed in parser.seeds)


def _draw(comparison: ParserComparison, tree: _PredictedTree, place: int) -> Markup:
    gold = comparison.gold[place]
    # If the gold tree has no relation, no predicted one counts as wrong.
    gold_labels = [
        label if word.deprel == EMPTY else universal(word.deprel)
        for word, label in zip(gold.words, tree.labels, strict=True)
    ]
    words = [word.form for word in gold.words]
    arcs = tree_arcs(words, tree.heads, tree.labels, gold.heads[1:], gold_labels)
    return draw_sentence(gold, *arcs)
