"""Rules of multiword tokens, and their choice."""

import os
from pathlib import Path

import pytest
from spacy.vocab import Vocab

from spacy_npparse.tokenization.multiword import MultiwordSplitter, Rule
from spacy_npparse.treebank import (
    docs_from_conllu,
    raw_texts,
    read_conllu,
    sentences_from_doc,
    source_text,
)
from spacy_npparse.treebank.docs import CONLLU_KEY

UD = os.environ.get("SPACY_NPPARSE_UD")
FILES = [
    path
    for name in ("French-Sequoia", "Turkish-IMST")
    for path in sorted(Path(UD or "").glob(f"*/UD_{name}/*.conllu"))
]


@pytest.mark.parametrize(
    "form, words, rule",
    [
        ("du", ("de", "le"), Rule("u", "e", ("le",))),
        ("Au", ("À", "le"), Rule("au", "à", ("le",))),
        ("À", ("A", "a"), Rule("à", "a", ("a",))),
        ("DES", ("DE", "LES"), Rule("s", "", ("les",))),
        ("evdeki", ("evde", "ki"), Rule("ki", "", ("ki",))),
        ("CHP'li", ("CHP", "'li"), Rule("'li", "", ("'li",))),
        ("dámelo", ("da", "me", "lo"), Rule("ámelo", "a", ("me", "lo"))),
        ("İşteki", ("İşte", "ki"), Rule("ki", "", ("ki",))),
    ],
)
def test_rules_and_their_inverse(form, words, rule):
    assert Rule.of(form, words) == rule
    assert rule.split(form) == words


LOCATIVES = {f"{word}ki": (word, "ki") for word in ("evde", "okulda", "suda", "yolda")}


def trained():
    words = {"du": ("de", "le"), "des": ("de", "les"), **LOCATIVES}
    texts = ["le bord des rues", "il voit des rues", "du bord", "odada", *LOCATIVES]
    texts = [*texts, *(first for first, _ in LOCATIVES.values())] * 5

    def tokens(text):
        """Of "des", one that follows a noun is a multiword token."""
        forms = text.split()
        return [(f, words.get(f, ()) if (f, a) != ("des", "voit") else ())
                for f, a in zip(forms, ["", *forms], strict=False)]  # fmt: skip

    return MultiwordSplitter.train([tokens(text) for text in texts])


def test_context_decides_and_new_words_are_split():
    splitter = trained()
    assert list(splitter(["le", "bord", "des", "rues"])) == [(), (), ("de", "les"), ()]
    assert list(splitter(["il", "voit", "des", "rues"])) == [()] * 4
    assert list(splitter(["Du", "odadaki"])) == [("De", "le"), ("odada", "ki")]
    assert list(splitter([])) == []


def test_that_a_token_is_in_the_treebank_is_not_learnt_from_itself():
    """Most words in -ki that occur nowhere else are not split."""
    whole = ["baki", "feki", "goki", "huki", "joki", "kyki", "laki", "muki", "noki", "peki"]
    tokens = [(form, ()) for form in whole] + [(f"{w}ki", (w, "ki")) for w in ("ta", "vu", "wi")]
    splitter = MultiwordSplitter.train([[token] for token in tokens])
    assert list(splitter(["zeki"])) == [()]


def test_saved_and_loaded():
    splitter = trained()
    data = splitter.to_dict()
    assert MultiwordSplitter.from_dict(data).to_dict() == data
    forms = ["le", "bord", "des", "odadaki"]
    assert list(MultiwordSplitter.from_dict(data)(forms)) == list(splitter(forms))


def test_a_treebank_without_multiword_tokens():
    splitter = MultiwordSplitter.train([[("du", ()), ("bord", ())]])
    assert splitter.to_dict() == {"rules": [], "vocabulary": {}, "weights": {}}
    assert list(splitter(["du", "bord"])) == [(), ()]


@pytest.mark.skipif(not UD, reason="SPACY_NPPARSE_UD names no folder with UD treebanks")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_treebanks(path):
    """Rules have the words of all multiword tokens; a Doc without its CoNLL-U is written with the
    same ranges, forms and text."""
    for sentence in read_conllu(path):
        for first, last, row in sentence.multiword_tokens:
            words = tuple(word.form for word in sentence.words[first - 1 : last])
            found = Rule.of(row.form, words).split(row.form)
            assert [word.casefold() for word in found] == [word.casefold() for word in words]
    for doc in docs_from_conllu(path, Vocab(), sentences_per_doc=1):
        [gold] = [block.split("\n") for block in doc.user_data.pop(CONLLU_KEY)]
        [written] = sentences_from_doc(doc)
        rows = [
            line.split("\t")[:2]
            for line in gold
            if line[0] != "#" and "." not in line.split("\t")[0]
        ]
        assert [[row.id, row.form] for row in written.rows] == rows
        assert source_text(doc).strip() == "".join(raw_texts([written])).strip()
