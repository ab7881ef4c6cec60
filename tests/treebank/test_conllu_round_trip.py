"""Lossless round trips between CoNLL-U, Docs and .spacy, and output of changed Docs."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.attrs import HEAD, SENT_START
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_npparse.treebank import (
    DocError,
    doc_from_sentences,
    doc_to_conllu,
    docs_from_conllu,
    parse_sentence,
    raw_texts,
    read_conllu,
    sentences_from_doc,
    unannotated_doc,
    word_forms,
    write_conllu,
)
from spacy_npparse.treebank.doc_bins import ATTRIBUTES
from spacy_npparse.treebank.docs import CONLLU_KEY
from spacy_npparse.treebank.raw_text import escape, unescape

UD = os.environ.get("SPACY_NPPARSE_UD")
UD_FILES = sorted(Path(UD).rglob("*.conllu")) if UD else []


def saved_and_loaded(docs):
    data = DocBin(
        attrs=ATTRIBUTES,
        store_user_data=True,
        docs=docs,
    ).to_bytes()
    return list(DocBin().from_bytes(data).get_docs(Vocab()))


@pytest.mark.skipif(not UD, reason="SPACY_NPPARSE_UD names no folder with UD treebanks")
@pytest.mark.parametrize("path", UD_FILES, ids=lambda path: path.name)
def test_treebanks(path, tmp_path):
    docs = list(docs_from_conllu(path, Vocab(), sentences_per_doc=10))
    write_conllu(saved_and_loaded(docs), tmp_path / "out.conllu")
    assert (tmp_path / "out.conllu").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("sentences_per_doc", [0, 1, 2])
def test_awkward_file(awkward, vocab, tmp_path, sentences_per_doc):
    docs = list(docs_from_conllu(awkward, vocab, sentences_per_doc))
    assert [len(list(doc.sents)) for doc in docs] == {0: [3, 1], 1: [1] * 4, 2: [2, 1, 1]}[
        sentences_per_doc
    ]
    assert "".join(doc_to_conllu(doc) for doc in docs) == awkward.read_text("utf-8")
    write_conllu(saved_and_loaded(docs), tmp_path / "out.conllu")
    assert (tmp_path / "out.conllu").read_bytes() == awkward.read_bytes()


FIELD = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=5
).filter(lambda text: text.strip() == text)
FEATS = st.one_of(
    st.just("_"), st.lists(st.sampled_from(["B=1", "A=2", "a=x,y", "C[x]=3"])).map("|".join)
).filter(bool)


@st.composite
def sentences(draw):
    n = draw(st.integers(1, 6))
    order = draw(st.permutations(range(1, n + 1)))
    heads = {
        word: draw(st.sampled_from(["_", "0", *map(str, order[:rank])]))
        for rank, word in enumerate(order)
    }
    lines = ["# " + comment for comment in draw(st.lists(FIELD, max_size=2))]
    token_end = 0
    for word in range(1, n + 1):
        if word > token_end and draw(st.booleans()):
            token_end = draw(st.integers(word, n))
            lines.append(f"{word}-{token_end}\t{draw(FIELD)}" + "\t_" * 7 + f"\t{draw(FIELD)}")
        columns = [str(word), draw(FIELD), draw(FIELD), draw(st.sampled_from(["_", "NOUN", "Q"]))]
        columns += [draw(FIELD), draw(FEATS), heads[word]]
        columns += [draw(st.sampled_from(["_", "root", "ROOT", "a:b"])), draw(FIELD), draw(FIELD)]
        lines.append("\t".join(columns))
        for empty in range(draw(st.integers(0, 2))):
            lines.append(f"{word}.{empty + 1}" + "\t_" * 9)
    return parse_sentence(lines)


@settings(max_examples=100, deadline=None)
@given(st.lists(sentences(), min_size=1, max_size=3))
def test_generated_sentences(generated):
    doc = doc_from_sentences(generated, Vocab())
    expected = "".join(f"{sentence}\n\n" for sentence in generated)
    assert doc_to_conllu(doc) == expected
    assert doc_to_conllu(saved_and_loaded([doc])[0]) == expected
    assert len(list(doc.sents)) == len(generated)


def test_what_the_doc_holds(awkward, vocab):
    doc = next(docs_from_conllu(awkward, vocab))
    assert doc.text == "¿Vámonos al mar? "
    assert [(span.text, span.label_) for span in doc._.multiword_tokens] == [
        ("Vámonos", "vamos nos"),
        ("al", "a el"),
    ]
    assert [t.text for t in doc[1:5]] == ["Vámo", "nos", "a", "l"]
    for one in (doc, *saved_and_loaded([doc])):
        assert [t._.form for t in one[1:5]] == ["vamos", "nos", "a", "el"]
        assert [one[1].norm_, one[4].norm_] == ["vamos", "el"]
    assert [token.pos_ for token in doc][:3] == ["PUNCT", "VERB", "PRON"]
    assert [token.tag_ for token in doc][:3] == ["", "V", ""]
    assert str(doc[1].morph) == "Mood=Imp|VerbForm=Fin"
    assert doc[3].has_morph() and str(doc[3].morph) == ""
    assert [token.head.i for token in doc] == [1, 1, 1, 5, 5, 1, 1]
    assert [token.dep_ for token in doc] == [
        "punct",
        "ROOT",
        "obj",
        "case",
        "det:x",
        "obl",
        "punct",
    ]
    assert doc[1].lemma_ == "ir"


def test_multiword_token_spelled_by_its_words_has_no_spaces(vocab):
    lines = ["1-2\tdon't" + "\t_" * 8, "1\tdo" + "\t_" * 8, "2\tn't" + "\t_" * 8]
    doc = doc_from_sentences([parse_sentence(lines)], vocab)
    assert doc.text == "don't "


def test_missing_stays_missing(awkward, vocab):
    doc = list(docs_from_conllu(awkward, vocab))[2]
    assert [token.has_head() for token in doc] == [False, True, False]
    assert [token.dep_ for token in doc] == ["", "dep", ""]
    assert not doc[0].has_morph() and doc[0].lemma_ == "" and doc[0].pos_ == ""


def test_root_without_label_is_a_root(awkward, vocab):
    doc = list(docs_from_conllu(awkward, vocab))[3]
    assert [token.dep_ for token in doc] == ["dep", "dep", "ROOT", "ROOT", "ROOT"]
    assert doc[4].has_head()


def test_no_sentence_begins_inside_a_tree(vocab):
    # spaCy begins sentences inside of trees when their heads are set one by one.
    doc = Doc(vocab, words=list("abcd"))
    for token, head in zip(doc, [2, 3, 2, 0], strict=True):
        token.head, token.dep_ = doc[head], "ROOT" if head == token.i else "dep"
    assert len(list(doc.sents)) == 2
    [sentence] = sentences_from_doc(doc)
    assert sentence.heads[1:] == (3, 4, 0, 1)
    # Interleaved trees: spaCy begins the second sentence at word 2, before the head of word 1.
    tree = {"heads": [2, 3, 2, 3], "deps": ["dep", "dep", "ROOT", "ROOT"]}
    lines = [f"{i}\t{form}" + "\t_" * 8 for i, form in enumerate("abcd", 1)]
    doc = Doc(vocab, words=list("abcd"), **tree)
    assert [sent.start for sent in doc.sents] == [0, 1]
    plain = doc_to_conllu(doc)
    source = unannotated_doc([parse_sentence(lines)], vocab, sentence_starts=False)
    doc.user_data.update(source.user_data)
    for text in (plain, doc_to_conllu(doc)):
        rows = [line.split("\t") for line in text.split("\n") if line[:1].isdigit()]
        assert [row[1] + row[6] for row in rows] == ["a3", "b4", "c0", "d0"]


def test_reparsed_doc_changes_only_the_parse(awkward, vocab):
    doc = next(docs_from_conllu(awkward, vocab))
    before = doc_to_conllu(doc).split("\n")
    doc[5].head = doc[0]
    doc[5].dep_ = "nmod:new"
    doc[6].pos_ = "SYM"
    doc[0].lemma_ = "?"
    doc[1].set_morph("Mood=Ind")
    doc[3].set_morph("")
    doc[2].lemma_ = "yo"
    after = doc_to_conllu(doc).split("\n")
    changed = {
        new.split("\t")[0]: new for old, new in zip(before, after, strict=True) if old != new
    }
    assert changed == {
        "1": before[4].replace("\t¿\t¿\t", "\t¿\t?\t"),
        "2": "2\tvamos\tir\tVERB\tV\tMood=Ind\t0\troot\t0:root|5:conj:and\t_",
        "3": "3\tnos\tyo\tPRON\t_\tCase=Acc,Dat\t2\tobj\t2:obj\t_",
        "6": "6\tmar\tmar\tNOUN\t_\t_\t1\tnmod:new\t2:obl\tSpaceAfter=No",
        "7": "7\t?\t?\tSYM\t_\t_\t2\tpunct\t_\tSpacesAfter=\\s\\s",
    }


def parse_as_chain(doc, starts):
    """Parse a Doc into sentences that start at these tokens and are chains below the first word."""
    heads = [i if i in starts else i - 1 for i in range(len(doc))]
    deps = ["ROOT" if i in starts else "dep" for i in range(len(doc))]
    parsed = Doc(doc.vocab, words=word_forms(doc), heads=heads, deps=deps)
    parsed.user_data.update(doc.user_data)
    return parsed


def test_other_sentence_boundaries(awkward, vocab):
    group = list(read_conllu(awkward))[:3]
    doc = parse_as_chain(doc_from_sentences(group, vocab), {0, 4, 9})
    blocks = doc_to_conllu(doc).rstrip("\n").split("\n\n")
    rows = [[line.split("\t") for line in b.split("\n") if line[0] != "#"] for b in blocks]
    assert [[row[0] for row in sentence] for sentence in rows] == [
        ["1", "2-3", "2", "3", "4"],
        ["1", "2", "3", "4", "5"],
        ["1", "2", "3"],
    ]
    assert [[row[6] for row in sentence if "-" not in row[0]] for sentence in rows] == [
        ["0", "1", "2", "3"],
        ["0", "1", "2", "3", "4"],
        ["0", "1", "2"],
    ]
    assert blocks[0].startswith("# newdoc id = d1\n# newpar\n# sent_id = 1-1\n1\t¿")
    assert blocks[1].startswith("# sent_id = 1-2\n1\tel")
    assert blocks[2].startswith("# nothing annotated")
    assert rows[0][0][8] == "_" and rows[0][0][9] == "SpaceAfter=No|Note=a b"


CUT = """
# newdoc id = a
# newpar
# sent_id = 1
1\tElle\t_\t_\t_\t_\t2\tnsubj\t_\t_
2\tparle\t_\t_\t_\t_\t0\troot\t_\t_
3-4\tdu\t_\t_\t_\t_\t_\t_\t_\tSpacesAfter=\\s\\s
3\tde\t_\t_\t_\t_\t5\tcase\t_\tNote=x
4\tle\t_\t_\t_\t_\t5\tdet\t_\t_
5\tchat\t_\t_\t_\t_\t2\tobl\t_\tSpaceAfter=No

