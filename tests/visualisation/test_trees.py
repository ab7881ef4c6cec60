"""Trees as SVG and HTML, which must be complete, escaped, deterministic and self-contained."""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from urllib.parse import unquote

import pytest
import spacy
from spacy.tokens import Doc
from tree_helpers import HEADS, LABELS, PROJECTIVE, TOOLTIP, WORDS, make_doc

from spacy_npparse.treebank import parse_sentence
from spacy_npparse.treebank.docs import CONLLU_KEY, doc_from_sentences
from spacy_npparse.visualisation import render_tree_svg, render_trees
from spacy_npparse.visualisation.page import static
from spacy_npparse.visualisation.trees import page
from spacy_npparse.visualisation.trees.layout import LABEL_SIZE, TAG_SIZE, WORD_SIZE
from spacy_npparse.visualisation.trees.picture import render_sentence_svg
from spacy_npparse.word_forms import add_multiword_tokens, word_forms

SVG = "{http://www.w3.org/2000/svg}"


def arcs(svg: str) -> Counter[str]:
    """Count the arcs of each class; "" counts all arcs."""
    found: Counter[str] = Counter()
    for side in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        if side.get("class") == "npparse-arcs":
            assert len(side) == len((side.get("data-arcs") or "").split())
            for group in side:
                kinds = (group.get("class") or "").split()
                found.update(["", *(kind.removeprefix("npparse-") for kind in kinds)])
    return found


def test_every_arc_and_word_is_drawn() -> None:
    svg = render_tree_svg(WORDS, HEADS, LABELS)
    assert arcs(svg) == {"": 8, "crossing": 1}
    texts = [t.text for t in ElementTree.fromstring(svg).iter(f"{SVG}text")]
    assert Counter(texts) == Counter(WORDS + LABELS)
    assert re.findall(r'npparse-crossing"[^>]*><title>(.*?)<', svg) == [TOOLTIP]


@pytest.mark.parametrize("width", [0, 36.0, -5, float("nan")])
def test_widths_without_room_for_a_word(width: float) -> None:
    with pytest.raises(ValueError, match="must be more than 36"):
        render_tree_svg(WORDS, HEADS, LABELS, width=width)


def test_projective_tree_has_no_crossing_arc() -> None:
    assert arcs(render_tree_svg(["a", "b", "c"], [2, 0, 2], ["x", "root", "y"])) == {"": 3}


def test_missing_heads_leave_words_without_an_arc() -> None:
    heads = [4, 4, 4, -1, 7, 7, 3, -1]
    assert arcs(render_tree_svg(WORDS, heads, LABELS))[""] == 6


def test_wrong_arcs_are_marked_and_the_correct_ones_drawn_below() -> None:
    heads, labels = list(HEADS), list(LABELS)
    heads[6], labels[0], labels[1] = 4, "obj", "cop"
    svg = render_tree_svg(WORDS, heads, labels, gold_heads=HEADS, gold_labels=LABELS)
    assert arcs(svg) == {"": 9, "wrong": 1, "gold": 1, "mislabelled": 2}
    assert "obj (gold: nsubj)" in svg


def test_unknown_gold_heads_are_not_errors() -> None:
    svg = render_tree_svg(WORDS, HEADS, LABELS, gold_heads=[-1] * 8, gold_labels=["?"] * 8)
    assert arcs(svg) == {"": 8, "crossing": 1}


def test_less_probable_arcs_are_lighter_and_doubtful_ones_dashed() -> None:
    probabilities = [0.9, 0.1, None, *[1.0] * 5]
    svg = render_tree_svg(WORDS, HEADS, LABELS, probabilities=probabilities)
    assert arcs(svg) == {"": 8, "crossing": 1, "doubtful": 1}
    assert Counter(re.findall(r'style="--probability: ([^"]+)"', svg)) == {
        "1": 5,
        "0.9": 1,
        "0.1": 1,
    }
    assert "--probability:" not in render_tree_svg(WORDS, HEADS, LABELS)


def test_sentences_are_drawn_with_the_tags_that_they_have() -> None:
    rows = ["1\tGeht\t_\tVERB\t_\t_\t0\troot\t_\t_", "2\tes\t_\tPRON\t_\t_\t1\tnsubj\t_\t_"]
    untagged = [row.replace("VERB", "_").replace("PRON", "_") for row in rows]
    for lines, tags in ((rows, ["VERB", "PRON"]), (untagged, None)):
        svg = render_sentence_svg(parse_sentence(lines), 400.0)
        forms, labels = ["Geht", "es"], ["root", "nsubj"]
        assert svg == render_tree_svg(forms, [0, 1], labels, tags=tags, width=400.0)
    gold = parse_sentence([rows[0], rows[1].replace("nsubj", "expl")])
    assert arcs(render_sentence_svg(parse_sentence(rows), 400.0, gold)) == {"": 2, "mislabelled": 1}


