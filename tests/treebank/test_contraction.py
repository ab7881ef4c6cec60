"""Multiword tokens with fewer characters than words, such as Portuguese "à"."""

import pytest
import spacy
from brute_force import all_trees
from spacy.vocab import Vocab

from spacy_npparse.components import (
    ConstraintError,
    constraints_of_sentence,
    set_given_labels,
)
from spacy_npparse.treebank import (
    ConlluCorpus,
    Kept,
    doc_from_sentences,
    doc_to_conllu,
    docs_from_conllu,
    keep_annotation,
    parse_sentence,
    sentences_from_doc,
    unannotated_doc,
    word_forms,
)
from spacy_npparse.treebank.contraction import contracted
from spacy_npparse.treebank.head_distributions import DISTRIBUTIONS_KEY
from spacy_npparse.trees import is_projective

TEXT = """\
# sent_id = 1
# text = Foi à festa do rio.
1	Foi	ir	VERB	_	_	0	root	0:root	_
2-3	à	_	_	_	_	_	_	_	Gloss=to
2	a	a	ADP	_	_	4	case	4:case	HeadDistribution=4:1.0
3	a	o	DET	_	Gender=Fem	4	det	4:det	_
4	festa	festa	NOUN	_	_	1	obl	1:obl:a	_
4.1	nada	_	_	_	_	_	_	1:dep	_
5-6	do	_	_	_	_	_	_	_	_
5	de	de	ADP	_	_	7	case	7:case	_
6	o	o	DET	_	_	7	det	7:det	_
7	rio	rio	NOUN	_	_	4	nmod	4:nmod:de	SpaceAfter=No
8	.	.	PUNCT	_	_	1	punct	1:punct	_
"""
CONTRACTED = """\
1	Foi	ir	VERB	_	_	0	root	_	_
2	à	a	ADP	_	_	3	case	_	Gloss=to
3	festa	festa	NOUN	_	_	1	obl	_	_
4-5	do	_	_	_	_	_	_	_	_
4	de	de	ADP	_	_	6	case	_	_
5	o	o	DET	_	_	6	det	_	_
6	rio	rio	NOUN	_	_	3	nmod	_	SpaceAfter=No
7	.	.	PUNCT	_	_	1	punct	_	_
"""


@pytest.fixture
def sentence():
    return parse_sentence(TEXT.rstrip("\n").split("\n"))


def rows(text):
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def test_the_contracted_sentence(sentence):
    found = contracted(sentence)
    assert ["\t".join(row) for row in found.rows] == rows(CONTRACTED)
    assert found.heads == (-1, 0, 3, 1, 6, 6, 3, 1)
    assert str(found) == str(sentence)
    assert contracted(found) is found


def test_the_doc_has_the_text_and_is_written_as_it_was_read(sentence):
    doc = doc_from_sentences([sentence], Vocab())
    assert doc.text.strip() == "Foi à festa do rio."
    assert [token.text for token in doc] == ["Foi", "à", "festa", "d", "o", "rio", "."]
    assert word_forms(doc) == ["Foi", "à", "festa", "de", "o", "rio", "."]
    assert doc[1].head.i == 2 and doc[1].dep_ == "case" and doc[1].lemma_ == "a"
    assert doc_to_conllu(doc) == TEXT + "\n"
    # The output has all words.
    assert len(sentences_from_doc(doc)[0].words) == 8


def test_a_changed_sentence_keeps_all_words(sentence):
    other = parse_sentence(["1\tSim\tsim\tADV\t_\t_\t0\troot\t0:root\t_"])
    doc = doc_from_sentences([sentence, other], Vocab())
    doc[2].lemma_ = "FESTA"
    changed, unchanged = doc_to_conllu(doc).rstrip("\n").split("\n\n")
    assert rows(changed) == rows(TEXT.replace("\tfesta\tN", "\tFESTA\tN"))
    assert unchanged == str(other)


def test_words_get_the_annotation_of_their_token(sentence):
    doc = doc_from_sentences([sentence], Vocab())
    doc[1].head, doc[1].dep_, doc[1].pos_ = doc[5], "mark", "X"
    written = [row.split("\t") for row in rows(doc_to_conllu(doc))]
    assert [(row[0], row[3], *row[6:8]) for row in written[1:4]] == [
        ("2-3", "_", "_", "_"),
        ("2", "X", "7", "mark"),
        ("3", "DET", "7", "det"),
    ]
    doc[1].head, doc[1].dep_ = doc[1], "ROOT"
    doc[0].head, doc[0].dep_ = doc[1], "conj"
    written = [row.split("\t") for row in rows(doc_to_conllu(doc))]
    assert [tuple(row[6:8]) for row in written[:4]] == [
        ("2", "conj"),
        ("_", "_"),
        ("0", "root"),
        ("2", "dep"),
    ]


def test_unannotated(sentence):
    doc = unannotated_doc([sentence], Vocab())
    assert len(doc) == 7
    for token in doc:
        token.head, token.dep_ = doc[0], "obl" if token.i else "ROOT"
    written = [row.split("\t") for row in rows(doc_to_conllu(doc))]
    assert [row[0] for row in written] == "1 2-3 2 3 4 5-6 5 6 7 8".split()
    assert [row[7] for row in written[2:4]] == ["obl", "obl"]


