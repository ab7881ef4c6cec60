"""Dependency trees of Docs as an HTML page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray
from spacy.tokens import Doc, Span

from spacy_npparse.treebank import parse_sentence
from spacy_npparse.treebank.docs import CONLLU_KEY
from spacy_npparse.treebank.heads import head_tokens
from spacy_npparse.trees.missing import NO_HEAD
from spacy_npparse.visualisation.anchors import anchors
from spacy_npparse.visualisation.page import Page, plural, render
from spacy_npparse.visualisation.trees.drawing import draw_tree
from spacy_npparse.visualisation.trees.picture import ROW_WIDTH, tree_arcs
from spacy_npparse.word_forms import word_forms

_COMPARED = ("wrong", "gold", "mislabelled")
# The heads and labels of a sentence.
_Tree = tuple[list[int], list[str]]


class _DrawnSentence(NamedTuple):
    """A sentence on the page."""

    text: str
    drawing: Markup
    notes: list[str]
    crossing: bool
    sent_id: str | None
    anchor: str = ""


def render_trees(
    docs: Doc | Iterable[Doc],
    *,
    title: str = "Dependency trees",
    gold: Doc | Iterable[Doc] | None = None,
) -> Page:
    """Make an HTML page with a drawing of every sentence.

    Every sentence has a link, which contains its sent_id if the Doc comes from CoNLL-U.

    Args:
        docs: A parsed Doc, or several.
        title: The heading of the page.
        gold: Docs with the same tokens and the correct trees. Wrong arcs and labels are marked.

    Returns:
        A complete page that needs neither scripts nor network. Notebooks display it.

    Raises:
        TypeError: An argument is not a Doc or an iterable of Docs.
        ValueError: A Doc is not parsed, a head is outside its sentence, or the tokens of a gold Doc
            differ.
    """
    docs = _docs(docs)
    gold_docs: Sequence[Doc | None] = [None] * len(docs) if gold is None else _docs(gold)
    if len(gold_docs) != len(docs):
        raise ValueError(
            f"{len(docs)} docs but {len(gold_docs)} gold docs; give one gold Doc for each Doc"
        )
    trees: list[_DrawnSentence] = []
    for index, (doc, gold_doc) in enumerate(zip(docs, gold_docs, strict=True)):
        _check_doc(doc, f"doc {index}")
        if gold_doc is not None:
            _check_doc(gold_doc, f"gold doc {index}")
            if [t.text for t in gold_doc] != [t.text for t in doc]:
                raise ValueError(
                    f"gold doc {index} has other tokens than doc {index}; "
                    "parse the gold tokens to compare trees"
                )
        trees += _trees(doc, gold_doc)
    unique = anchors([tree.sent_id for tree in trees], range(1, len(trees) + 1))
    n_crossing = sum(tree.crossing for tree in trees)
    return render(
        "trees.html",
        title=title,
        summary=f"{len(trees):,} {plural('sentence', len(trees))}, "
        f"{n_crossing:,} with non-projective arcs",
        kinds=["crossing", *(() if gold is None else _COMPARED)],
        n_crossing=n_crossing,
        trees=[tree._replace(anchor=name) for tree, name in zip(trees, unique, strict=True)],
    )


def _docs(given: Doc | Iterable[Doc]) -> list[Doc]:
    docs = [given] if isinstance(given, Doc) else list(given)
    for one in docs:
        if not isinstance(one, Doc):
            raise TypeError(
                f"{one!r} is a {type(one).__name__}; give Docs, of a sentence "
                "sentence.as_doc(copy_user_data=True)"
            )
    return docs


def _trees(doc: Doc, gold_doc: Doc | None) -> Iterator[_DrawnSentence]:
    """Prepare the sentences of a Doc."""
    sentences = list(doc.sents) if len(doc) else []
    sources = doc.user_data.get(CONLLU_KEY, ())
    names = [parse_sentence(text.split("\n")).sent_id for text in sources]
    if len(names) != len(sentences):
        # The parser has split the text into different sentences.
        names = [None] * len(sentences)
    forms = word_forms(doc)
    heads = head_tokens(doc)
    gold_heads = None if gold_doc is None else head_tokens(gold_doc)
    for sentence, name in zip(sentences, names, strict=True):
        part = slice(sentence.start, sentence.end)
        gold = None
        if gold_doc is not None and gold_heads is not None:
            gold = _read(gold_doc[part], gold_heads[part])
        yield _tree(sentence, forms[part], _read(sentence, heads[part]), gold, name)


def _tree(
    sentence: Span, words: list[str], tree: _Tree, gold: _Tree | None, name: str | None
) -> _DrawnSentence:
    gold_heads, gold_labels = gold or (None, None)
    above, below = tree_arcs(words, *tree, gold_heads, gold_labels)
    tagged = sentence.doc.has_annotation("POS")
    drawing = draw_tree(
        words,
        above,
        below=below,
        tags=[t.pos_ for t in sentence] if tagged else None,
        width=ROW_WIDTH,
    )
    n_crossing = sum("crossing" in arc.kinds for arc in above)
    notes = [] if name is None else [f"sent_id = {name}"]
    if n_crossing:
        notes.append(f"{n_crossing} non-projective {plural('arc', n_crossing)}")
    if gold_heads is not None:
        known = sum(head != NO_HEAD for head in gold_heads)
        mislabelled = sum("mislabelled" in arc.kinds for arc in above)
        notes.append(f"{known - len(below)} of {known} heads right")
        if mislabelled:
            notes.append(f"{mislabelled} wrong {plural('label', mislabelled)}")
    return _DrawnSentence(sentence.text, drawing, notes, n_crossing > 0, name)


def _read(span: Span, tokens: NDArray[np.int64]) -> _Tree:
    """Read the heads (1..n, 0 for the root, NO_HEAD where missing) and labels of a sentence.
    tokens: the indices of the heads in the Doc."""
    heads, labels = [], []
    for token, place in zip(span, tokens.tolist(), strict=True):
        head = place - span.start + 1
        if place == NO_HEAD:
            head = NO_HEAD
        elif place == token.i:
            head = 0
        elif not 1 <= head <= len(span):
            raise ValueError(
                f"token {token.i} ({token.text!r}) has its head outside its sentence; "
                "set the sentence boundaries so that each tree lies in one sentence"
            )
        heads.append(head)
        labels.append("root" if head == 0 else token.dep_)
    return heads, labels


def _check_doc(doc: Doc, name: str) -> None:
    if len(doc) and not doc.has_annotation("DEP"):
        raise ValueError(f"{name} has no dependency tree; run a parser over it first")
