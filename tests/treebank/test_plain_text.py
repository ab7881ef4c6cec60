"""Paragraphs of plain text, and the reconstruction of the text from their Docs."""

import io
import re
from itertools import pairwise

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_npparse.treebank import (
    DocError,
    Paragraph,
    annotate,
    doc_to_conllu,
    paragraphs_of_lines,
    paragraphs_of_text,
    paragraphs_of_treebank,
    parse_sentence,
    raw_texts,
    read_conllu,
    sentences_from_doc,
    write_conllu,
)
from spacy_npparse.treebank.docs import OFFSET_KEY
from spacy_npparse.treebank.raw_text import character_spans

NLP = spacy.blank("xx")
# All line endings, white space without an escape in MISC, and characters that MISC must escape.
TEXTS = st.text(st.sampled_from("ab.-|\\ \t\n\r\f\xa0\x85\u2028ü北")) | st.lists(
    st.sampled_from(["a", "北", "b.", "- c|", "\n", "\n\n", "\r\n", " \n \r\n", "  "])
).map("".join)


def written(text, starts=frozenset(), **options):
    """Return the output for a text, in which the tokens at `starts` begin sentences."""
    docs = list(annotate(NLP, list(paragraphs_of_text(text, **options))))
    sentences = []
    for doc in docs:
        for token in doc:
            token.is_sent_start = token.i in {0, *starts}
        sentences += sentences_from_doc(doc, first_id=len(sentences) + 1)
    return [parse_sentence(str(sentence).split("\n")) for sentence in sentences]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        (" \n\n\f\n", []),
        ("One line", ["One line"]),
        ("A wrapped\nparagraph.\nThree lines.\n", ["A wrapped paragraph. Three lines."]),
        ("One.\n\nTwo.\n \t\n\nThree.", ["One.", "Two.", "Three."]),
        ("\n\n  Indented.\n\n   Indented, too.\n", ["Indented.", "Indented, too."]),
        ("Windows\r\nline ends.\r\n\r\nTwo.\r\n", ["Windows line ends.", "Two."]),
        ("Old\rline ends.\r\rTwo.\r", ["Old line ends.", "Two."]),
        ("A page\n\fbreak.\n\f\nTwo.", ["A page break.", "Two."]),
        ("Hyphen-\nated words  stay\tapart.", ["Hyphen- ated words stay apart."]),
        ("在北 \r\n　京。\n「は\nい」 あ\nA\n한국\n말", ["在北京。「はい」 あ A 한국 말"]),
        ("她说：\n“你好”\n——她\n……\nｶﾀ\nｶﾅ", ["她说：“你好” ——她……ｶﾀｶﾅ"]),
        ("A 　\n京 he —\n“you” 北　\nｶ", ["A 京 he — “you” 北ｶ"]),
    ],
)
def test_paragraphs(text, found):
    assert [paragraph.text for paragraph in paragraphs_of_text(text)] == found


def test_lines():
    text = "One.\n\n  Two\tin a line.\r\n\f\rThree."
    found = list(paragraphs_of_text(text, "name", lines=True))
    assert [one.text for one in found] == ["One.", "Two in a line.", "Three."]
    assert [one.line for one in found] == [1, 3, 5]
    assert [one.document for one in found] == ["name", None, None]


# The definition of paragraphs: the separators in a whole text.
LINE_END = r"(?:\r\n|\n|\r(?!\n))"
AFTER_LINE = rf"{LINE_END}\s*"
AFTER_PARAGRAPH = rf"{LINE_END}(?:[^\S\r\n]*{LINE_END})+\s*"


@given(TEXTS, st.booleans(), st.integers(1, 9))
def test_paragraphs_found_while_reading_are_those_of_the_whole_text(text, lines, chunk):
    ends = [match.end() for match in re.finditer(AFTER_LINE if lines else AFTER_PARAGRAPH, text)]
    originals = [text[begin:end] for begin, end in pairwise([0, *ends, len(text)])]
    if originals and not originals[0].strip() and len(originals) > 1:
        originals[:2] = ["".join(originals[:2])]
    originals = [original for original in originals if original.strip()]
    # A file is decoded in chunks, which may end anywhere.
    file = io.TextIOWrapper(io.BytesIO(text.encode()), "utf-8", newline="")
    file._CHUNK_SIZE = chunk
    found = list(paragraphs_of_lines(file, "name", lines=lines))
    assert [one.original for one in found] == originals
    assert found == list(paragraphs_of_text(text, "name", lines=lines))


@given(TEXTS, st.booleans())
def test_paragraphs_are_the_text(text, lines):
    found = list(paragraphs_of_text(text, "name", lines=lines))
    assert "".join(one.original for one in found) == (text if text.strip() else "")
    for one in found:
        assert text[one.offset :].startswith(one.original)
        before = text[: one.offset + len(one.original) - len(one.original.lstrip())]
        assert one.line == 1 + len(re.sub(r"\r\n?", "\n", before).split("\n")) - 1
        assert one.text == one.text.strip() and not re.search(r"\s\s|[^\S ]", one.text)


@given(TEXTS, st.sets(st.integers(0, 10)))
def test_the_way_back(text, starts):
    sentences = written(text, starts)
    assert "".join(raw_texts(sentences)).rstrip() == text.rstrip()
    assert [p.text for p in paragraphs_of_treebank(sentences)] == [
        p.text for p in paragraphs_of_text(text)
    ]