def test_other_boundaries_make_them_one_word(sentence, caplog):
    other = parse_sentence(["1\tSim\tsim\tADV\t_\t_\t0\troot\t0:root\t_"])
    doc = unannotated_doc([sentence, other], Vocab(), sentence_starts=False)
    for token in doc:
        token.head, token.dep_ = doc[0], "obl" if token.i else "ROOT"
    (found,) = sentences_from_doc(doc)
    assert [row.id for row in found.rows] == "1 2 3 4-5 4 5 6 7 8".split()
    assert "1 multiword tokens with fewer characters than words" in caplog.text


def test_columns_that_are_kept_are_not_filled():
    text = TEXT.replace("a\tADP\t_\t_", "a\tADP\t_\tGender=Fem").replace(
        "DET\t_\tGender=Fem", "DET\t_\t_"
    )
    sentence = parse_sentence(text.rstrip("\n").split("\n"))
    doc = unannotated_doc([sentence], Vocab())
    for token in doc:
        token.head, token.dep_ = doc[0], "obl" if token.i else "ROOT"
        token.set_morph("Case=Nom")
    keep_annotation(doc, [sentence], [Kept.FEATS])
    written = [row.split("\t") for row in rows(doc_to_conllu(doc))]
    assert [row[5] for row in written[:4]] == ["_", "_", "Gender=Fem", "_"]


def test_only_complete_trees_are_completed(sentence):
    constraints = constraints_of_sentence(sentence)
    doc = unannotated_doc([sentence], Vocab())
    assert constraints.heads == {i: [head] for i, head in enumerate([0, 2, 0, 5, 5, 2, 0])}
    for i, [head] in constraints.heads.items():
        doc[i].head, doc[i].dep_ = doc[head], "dep" if i else "ROOT"
    keep_annotation(doc, [sentence], [*Kept])
    assert doc_to_conllu(set_given_labels(doc, sentence)) == TEXT + "\n"
    for gap in ("1\t_", "_\tpunct"):
        lines = TEXT.replace("1\tpunct", gap).rstrip("\n").split("\n")
        with pytest.raises(ConstraintError, match="sentence 1: the multiword token 'à' has fewer"):
            constraints_of_sentence(parse_sentence(lines))


def test_heads_that_would_form_a_cycle():
    """The head of a word in the subtree of the other word does not become the token's head."""
    lines = ["1-2\tà\t_\t_\t_\t_\t_\t_\t_\t_", "1\ta\t_\t_\t_\t_\t3\tcase\t_\t_"]
    lines += ["2\ta\t_\t_\t_\t_\t0\troot\t_\t_", "3\tx\t_\t_\t_\t_\t2\tobl\t_\t_"]
    assert contracted(parse_sentence(lines)).heads == (-1, 0, 1)


@pytest.mark.parametrize(
    "heads, expected",
    [([4, 5, 2, 5, 0], (-1, 3, 3, 0)), ([4, "_", 2, "_", 0], (-1, -1, -1, 0))],
)
def test_tokens_whose_words_are_attached_to_each_other(heads, expected):
    """The first words of both tokens are attached to the other token."""
    lines = [f"{i}\ta\t_\t_\t_\t_\t{head}\t_\t_\t_" for i, head in enumerate(heads, 1)]
    for place, ids in ((2, "3-4"), (0, "1-2")):
        lines.insert(place, f"{ids}\tà" + "\t_" * 8)
    assert contracted(parse_sentence(lines)).heads == expected


def test_they_are_counted(tmp_path, caplog):
    nlp = spacy.blank("pt")
    path = tmp_path / "train.conllu"
    path.write_text((TEXT + "\n") * 3, encoding="utf8")
    examples = list(ConlluCorpus(path)(nlp))
    assert [len(eg.reference) for eg in examples] == [7] * 3
    # Distributions are dropped, because contraction changes the numbers of words.
    assert not any(DISTRIBUTIONS_KEY in eg.reference.user_data for eg in examples)
    assert "3 multiword tokens have fewer characters than words" in caplog.text
    assert "".join(map(doc_to_conllu, docs_from_conllu(path, nlp.vocab))) == path.read_text("utf8")


PROJECTIVE = [heads for heads in all_trees(4) if heads.count(0) == 2 and is_projective(heads)]


@pytest.mark.parametrize("heads", PROJECTIVE)
@pytest.mark.parametrize("place", [1, 2, 3, 4])
def test_projective_trees_remain_projective(heads, place):
    """One of the four tokens is a multiword token of three words."""
    unannotated = "\t_" * 8
    lines = [f"{i}\tx{unannotated}" for i in range(1, 7)]
    lines.insert(place - 1, f"{place}-{place + 2}\tà{unannotated}")
    doc = unannotated_doc([parse_sentence(lines)], Vocab())
    for token, head in zip(doc, heads[1:], strict=True):
        token.head, token.dep_ = (doc[head - 1], "dep") if head else (token, "ROOT")
    [written] = sentences_from_doc(doc)
    assert written.n_words == 6 and is_projective(written.heads)
