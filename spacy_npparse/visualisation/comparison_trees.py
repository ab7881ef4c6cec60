"""The sentences in which parsers differ most, with their trees against the gold tree."""

from __future__ import annotations

from spacy_npparse.evaluation.parser_comparison import (
    Parser,
    ParserComparison,
    Prediction,
    sentence_text,
)
from spacy_npparse.treebank import Sentence
from spacy_npparse.visualisation.marks import swatch
from spacy_npparse.visualisation.page import ARCS, COMPARED, legend
from spacy_npparse.visualisation.report import section
from spacy_npparse.visualisation.svg import escape
from spacy_npparse.visualisation.trees import render_tree_svg

TREES_STYLE = """
.tree{border-top:1px solid var(--rule);margin-top:10px}
.tree p{margin:0;padding:8px 18px 0;font-size:.88rem}
.tree p span+span{margin-left:16px}
.tree p small{color:var(--soft);margin-left:10px}
"""


def differing_sentences(comparison: ParserComparison, limit: int) -> str:
    """The section of a page about the sentences in which parsers differ most, at most so many;
    empty if there are none."""
    drawn = [_sentence(comparison, sentence) for sentence in comparison.most_different(limit)]
    if not drawn:
        return ""
    several = any(len(parser.seeds) > 1 for parser in comparison.parsers)
    first_seed = " The trees are those of the first seeds." if several else ""
    return section(
        "Where the parsers differ most",
        "The sentences in which the numbers of right words are the furthest apart. Above the words "
        "stands the predicted tree, below them the gold arcs that it misses; relations without "
        f"subtypes.{first_seed}",
        legend(ARCS | COMPARED),
        *drawn,
    )


def _sentence(comparison: ParserComparison, number: int) -> str:
    """All trees of a sentence, equal ones drawn once."""
    gold = comparison.gold[number]
    text = sentence_text(gold)
    first, end = comparison.parsers[0].seeds[0].comparison.gold.sentence_words[number]
    trees: dict[tuple[object, ...], list[int]] = {}
    for i, parser in enumerate(comparison.parsers):
        tree = (parser.seeds[0].sentences[number].heads, *_relations(parser.seeds[0], first, end))
        trees.setdefault(tree, []).append(i)
    drawings = []
    for owners in trees.values():
        names = "".join(_owner(i, comparison.parsers[i], number, end - first) for i in owners)
        seed = comparison.parsers[owners[0]].seeds[0]
        drawings.append(
            f'<div class="tree"><p>{names}</p><div class="scroll" tabindex="0" role="group" '
            f'aria-label="Tree">{_tree(comparison, seed, number, text)}</div></div>'
        )
    sent_id = "" if gold.sent_id is None else f"sent_id = {gold.sent_id}"
    return (
        f'<figure id="s{number + 1}">\n<figcaption><span class="index">{number + 1}</span>'
        f'<span dir="auto">{escape(text)}</span><small>{escape(sent_id)}</small>'
        f"</figcaption>\n{''.join(drawings)}\n</figure>"
    )


def _owner(index: int, parser: Parser, sentence: int, n_words: int) -> str:
    """The name of a parser, and how much it has right."""
    right = ", ".join(str(seed.scores.correct_words[sentence]) for seed in parser.seeds)
    return (
        f"<span>{swatch(index, parser.name)}<small>{right} of {n_words} words right</small></span>"
    )


def _tree(comparison: ParserComparison, seed: Prediction, number: int, text: str) -> str:
    gold, predicted = comparison.gold[number], seed.sentences[number]
    first, end = seed.comparison.gold.sentence_words[number]
    labels = _relations(seed, first, end)
    # A relation that the gold tree leaves out is not predicted wrongly.
    gold_labels = [
        known or label
        for known, label in zip(seed.comparison.gold.deprels[first:end], labels, strict=True)
    ]
    tags = [word.upos for word in gold.words]
    return render_tree_svg(
        [word.form for word in gold.words],
        _heads(predicted),
        labels,
        tags=None if set(tags) == {"_"} else tags,
        gold_heads=_heads(gold),
        gold_labels=gold_labels,
        title=f"Dependency tree: {text}",
        style=False,
    )


def _heads(sentence: Sentence) -> list[int]:
    return [-1 if head is None else head for head in sentence.heads[1:]]


def _relations(seed: Prediction, first: int, end: int) -> list[str]:
    return [label or "_" for label in seed.comparison.system.deprels[first:end]]