@given(TEXTS)
def test_lines_are_paragraphs_of_the_treebank(text):
    lines = [paragraph.text for paragraph in paragraphs_of_text(text, lines=True)]
    sentences = written(text, lines=True)
    assert [paragraph.text for paragraph in paragraphs_of_treebank(sentences)] == lines


def test_what_is_written():
    first, second, third = written("  A b\n(cd.\n\n\fD.\xa0E", {3}, name="the file")
    assert str(first) == (
        "# newdoc id = the file\n# newpar\n# sent_id = 1\n# text = A b (\n"
        "1\tA\t_\t_\t_\t_\t_\t_\t_\tSpacesBefore=\\s\\s\n"
        "2\tb\t_\t_\t_\t_\t_\t_\t_\tSpacesAfter=\\n\n"
        "3\t(\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No"
    )
    assert str(second) == (
        "# sent_id = 2\n# text = cd.\n"
        "1\tcd\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
        "2\t.\t_\t_\t_\t_\t_\t_\t_\tSpacesAfter=\\n\\n\\u000c"
    )
    # The last token gets no SpaceAfter=No, because no token follows.
    assert str(third) == (
        "# newpar\n# sent_id = 3\n# text = D. E\n"
        "1\tD.\t_\t_\t_\t_\t_\t_\t_\tSpacesAfter=\\u00a0\n"
        "2\tE\t_\t_\t_\t_\t_\t_\t_\t_"
    )


def test_line_breaks_between_chinese_characters_are_no_spaces():
    text = "他在北\n京\n说。\nOK"
    doc = Paragraph(text).mark(Doc(NLP.vocab, words=["他", "在", "北京", "说", "。", "OK"]))
    (sentence,) = sentences_from_doc(doc)
    assert sentence.metadata["text"] == "他在北京说。 OK"
    assert [(row.form, row.misc) for row in sentence.words] == [
        ("他", "SpaceAfter=No"),
        ("在", "SpaceAfter=No"),
        ("北京", r"SpaceAfter=No|SpacesAfter=\n|SpacesInToken=北\n京"),
        ("说", "SpaceAfter=No"),
        ("。", r"SpacesAfter=\n"),
        ("OK", "_"),
    ]
    assert "".join(raw_texts([sentence])).rstrip() == text


@pytest.mark.parametrize("name", ["", " ", "\n"])
def test_documents_without_name(name):
    assert str(written("a", name=name)[0]).startswith("# newdoc\n# newpar\n")


def test_documents_of_a_file(tmp_path):
    documents = {"a": "One.\n\nTwo.", "b": "Three."}
    inputs = [one for name, text in documents.items() for one in paragraphs_of_text(text, name)]
    docs = list(annotate(NLP, inputs, batch_size=1))
    assert [doc.user_data[OFFSET_KEY] for doc in docs] == [0, 6, 0]
    write_conllu(docs, tmp_path / "out.conllu")
    sentences = list(read_conllu(tmp_path / "out.conllu"))
    assert [text.rstrip() for text in raw_texts(sentences)] == list(documents.values())
    assert [p.document for p in paragraphs_of_treebank(sentences)] == ["a", None, "b"]


@pytest.mark.parametrize("misc", ["SpacesAfter=-", "SpacesBefore=\\s(", "SpacesInToken=un\\sc"])
def test_raw_text_with_characters_of_no_token(misc):
    """Such characters would be missing from every annotation of the text."""
    tokens = [["1", "a", *"_" * 8], ["2", "un e", *"_" * 7, misc]]
    lines = ["# sent_id = s7", *("\t".join(token) for token in tokens)]
    with pytest.raises(DocError, match=r"'s7', token 2 'un e': .* Correct MISC"):
        list(paragraphs_of_treebank([parse_sentence(lines)]))


def test_a_doc_does_not_stick_to_the_next_one(tmp_path):
    write_conllu([NLP("One."), NLP("Two.")], tmp_path / "out.conllu")
    assert "".join(raw_texts(read_conllu(tmp_path / "out.conllu"))) == "One. Two. "


def test_a_doc_of_another_text_is_refused():
    doc = Paragraph("One  two.").mark(Doc(NLP.vocab, words=["One", "three", "."]))
    with pytest.raises(ValueError, match=r"tokens of a Doc \('One three .' …\) are not those"):
        doc_to_conllu(doc)


@given(TEXTS)
def test_spans_of_tokens(text):
    tokens = re.findall(r"\w+|[^\w\s]", text)
    spans = character_spans(text, tokens)
    assert [text[begin:end] for begin, end in spans] == tokens


def test_identifiers_and_metadata_of_paragraphs():
    first = Paragraph("Go. Stop.", 0, 1, "d", {"meta": "x"}, "d-p1s")
    doc = first.mark(NLP("Go. Stop."))
    doc[2].is_sent_start = True
    comments = [line for line in doc_to_conllu(doc).split("\n") if line.startswith("#")]
    assert comments == [
        "# newdoc id = d",
        "# meta = x",
        "# newpar",
        "# sent_id = d-p1s1",
        "# text = Go.",
        "# sent_id = d-p1s2",
        "# text = Stop.",
    ]
