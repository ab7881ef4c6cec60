"""Dependency trees as SVG pictures and as HTML pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spacy.tokens import Doc, Span

from spacy_npparse.trees import complete_heads, nonprojective_arcs
from spacy_npparse.visualisation.layout import Arc
from spacy_npparse.visualisation.page import ARCS, COMPARED, Page, figure, legend, page
from spacy_npparse.visualisation.svg import draw_tree


def render_tree_svg(
    words: Sequence[str],
    heads: Sequence[int],
    labels: Sequence[str],
    *,
    tags: Sequence[str] | None = None,
    gold_heads: Sequence[int] | None = None,
    gold_labels: Sequence[str] | None = None,
    title: str | None = None,
    style: bool = True,
) -> str:
    """Draw one tree; non-projective arcs stand out in colour.

    Args:
        words: the n words.
        heads: n heads, one for each word: 1..n, 0 for the root, -1 where there is none (yet).
        labels: n relations.
        tags: n part-of-speech tags to show under the words.
        gold_heads: n correct heads (-1 where unknown). Wrong arcs are dashed and the correct ones
            are drawn below the words.
        gold_labels: n correct relations; needs `gold_heads`. Wrong labels are marked.
        title: what the picture shows, for readers who cannot see it; the sentence by default.
        style: whether the picture brings its own style sheet; on a page one is enough for all.

    Returns:
        An SVG element, self-contained unless `style` is false.

    Raises:
        ValueError: the lengths differ, or a head is out of range or part of a cycle.
    """
    above, below = tree_arcs(words, heads, labels, gold_heads, gold_labels)
    _check_length("tags", tags, len(words))
    title = title or f"Dependency tree: {' '.join(words)}"
    return draw_tree(words, above, below=below, tags=tags, title=title, style=style)


def render_trees(
    docs: Iterable[Doc], *, title: str = "Dependency trees", gold: Iterable[Doc] | None = None
) -> Page:
    """Write an HTML page with a drawing of every sentence.

    Args:
        docs: parsed Docs.
        title: the heading of the page.
        gold: Docs with the same tokens and the correct trees; wrong arcs and labels are marked.

    Returns:
        A complete page that needs nothing from the network. Notebooks display it.

    Raises:
        ValueError: a Doc is not parsed, a head lies outside its sentence, or the tokens of a gold
            Doc differ.
    """
    docs = list(docs)
    gold_docs: list[Doc | None] = [None] * len(docs) if gold is None else list(gold)
    if len(gold_docs) != len(docs):
        raise ValueError(
            f"{len(docs)} docs but {len(gold_docs)} gold docs; give one gold Doc for each Doc"
        )
    figures, n_sentences, n_crossing = [], 0, 0
    for index, (doc, gold_doc) in enumerate(zip(docs, gold_docs, strict=True)):
        _check_doc(doc, f"doc {index}")
        if gold_doc is not None:
            _check_doc(gold_doc, f"gold doc {index}")
            if [t.text for t in gold_doc] != [t.text for t in doc]:
                raise ValueError(
                    f"gold doc {index} has other tokens than doc {index}; "
                    "parse the gold tokens to compare trees"
                )
        for sentence in doc.sents if len(doc) else ():
            n_sentences += 1
            drawing, notes, crossing = _sentence(sentence, gold_doc)
            n_crossing += crossing
            figures.append(figure(n_sentences, sentence.text, notes, drawing))
    summary = (
        f"{n_sentences:,} {plural(n_sentences, 'sentence')}, {n_crossing:,} with crossing arcs"
    )
    colours = legend(ARCS if gold is None else ARCS | COMPARED)
    return page(title, summary, [colours, *figures])


def _sentence(sentence: Span, gold_doc: Doc | None) -> tuple[str, list[str], bool]:
    """The drawing of a sentence, the notes under its text, and whether its arcs cross."""
    words = [t.text for t in sentence]
    heads, labels = _read(sentence)
    gold_heads = gold_labels = None
    if gold_doc is not None:
        gold_heads, gold_labels = _read(gold_doc[sentence.start : sentence.end])
    above, below = tree_arcs(words, heads, labels, gold_heads, gold_labels)
    tagged = sentence.doc.has_annotation("POS")
    drawing = draw_tree(
        words,
        above,
        below=below,
        tags=[t.pos_ for t in sentence] if tagged else None,
        title=f"Dependency tree: {sentence.text}",
        style=False,
    )
    n_crossing = sum("crossing" in arc.kinds for arc in above)
    notes = [f"{n_crossing} crossing {plural(n_crossing, 'arc')}"] if n_crossing else []
    if gold_heads is not None:
        known = sum(head >= 0 for head in gold_heads)
        wrong = sum("wrong" in arc.kinds for arc in above)
        mislabelled = sum("mislabelled" in arc.kinds for arc in above)
        notes.append(f"{known - wrong} of {known} heads right")
        if mislabelled:
            notes.append(f"{mislabelled} wrong {plural(mislabelled, 'label')}")
    return drawing, notes, n_crossing > 0


def _read(span: Span) -> tuple[list[int], list[str]]:
    """Heads (1..n, 0 for the root, -1 where missing) and labels of a sentence."""
    heads, labels = [], []
    for token in span:
        head = token.head.i - span.start + 1
        if token.head.i == token.i:
            head = 0 if token.dep_ else -1
        elif not 1 <= head <= len(span):
            raise ValueError(
                f"token {token.i} ({token.text!r}) has its head outside its sentence; "
                "set the sentence boundaries so that each tree lies in one sentence"
            )
        heads.append(head)
        labels.append("root" if head == 0 else token.dep_)
    return heads, labels


def tree_arcs(
    words: Sequence[str],
    heads: Sequence[int],
    labels: Sequence[str],
    gold_heads: Sequence[int] | None,
    gold_labels: Sequence[str] | None,
) -> tuple[list[Arc], list[Arc]]:
    """The arcs above the words, and below them the correct arcs that were missed.

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
        gold_head = gold_heads[word - 1] if gold_heads is not None else -1
        gold_label = gold_labels[word - 1] if gold_labels is not None else label
        if gold_head not in (-1, head):
            kinds.append("wrong")
            below.append(Arc(gold_head, word, gold_label, ("gold",)))
        elif gold_head == head and gold_label != label:
            kinds.append("mislabelled")
            label = f"{label} (gold: {gold_label})"
        if head != -1:
            above.append(Arc(head, word, label, tuple(kinds)))
    return above, below


def _crossing(heads: Sequence[int]) -> list[bool]:
    """Which words 1..n hang on a non-projective arc; missing arcs do no harm."""
    return list(nonprojective_arcs(complete_heads([-1, *heads])))


def _check_length(name: str, values: Sequence[object] | None, n: int) -> None:
    if values is not None and len(values) != n:
        raise ValueError(f"{len(values)} {name} for {n} words; give one for each word")


def _check_doc(doc: Doc, name: str) -> None:
    if len(doc) and not doc.has_annotation("DEP"):
        raise ValueError(f"{name} has no dependency tree; run a parser over it first")


def plural(count: int, noun: str) -> str:
    return noun if count == 1 else noun + "s"
