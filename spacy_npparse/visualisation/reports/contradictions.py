"""Arcs of a treebank that parsers contradict, as a page for annotators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from spacy_npparse.annotation.contradictions import Contradiction
from spacy_npparse.evaluation.provenance import Provenance
from spacy_npparse.tables import Cell, Column, Table
from spacy_npparse.treebank import Sentence
from spacy_npparse.trees.missing import NO_HEAD
from spacy_npparse.visualisation.anchors import anchors
from spacy_npparse.visualisation.page import Page, plural, render
from spacy_npparse.visualisation.reports.parts import draw_sentence
from spacy_npparse.visualisation.trees.layout import Arc


class _ContradictedSentence(NamedTuple):
    """A sentence on the page."""

    number: int
    anchor: str
    text: str
    notes: list[str]
    drawing: Markup


def render_contradictions(
    found: Sequence[Contradiction],
    sentences: Sequence[Sentence],
    source: Provenance,
    *,
    title: str = "Contradicted arcs",
) -> Page:
    """Make an HTML page with the arcs of a treebank that parsers contradict.

    Args:
        found: The contradictions, in the order in which they are shown.
        sentences: The sentences of the treebank.
        source: The provenance of the results.
        title: The heading of the page.

    Returns:
        A complete page that needs neither scripts nor network.
    """
    by_sentence: dict[int, list[Contradiction]] = {}
    for one in found:
        by_sentence.setdefault(one.sentence, []).append(one)
    names = [sentences[number].sent_id for number in by_sentence]
    unique = anchors(names, [number + 1 for number in by_sentence])
    links = dict(zip(by_sentence, unique, strict=True))
    n_sentences = len(by_sentence)
    return render(
        "contradictions.html",
        title=title,
        summary=f"{len(found):,} {plural('arc', len(found))} in {n_sentences:,} "
        f"{plural('sentence', n_sentences)}",
        source=source,
        arcs=_table(found, sentences, links),
        sentences=[
            _sentence(sentences[number], number, links[number], arcs)
            for number, arcs in by_sentence.items()
        ],
    )


def _table(
    found: Sequence[Contradiction], sentences: Sequence[Sentence], links: dict[int, str]
) -> Table:
    def arc(one: Contradiction, head: int, label: str) -> str:
        # Words are in the order of the sentence, in which arcs are drawn.
        words = sentences[one.sentence].words
        return f"{words[one.word - 1].form} ←{label}← {words[head - 1].form if head else 'ROOT'}"

    rows = [
        [
            Cell(f"{one.sentence + 1}, word {one.word}", link="#" + quote(links[one.sentence])),
            Cell(arc(one, one.head, one.label), f"{one.probability:.4f}"),
            Cell(
                arc(one, one.predicted_head, one.predicted_label),
                f"{one.predicted_probability:.4f}",
            ),
            one.log_odds,
        ]
        for one in found
    ]
    heads = [Column("sentence"), Column("in the treebank"), Column("parser")]
    heads += [Column("log odds", "{:.2f}".format)]
    return Table("Contradicted arcs", heads, rows, numbered=True)


def _sentence(
    sentence: Sentence, number: int, anchor: str, contradictions: Sequence[Contradiction]
) -> _ContradictedSentence:
    by_word = {one.word: one for one in contradictions}
    above, below = [], []
    for word, row in enumerate(sentence.words, 1):
        one = by_word.get(word)
        head = sentence.heads[word]
        label = row.deprel
        kinds: tuple[str, ...] = ()
        if one is not None and one.predicted_head != head:
            kinds = ("wrong",)
            below.append(Arc(one.predicted_head, word, one.predicted_label, ("gold",)))
        elif one is not None:
            label, kinds = f"{label} (parser: {one.predicted_label})", ("mislabelled",)
        if head != NO_HEAD:
            above.append(Arc(head, word, label, kinds))
    notes = [] if sentence.sent_id is None else [f"sent_id = {sentence.sent_id}"]
    notes += [f"word {one.word}: log odds {one.log_odds:.2f}" for one in contradictions]
    text = " ".join(row.form for row in sentence.words)
    return _ContradictedSentence(
        number + 1, anchor, text, notes, draw_sentence(sentence, above, below)
    )
