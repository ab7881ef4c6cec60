"""Lossless conversion from and to `TokenList`s of conllu."""

import doctest
import os
from pathlib import Path

import conllu
import pytest
from spacy.vocab import Vocab

from spacy_npparse.treebank import (
    ConlluError,
    doc_from_sentences,
    doc_to_conllu,
    doc_to_tokenlists,
    docs,
    docs_from_conllu,
    parse_sentence,
    parsing,
    read_conllu,
    reading,
    writing,
)

UD = os.environ.get("SPACY_NPPARSE_UD")
SAMPLE = Path(__file__).parents[2] / "assets" / "sample_treebank"
FILES = sorted(SAMPLE.glob("*.conllu")) + (sorted(Path(UD).rglob("*-test.conllu")) if UD else [])
WORD = "1\ta\t_\t_\t_\tA=1|B=2\t0\troot\t_\t_"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_same_tokenlists_as_conllu(path):
    with path.open(encoding="utf-8") as file:
        given = list(conllu.parse_incr(file))
    treebank = list(docs_from_conllu(given, Vocab(), sentences_per_doc=0))
    found = [tokens for doc in treebank for tokens in doc_to_tokenlists(doc)]
    written = "".join(tokens.serialize() for tokens in found)
    assert written == "".join(map(doc_to_conllu, treebank)) == path.read_text("utf-8")
    for tokens, others in zip(found, given, strict=True):
        assert tokens.metadata == others.metadata
        for token, other in zip(tokens, others, strict=True):
            # Values that conllu would change when it writes them remain strings.
            assert all(other[field] == v or isinstance(v, str) for field, v in token.items())
            assert token["id"] == other["id"] and token["head"] == other["head"]


def test_awkward_file_keeps_all_columns(awkward, vocab):
    [first, *others] = [doc_to_tokenlists(doc) for doc in docs_from_conllu(awkward, vocab)]
    assert first[0].metadata["newdoc id"] == "d1" and "newpar" in first[0].metadata
    assert [token["id"] for token in first[0]][:3] == [1, (2, "-", 3), 2]
    assert first[0][0]["misc"] == {"SpaceAfter": "No", "Note": "a b"}
    # conllu drops comments without a value by default.
    assert others[2][0].metadata == {"newdoc": None, "two roots whose subtrees interleave": None}
    given = [tokens for tokenlists in [first, *others] for tokens in tokenlists]
    again = list(read_conllu(given))
    assert [s.rows for s in again] == [s.rows for s in read_conllu(awkward)]


def test_columns_that_conllu_would_change_remain_strings(vocab):
    columns = ["1", "two  spaces", "l", "X", "_", "B=1|A=", "0", "root", "0:", "u=v=w\u00a0"]
    sentence = parse_sentence(["\t".join(columns)])
    assert list(sentence.words[0]) == columns
    [tokens] = doc_to_tokenlists(doc_from_sentences([sentence], vocab))
    assert tokens[0]["feats"] == "B=1|A=" and tokens[0]["misc"] == "u=v=w\u00a0"
    assert tokens.serialize() == "\t".join(columns) + "\n\n"


@pytest.mark.parametrize("deps", ["9" * 5000 + ":dep", "0:root|" + "9" * 5000 + ":dep"])
def test_numbers_that_python_refuses_remain_strings(vocab, deps):
    sentence = parse_sentence([f"1\ta\t_\tX\t_\t_\t0\troot\t{deps}\t_"])
    [tokens] = doc_to_tokenlists(doc_from_sentences([sentence], vocab))
    assert tokens[0]["deps"] == deps


def test_tokens_built_by_hand(vocab):
    token = {"head": 0, "upostag": "VERB", "form": "Go", "id": 1, "feats": {"Mood": "Imp"}}
    tokens = conllu.TokenList([token], conllu.Metadata(sent_id="x"))
    doc = next(docs_from_conllu([tokens], vocab))
    assert doc_to_conllu(doc) == "# sent_id = x\n1\tGo\t_\tVERB\t_\tMood=Imp\t0\t_\t_\t_\n\n"


def test_malformed_tokenlists_are_named(vocab, caplog):
    good, cyclic, unknown = conllu.parse(f"# c = d\n{WORD}\n\n" * 3)
    cyclic[0]["head"] = 1
    unknown[0]["parseme:mwe"] = "*"
    with pytest.raises(ConlluError, match="TokenList 2, line 2: head 1 is the word itself"):
        list(read_conllu([good, cyclic]))
    with pytest.raises(ConlluError, match=r"TokenList 1, line 2: unknown fields \['parseme:mwe'\]"):
        list(read_conllu([unknown]))
    with pytest.raises(ConlluError, match="TokenList 1, line 1: sentence without words"):
        list(read_conllu([conllu.TokenList()]))
    assert len(list(docs_from_conllu([cyclic, good, unknown], vocab, on_error="skip"))) == 1
    assert "TokenLists: 2 malformed sentences skipped, 1 read" in caplog.text


def test_one_tokenlist_is_not_a_treebank():
    with pytest.raises(TypeError, match="several conllu.TokenList"):
        list(read_conllu(conllu.parse(WORD)[0]))


def test_number_of_roots_names_the_tokenlist(caplog):
    two_roots = f"{WORD}\n{WORD.replace('1', '2', 1)}"
    list(read_conllu(conllu.parse(f"{WORD}\n\n{two_roots}\n\n")))
    assert "the first at TokenList 2" in caplog.text


@pytest.mark.parametrize("module", [docs, parsing, reading, writing])
def test_examples_of_docstrings(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = doctest.testmod(module)
    assert found.attempted and not found.failed
