"""Docs that spaCy has copied, cut or joined, or whose tokens it has merged or split."""

import pytest
from spacy.tokens import Doc, DocBin, Token
from spacy.vocab import Vocab

from spacy_npparse.treebank import DocError, doc_to_conllu, word_forms
from spacy_npparse.word_forms import add_multiword_tokens, form_ids, multiword_tokens

FORMS = ["Jean", "Paul", "vient", "de", "le", "train", "."]


@pytest.fixture
def doc():
    spaces = [True, True, True, False, True, True, False]
    doc = Doc(Vocab(), ["Jean", "Paul", "vient", "d", "u", "train", "."], spaces)
    add_multiword_tokens(doc, [(3, ("de", "le"))])
    return doc


def columns(doc):
    lines = [line for line in doc_to_conllu(doc).splitlines() if line and line[0] != "#"]
    return [tuple(line.split("\t")[:2]) for line in lines]


def test_tokens_merged_before_a_multiword_token(doc):
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    ids = ["1", "2", "3-4", "3", "4", "5", "6"]
    forms = ["Jean Paul", "vient", "du", "de", "le", "train", "."]
    assert columns(doc) == list(zip(ids, forms, strict=True))
    assert word_forms(doc) == [token._.form for token in doc] == forms[:2] + forms[3:]


def test_tokens_split_before_a_multiword_token(doc):
    with doc.retokenize() as retokenizer:
        retokenizer.split(doc[2], ["vi", "ent"], heads=[doc[1], doc[1]])
    assert columns(doc)[2:6] == [("3", "vi"), ("4", "ent"), ("5-6", "du"), ("5", "de")]
    assert (
        word_forms(doc) == [token._.form for token in doc] == [*FORMS[:2], "vi", "ent", *FORMS[3:]]
    )


def test_forms_of_a_doc_with_many_values(doc):
    if not Token.has_extension("number"):
        Token.set_extension("number", default=None)
    other = Doc(doc.vocab, ["a"] * 120)
    for token in other:
        token._.number = token.i
    assert [token._.form for token in other] == ["a"] * 120
    joined = Doc.from_docs([other, doc])
    assert [token._.form for token in joined] == [*["a"] * 120, *FORMS]
    add_multiword_tokens(other, [(2, ("b", "c"))])
    assert [token._.form for token in other[1:5]] == ["a", "b", "c", "a"]


def test_multiword_tokens_of_a_memory_zone_are_forgotten():
    """Notes of the multiword tokens of all requests would fill the memory of a server."""
    vocab = Vocab()
    with vocab.memory_zone():
        add_multiword_tokens(Doc(vocab, ["d", "u"], [False, False]), [(0, ("de", "le"))])
    other = Doc(vocab, ["d", "u"], [False, False])
    for token, norm in zip(other, ["de", "le"], strict=True):
        token.norm_ = norm
    assert word_forms(other) == ["d", "u"]


@pytest.mark.parametrize("start, end, merged", [(3, 5, "du"), (2, 6, "vient du train")])
def test_all_words_of_a_multiword_token_merged(doc, start, end, merged):
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[start:end])
    assert doc.text == "Jean Paul vient du train ."
    assert columns(doc)[start] == (str(start + 1), merged)
    assert word_forms(doc)[start] == doc[start]._.form == merged


@pytest.mark.parametrize("start, end", [(4, 6), (2, 4)])
def test_some_words_of_a_multiword_token_merged(doc, start, end):
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[start:end])
    with pytest.raises(DocError, match="'du' has the words 'de', 'le', and tokens that are not"):
        doc_to_conllu(doc)
    assert word_forms(doc) == [token._.form for token in doc] == [token.text for token in doc]


def test_a_word_of_a_multiword_token_split(vocab):
    other = Doc(vocab, ["de", "lle"], [False, False])
    add_multiword_tokens(other, [(0, ("di", "le"))])
    with other.retokenize() as retokenizer:
        retokenizer.split(other[1], ["l", "le"], heads=[other[0], other[0]])
    with pytest.raises(DocError, match="tokens that are not theirs: 'de', 'l', 'le'"):
        doc_to_conllu(other)
    assert word_forms(other) == ["de", "l", "le"]


@pytest.mark.parametrize("user_data", [False, True])
def test_doc_bin(doc, user_data):
    data = DocBin(docs=[doc], store_user_data=user_data).to_bytes()
    [loaded] = DocBin().from_bytes(data).get_docs(Vocab())
    assert doc_to_conllu(loaded) == doc_to_conllu(doc)
    assert word_forms(loaded) == [token._.form for token in loaded] == FORMS


def test_bytes_and_copies(doc, recwarn):
    for one in (doc.copy(), Doc(Vocab()).from_bytes(doc.to_bytes())):
        assert doc_to_conllu(one) == doc_to_conllu(doc)
        assert [token.norm_ for token in one][3:5] == ["de", "le"]
    assert not recwarn.list