# newpar
# sent_id = 2
1\t!\t_\t_\t_\t_\t0\troot\t_\t_

# newdoc id = b
# sent_id = 3
1\tOui\t_\t_\t_\t_\t0\troot\t_\t_
""".strip()


def cut_before(doc, i):
    """Make heads and sentence starts with one more sentence, in which each token is a root."""
    starts = [1 if token.is_sent_start or token.i == i else -1 for token in doc]
    return np.array([[0, start] for start in starts]).astype(np.uint64)


def cut_sentences():
    return [parse_sentence(block.split("\n")) for block in CUT.split("\n\n")]


def test_cut_multiword_tokens_keep_the_characters_of_the_text(vocab, caplog):
    sentences = cut_sentences()
    doc = doc_from_sentences(sentences, vocab)
    doc.from_array([HEAD, SENT_START], cut_before(doc, 3))
    found = sentences_from_doc(doc)
    words = [(row.form, row.misc) for sentence in found for row in sentence.rows]
    assert words[2:5] == [
        ("d", "Note=x|SpaceAfter=No"),
        ("u", "SpacesAfter=\\s\\s"),
        ("chat", "SpaceAfter=No"),
    ]
    assert "1 multiword tokens cut by a sentence boundary" in caplog.text
    texts = ["".join(raw_texts(each)).split() for each in (found, sentences)]
    assert texts[0] == texts[1]


def test_documents_and_paragraphs_that_begin_inside_a_sentence(vocab, caplog):
    """They begin with the next sentence, if there is one."""
    doc = parse_as_chain(doc_from_sentences(cut_sentences(), vocab), {0, 2, 6})
    found = sentences_from_doc(doc)
    assert [sentence.opening for sentence in found] == [
        {"newdoc id": "a", "newpar": None},
        {},
        {"newpar": None, "newdoc id": "b"},
    ]
    assert [sentence.sent_id for sentence in found] == ["1-1", "1-2", "3"]
    assert found[2].comments[-1] == "# sent_id = 3"
    assert not caplog.text
    sentences_from_doc(parse_as_chain(doc_from_sentences(cut_sentences(), vocab), {0, 5}))
    assert "begin inside the last sentence are not marked" in caplog.text


def test_other_sentence_boundaries_without_trees(vocab):
    text = CUT.replace("\troot\t", "\t_\t").replace("\t0\t", "\t_\t")
    sentences = [parse_sentence(block.split("\n")) for block in text.split("\n\n")][1:]
    doc = unannotated_doc(sentences, vocab, sentence_starts=False)
    assert len(sentences_from_doc(doc)) == 2
    doc[1].is_sent_start = True
    assert sentences_from_doc(doc) == sentences
    doc[1].is_sent_start = False
    [joined] = sentences_from_doc(doc)
    assert [row.form for row in joined.rows] == ["!", "Oui"]


def test_sentences_that_are_joined(vocab):
    """The second one has its old tree, and the first one is attached to it."""
    rows = [["1\ta\t_\t_\t_\t_\t0\troot\t_\t_", "2\tb\t_\t_\t_\t_\t1\tdep\t_\t_"]]
    rows.append(["1\tc\t_\t_\t_\t_\t0\troot\t_\t_"])
    doc = doc_from_sentences(
        [parse_sentence([f"# sent_id = {i}", *r]) for i, r in enumerate(rows)], vocab
    )
    for token in doc[:2]:
        token.head, token.dep_ = doc[2], "dep"
    doc.from_array([SENT_START], np.array([[1], [-1], [-1]], dtype=np.int64).astype(np.uint64))
    [sentence] = sentences_from_doc(doc)
    assert [row.head for row in sentence.words] == ["3", "3", "0"]
    assert sentence.sent_id == "0-1"


def test_same_boundaries_keep_everything_else(awkward, vocab):
    group = list(read_conllu(awkward))[:2]
    doc = parse_as_chain(doc_from_sentences(group, vocab), {0, 7})
    text = doc_to_conllu(doc)
    assert text.count("\n") == sum(len(str(s).split("\n")) + 1 for s in group)
    assert "3.1\tnada" in text and "# a comment = with = signs" in text


def test_merged_tokens_are_written_plainly_with_a_warning(awkward, vocab, caplog):
    doc = next(docs_from_conllu(awkward, vocab))
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[1:3])
    assert "\tVámonos\t" in doc_to_conllu(doc)
    assert "differ from those of the sentences" in caplog.text


def test_doc_of_raw_text(vocab):
    words = ["\n ", "I", "saw", " ", "it", "\t", ".", "\n\n", "Yes", "!", "  "]
    spaces = [False, True, True, False, False, False, False, False, False, False, False]
    doc = Doc(
        vocab,
        words=words,
        spaces=spaces,
        pos=[
            "SPACE",
            "PRON",
            "VERB",
            "SPACE",
            "PRON",
            "SPACE",
            "PUNCT",
            "SPACE",
            "X",
            "X",
            "SPACE",
        ],
        heads=[1, 2, 2, 2, 3, 4, 2, 2, 8, 8, 9],
        deps=["", "nsubj", "ROOT", "dep", "obj", "dep", "punct", "dep", "ROOT", "punct", "dep"],
    )
    assert doc_to_conllu(doc) == (
        "# sent_id = 1\n# text = I saw it .\n"
        "1\tI\t_\tPRON\t_\t_\t2\tnsubj\t_\tSpacesBefore=\\n\\s\n"
        "2\tsaw\t_\tVERB\t_\t_\t0\troot\t_\tSpacesAfter=\\s\\s\n"
        "3\tit\t_\tPRON\t_\t_\t2\tobj\t_\tSpacesAfter=\\t\n"
        "4\t.\t_\tPUNCT\t_\t_\t2\tpunct\t_\tSpacesAfter=\\n\\n\n\n"
        "# sent_id = 2\n# text = Yes!\n"
        "1\tYes\t_\tX\t_\t_\t0\troot\t_\tSpaceAfter=No\n"
        "2\t!\t_\tX\t_\t_\t1\tpunct\t_\tSpacesAfter=\\s\\s\n\n"
    )


def test_raw_text_survives(vocab, tmp_path):
    doc = Doc(
        vocab, words=["\t", "a", "\n|", "b", " \n"], spaces=[False, False, True, False, False]
    )
    write_conllu([doc], tmp_path / "out.conllu")
    assert "".join(raw_texts(read_conllu(tmp_path / "out.conllu"))) == doc.text


def test_unparsed_and_empty_docs(vocab):
    assert doc_to_conllu(Doc(vocab)) == ""
    assert doc_to_conllu(Doc(vocab, words=[" "])) == ""
    assert doc_to_conllu(Doc(vocab, words=["a"])).endswith("1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n")


def test_sentence_ids_go_on_across_docs(vocab, tmp_path):
    write_conllu([Doc(vocab, words=["a"]), Doc(vocab, words=["b"])], tmp_path / "out.conllu")
    comments = [sentence.comments[0] for sentence in read_conllu(tmp_path / "out.conllu")]
    assert comments == ["# sent_id = 1", "# sent_id = 2"]


def test_cycle_in_a_doc_is_refused(vocab):
    doc = Doc(vocab, words=["a", "b"])
    doc[0].head, doc[1].head = doc[1], doc[0]
    doc[0].dep_ = doc[1].dep_ = "dep"
    with pytest.raises(DocError, match="sentence 1: the heads form a cycle: 1 → 2 → 1"):
        doc_to_conllu(doc)


@pytest.mark.parametrize("size", [2, 3])
def test_cycle_of_white_space_is_refused(vocab, size):
    doc = Doc(vocab, words=["a", "\n", "\t", " "][: size + 1])
    for token in doc:
        token.dep_ = "dep"
    # A file may contain such heads. If heads are set one by one, spaCy breaks the cycle.
    offsets = [1] * size + [(1 - size) & 0xFFFFFFFFFFFFFFFF]
    doc.from_array([HEAD], np.array(offsets, dtype=np.uint64))
    with pytest.raises(DocError, match=r"token 0 \('a'\): the heads of the white space .* cycle"):
        doc_to_conllu(doc)


@pytest.mark.parametrize("lemma", ["a\tb", "a\nb"])
def test_annotation_that_conllu_cannot_represent_is_refused(vocab, lemma):
    doc = Doc(vocab, words=["x", "w"], lemmas=["_", lemma])
    with pytest.raises(DocError, match=r"sentence 1, word 2 \('w'\): LEMMA .* a tab or a line end"):
        doc_to_conllu(doc)


@pytest.mark.parametrize("comment", ["# sent_id = s", "# no id"])
def test_sentences_of_treebanks_are_named_by_id_or_words(vocab, comment):
    words = [f"{i}\t{form}\t_\tX\t_\t_\t{i - 1}\tdep\t_\t_" for i, form in enumerate("ab", 1)]
    doc = doc_from_sentences([parse_sentence([comment, *words])], vocab)
    doc[0].head = doc[1]
    doc[1].head = doc[0]
    name = "sentence s" if "sent_id" in comment else "sentence 'a b'"
    with pytest.raises(DocError, match=f"^{name}: the heads form a cycle"):
        doc_to_conllu(doc)


@pytest.mark.parametrize("conllu", [None, [3], ["1\ta"], 7])
def test_damaged_user_data_is_named(vocab, conllu):
    doc = Doc(vocab, words=["a"], user_data={CONLLU_KEY: conllu})
    with pytest.raises(
        DocError, match=r"its CoNLL-U in user_data\['spacy_npparse.conllu'\] is dam"
    ):
        doc_to_conllu(doc)


def test_failed_writing_leaves_the_old_file(vocab, tmp_path):
    path = tmp_path / "out.conllu"
    path.write_text("old")

    def docs():
        yield Doc(vocab, words=["a"])
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_conllu(docs(), path)
    assert path.read_text() == "old" and len(list(tmp_path.iterdir())) == 1


def test_raw_texts(awkward):
    texts = list(raw_texts(read_conllu(awkward)))
    assert texts == ["¿Vámonos al mar?  10  000 _ a b c ", "a b c d e "]


@given(st.text(" \t\n\r|\\sau0\f\xa0\u2028"))
def test_space_escapes(text):
    assert unescape(escape(text)) == text
    assert not any(character.isspace() for character in escape(text))


@given(st.text("\\u0d8f"))
def test_every_text_without_its_escapes_can_be_encoded(text):
    unescape(text).encode("utf-8")


def test_heads_without_labels_are_written(vocab):
    doc = Doc(vocab, ["Go", "now"], heads=[0, 0], deps=["ROOT", "advmod"])
    doc[1].dep = 0
    assert [row.head for row in sentences_from_doc(doc)[0].words] == ["0", "1"]


@pytest.mark.parametrize("is_cut_anew", [False, True])
def test_changed_heads_without_labels_are_written(vocab, is_cut_anew):
    rows = [f"{i}\t{form}" + "\t_" * 8 for i, form in enumerate("abc", 1)]
    doc = unannotated_doc([parse_sentence(rows)], vocab)
    doc[2].head = doc[1]
    if is_cut_anew:
        doc.from_array([SENT_START], np.array([[1], [1], [-1]], dtype=np.int64).astype(np.uint64))
    words = [row for sentence in sentences_from_doc(doc) for row in sentence.words]
    assert [row.head for row in words] == ["_", "_", "1" if is_cut_anew else "2"]


def test_sentences_are_docs(vocab, tmp_path):
    doc = Doc(vocab, ["Go", "now"], heads=[0, 0], deps=["ROOT", "advmod"])
    (sentence,) = doc.sents
    for wrong in (sentence, [sentence], doc):
        with pytest.raises(TypeError, match="give a Doc, of a sentence sentence.as_doc"):
            doc_to_conllu(wrong) if wrong is sentence else write_conllu(wrong, tmp_path / "a")