def test_long_sentences_are_broken_into_rows() -> None:
    words = [f"word{i}" for i in range(1, 61)]
    heads = [0, *(max(1, word - 1 - 5 * word % 3) for word in range(2, 61))]
    labels = [f"l{i}" for i in range(1, 61)]
    strip = ElementTree.fromstring(render_tree_svg(words, heads, labels))
    svg = ElementTree.fromstring(render_tree_svg(words, heads, labels, width=800))
    assert float(strip.get("width") or 0) > 3000
    assert float(svg.get("width") or 0) < 900
    sides = [g for g in svg.iter(f"{SVG}g") if g.get("class") == "npparse-arcs"]
    assert len(sides) >= 4
    pairs = [pair for side in sides for pair in (side.get("data-arcs") or "").split()]
    assert {*pairs} == {f"{head}-{word}" for word, head in enumerate(heads, 1)}
    # If an arc is cut, every part has the label, but only one part has the arrow.
    parts = [group for side in sides for group in side]
    assert len(parts) == len(pairs) > 60
    arrows = [
        group.findtext(f"{SVG}text") for group in parts if group.find(f"{SVG}polygon") is not None
    ]
    assert sorted(arrows) == sorted(labels)
    shown = [t.text for t in svg.iter(f"{SVG}text") if (t.text or "").startswith("word")]
    assert shown == words


def test_text_is_escaped() -> None:
    words = ['<script>"&', "\x00\x1b", " \n"]
    svg = render_tree_svg(words, [0, 1, 1], ["<root>", "a&b", "dep"], tags=["<T>", "&", "'"])
    assert "<script>" not in svg
    texts = [t.text for t in ElementTree.fromstring(svg).iter(f"{SVG}text")]
    assert {'<script>"&', "\ufffd\ufffd", "␣", "<root>", "a&b", "<T>"} <= set(texts)