def test_joined_docs(doc, recwarn):
    joined = Doc.from_docs([doc, doc])
    assert not recwarn.list
    assert joined.text == "Jean Paul vient du train . Jean Paul vient du train ."
    assert word_forms(joined) == [token._.form for token in joined] == FORMS * 2
    assert [form for number, form in columns(joined) if "-" in number] == ["du", "du"]
    # They are looked for once, not for each word.
    assert [words for *_, words in joined.spans["mwt"].attrs["words"]] == [["de", "le"]] * 2


def test_parts_without_their_multiword_tokens_are_refused(doc):
    part = doc[2:5].as_doc()
    for read in (doc_to_conllu, word_forms, form_ids, multiword_tokens):
        with pytest.raises(
            DocError, match=r"'vient du ' has words .* lost their forms: span.as_doc\(\)"
        ):
            read(part)
    assert word_forms(doc[:3].as_doc()) == FORMS[:3]
    assert [form for _, form in columns(doc[5:].as_doc())] == FORMS[5:]
    joined = Doc.from_docs([doc, doc], exclude=["user_data"])
    with pytest.raises(DocError, match=r"Doc.from_docs\(\) without user data"):
        word_forms(joined)


@pytest.mark.parametrize("start, end", [(2, 4), (4, 6)])
def test_parts_that_cut_a_multiword_token_are_refused(doc, start, end):
    with pytest.raises(DocError, match="lost their forms"):
        word_forms(doc[start:end].as_doc())


def test_the_same_slices_elsewhere_are_no_multiword_tokens(doc):
    """Tokenizer exceptions of spaCy have norms as well, such as "n't" in English."""
    other = Doc(doc.vocab, words=["le", "u", "d", "a"], spaces=[True, False, True, False])
    other[1].norm_, other[2].norm_ = "le", "de"
    assert (other[2].orth, other[2].norm) == (doc[3].orth, doc[3].norm)
    assert word_forms(other) == [token._.form for token in other] == ["le", "u", "d", "a"]


def test_parts_of_docs_of_another_process(doc):
    saved = DocBin(docs=[doc], store_user_data=True).to_bytes()
    [again] = DocBin().from_bytes(saved).get_docs(Vocab())
    assert word_forms(again) == FORMS
    with pytest.raises(DocError, match="lost their forms"):
        word_forms(again[2:5].as_doc())


def test_parts_with_their_multiword_tokens(doc):
    part = doc[2:5].as_doc(copy_user_data=True)
    assert word_forms(part) == [token._.form for token in part] == FORMS[2:5]
    assert [form for _, form in columns(part)] == ["vient", "du", "de", "le"]


@pytest.mark.parametrize(
    "start, end, forms, is_cut",
    [
        (0, 3, ["à", "les", "vient"], False),
        (0, 5, ["à", "les", "vient", "de", "le"], False),
        (5, 6, ["train"], False),
        (5, 8, ["train", "à", "les"], False),
        (2, 4, ["vient", "d"], True),
        (4, 6, ["u", "train"], True),
    ],
)
def test_parts_next_to_multiword_tokens(start, end, forms, is_cut):
    """span.as_doc() also copies the multiword tokens outside the span."""
    words = ["au", "x", "vient", "d", "u", "train", "au", "x"]
    doc = Doc(Vocab(), words, [False, True, True, False, True, True, False, False])
    add_multiword_tokens(doc, [(0, ("à", "les")), (3, ("de", "le")), (6, ("à", "les"))])
    part = doc[start:end].as_doc(copy_user_data=True)
    assert word_forms(part) == [token._.form for token in part] == forms
    if is_cut:
        with pytest.raises(DocError, match="'de', 'le', .* do not cut the Doc between them"):
            doc_to_conllu(part)
    else:
        assert [form for number, form in columns(part) if number.isdecimal()] == forms


def test_merged_docs_can_be_copied_and_saved():
    """spaCy cannot copy or save a Doc with spans that end beyond it."""
    doc = Doc(Vocab(), ["Jean", "Paul", "vient", "d", "u"], [True, True, True, False, False])
    add_multiword_tokens(doc, [(3, ("de", "le"))])
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    data = DocBin(docs=[doc]).to_bytes()
    saved = Doc(Vocab()).from_bytes(doc.to_bytes())
    joined = Doc.from_docs([doc, doc])[:4].as_doc(copy_user_data=True)
    for one in (doc, doc.copy(), saved, joined, *DocBin().from_bytes(data).get_docs(Vocab())):
        assert word_forms(one) == ["Jean Paul", "vient", "de", "le"]
        assert [(s.text, s.label_) for s in one._.multiword_tokens] == [("du", "de le")]


def test_words_with_spaces_and_backslashes():
    doc = Doc(Vocab(), ["x", "y"], [False, False])
    words = (r"a\s b", "\\ ")
    add_multiword_tokens(doc, [(0, words)])
    assert tuple(word_forms(doc)) == words