@pytest.mark.parametrize(
    ("heads", "labels", "message"),
    [
        ([0, 1], ["root", "x"], "heads for 3 words"),
        ([0, 1, 1], ["root"], "labels for 3 words"),
        ([0, 3, 2], ["root", "x", "y"], "cycle"),
        ([0, 1, 4], ["root", "x", "y"], "4"),
    ],
)
def test_bad_trees_are_refused(heads: list[int], labels: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        render_tree_svg(["a", "b", "c"], heads, labels)


def test_page_has_a_drawing_for_each_sentence() -> None:
    page = render_trees([make_doc(copies=2), make_doc()], title="A <title>")
    assert page.count("<figure ") == page.count("<svg ") == 3
    assert "3 sentences, 3 with non-projective arcs" in page
    assert page.count("1 non-projective arc<") == 3
    assert "<h1>A &lt;title&gt;</h1>" in page and "<title>A &lt;title&gt;</title>" in page
    assert page.count("<style>") == 1
    assert render_trees(make_doc()) == render_trees([make_doc()])


@pytest.mark.parametrize("part", [0, slice(0, 2)])
def test_parts_of_docs_are_refused(part: int | slice) -> None:
    with pytest.raises(TypeError, match=r"is a (Token|Span); give Docs"):
        render_trees([make_doc()[part]])


def test_words_of_a_doc_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise, the time would grow with the square of the length."""
    docs = [make_doc(), make_doc()]
    calls = []
    monkeypatch.setattr(page, "word_forms", lambda doc: calls.append(doc) or word_forms(doc))
    render_trees(docs)
    assert len(calls) == 2


def test_sentences_have_links() -> None:
    hostile = '"><script>alert(1)</script>'
    names = ["a-1", "twice", "twice", "with space", "s2", hostile, None]
    docs = []
    for name in names:
        rows = [f"1\t{hostile}\t_\tX\t_\t_\t0\troot\t_\t_"]
        comments = [] if name is None else [f"# sent_id = {name}"]
        sentence = parse_sentence([*comments, *rows])
        docs.append(doc_from_sentences([sentence], spacy.blank("xx").vocab))
    page = render_trees(docs, title=hostile)
    assert hostile not in page and "<script>alert" not in page
    found = [html.unescape(name) for name in re.findall(r'<figure id="(.*?)"', page)]
    assert found == ["a-1", "s2", "s3", "s4", "s5", hostile, "s7"]
    links = [unquote(html.unescape(link)) for link in re.findall(r'href="#(.*?)"', page)]
    assert links == found
    # The parser has made one sentence of two, so the names of these do not apply.
    merged = doc_from_sentences([parse_sentence(rows)] * 2, spacy.blank("xx").vocab)
    merged.user_data[CONLLU_KEY].pop()
    assert '<figure id="s1">' in render_trees([merged])


def test_only_pages_with_crossing_arcs_have_a_filter() -> None:
    assert 'id="only-crossing"' in render_trees([make_doc(), make_doc(PROJECTIVE)])
    assert 'id="only-crossing"' not in render_trees([make_doc(PROJECTIVE)])
    page = render_trees([make_doc(), make_doc(PROJECTIVE)])
    assert re.findall("<figure(.*?)>", page) == [' id="s1" class="crossing"', ' id="s2"']


def test_pages_of_many_trees_are_small() -> None:
    short = len(render_trees([make_doc()]).encode())
    more = len(render_trees([make_doc()] * 11).encode())
    # The words have 29 characters. Each word takes less than 250 bytes of the page.
    assert (more - short) / (10 * len(WORDS)) < 250


def test_sizes_of_text_are_those_of_the_layout() -> None:
    style = static("tree.css")
    for name, size in (("words", WORD_SIZE), ("tags", TAG_SIZE), ("arcs text", LABEL_SIZE)):
        [rule] = re.findall(rf"\.npparse-{name} {{([^}}]*font-size[^}}]*)}}", style)
        assert f"font-size: {size:g}px" in rule


def test_page_is_self_contained_and_deterministic() -> None:
    docs = [make_doc()]
    page = render_trees(docs)
    assert page == render_trees(docs)
    assert set(re.findall(r"https?://[^\"\s]+", page)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(link|img|iframe)|\bsrc=|@import|url\(", page)
    assert "prefers-color-scheme: dark" in page


def test_page_compares_with_gold() -> None:
    heads, labels = list(HEADS), list(LABELS)
    heads[6], labels[0] = 4, "obj"
    page = render_trees([make_doc(heads, labels)], gold=[make_doc()])
    assert "7 of 8 heads right · 1 wrong label" in page
    assert "correct arc, below the words" in page
    assert "correct arc, below the words" not in render_trees([make_doc()])


def test_arcs_without_label_and_missing_heads() -> None:
    """An arc may have no label. A missing head is not right, and a missing label not wrong."""
    row = "{}\t{}\t_\t_\t_\t_\t{}\t{}\t_\t_"
    words = [(1, "a", 2, "_"), (2, "b", 0, "root"), (3, "c", "_", "_"), (4, "d", 3, "_")]
    vocab = spacy.blank("xx").vocab
    doc = doc_from_sentences([parse_sentence([row.format(*word) for word in words])], vocab)
    heads, labels = [1, 1, 1, 2], ["nsubj", "ROOT", "obj", "det"]
    gold = Doc(vocab, [word.text for word in doc], heads=heads, deps=labels)
    assert 'data-arcs="0-2 2-1 3-4"' in render_trees([doc])
    page = render_trees([doc], gold=[gold])
    assert "3 of 4 heads right" in page
    assert "4 of 4" not in page
    page = render_trees([gold], gold=[doc])
    assert "3 of 3 heads right" in page and "(gold: )" not in page


def test_empty_input_gives_a_page() -> None:
    assert "0 sentences" in render_trees([])
    assert "0 sentences" in render_trees([Doc(spacy.blank("xx").vocab, words=[])])


def test_docs_that_cannot_be_drawn_are_refused() -> None:
    unparsed = Doc(spacy.blank("xx").vocab, words=["a"])
    with pytest.raises(ValueError, match="doc 0 has no dependency tree"):
        render_trees([unparsed])
    with pytest.raises(ValueError, match="1 docs but 0 gold docs"):
        render_trees([make_doc()], gold=[])
    with pytest.raises(ValueError, match="other tokens"):
        render_trees([make_doc()], gold=[make_doc(words=["x", *WORDS[1:]])])


def test_words_of_multiword_tokens_are_drawn() -> None:
    doc = Doc(
        spacy.blank("xx").vocab,
        ["va", "d", "u"],
        [True, False, False],
        heads=[0, 0, 1],
        deps=["ROOT", "a", "b"],
    )
    add_multiword_tokens(doc, [(1, ("de", "le"))])
    page = render_trees([doc])
    assert ">de<" in page and ">le<" in page and ">u<" not in page
    assert "va du" in page
