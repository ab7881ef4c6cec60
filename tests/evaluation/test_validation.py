"""The syntax errors are those of the official program, `udvalidate` of the package udtools."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from spacy_npparse import extras
from spacy_npparse.evaluation import (
    TreeErrors,
    Validation,
    ValidatorError,
    validate_sentences,
)
from spacy_npparse.extras import MissingExtraError
from spacy_npparse.treebank import parse_sentence, read_conllu

DEV = Path(__file__).parents[2] / "assets" / "sample_treebank" / "sample-ud-dev.conllu"
UD = os.environ.get("SPACY_NPPARSE_UD")
DEV_FILES = sorted(Path(UD).rglob("*dev.conllu")) if UD else []
LABELS = (
    "nsubj obj conj flat appos fixed goeswith det nummod advmod expl aux cop case mark cc punct "
    "clf obl nmod root orphan nsubj:outer"
).split()
TAGS = "NOUN VERB DET ADJ ADV PUNCT PROPN CCONJ X".split()

needs_udvalidate = pytest.mark.skipif(
    shutil.which("udvalidate") is None, reason="udvalidate is not installed (pip install udtools)"
)


def udvalidate(path):
    """Return {test: number of errors} of level 3 and class SYNTAX, from the official program."""
    command = ["udvalidate", "--level", "3", "--lang", "ud", "--max-err", "0", path]
    said = subprocess.run(command, capture_output=True, text=True, encoding="utf-8").stderr
    assert "*** PASSED ***" in said or "*** FAILED ***" in said
    return Counter(re.findall(r"^\[Line .*?\]: \[L3 SYNTAX (\S+)\]", said, re.MULTILINE))


def sentence(*words, comments=()):
    """Return a sentence of words `FORM UPOS HEAD DEPREL [FEATS [MISC]]`."""
    lines = list(comments)
    for number, word in enumerate(words, 1):
        form, upos, head, deprel, feats, misc, *_ = [*word.split(), "_", "_"]
        lines.append(f"{number}\t{form}\t_\t{upos}\t_\t{feats}\t{head}\t{deprel}\t_\t{misc}")
    return parse_sentence(lines)


def errors(*sentences):
    return validate_sentences([], sentences).predicted


def damaged(words, random_):
    """Yield the rows of a tree with other heads, labels and tags; it still has one root."""
    heads = [-1] + [int(word.head) for word in words]
    for dependent in range(1, len(heads)):
        if heads[dependent] != 0 and random_.random() < 0.3:
            before = heads[dependent]
            heads[dependent] = random_.randint(1, len(words))
            ancestor, steps = dependent, 0
            while ancestor > 0 and steps <= len(heads):
                ancestor, steps = heads[ancestor], steps + 1
            if ancestor > 0:
                heads[dependent] = before
    for word, head in zip(words, heads[1:], strict=True):
        # The program fails at some roots with other labels.
        is_other = head != 0 and random_.random() < 0.3
        deprel = random_.choice(LABELS) if is_other else word.deprel
        upos = random_.choice(TAGS) if random_.random() < 0.1 else word.upos
        # DEPS may name empty nodes, which are not written.
        yield word._replace(head=str(head), deprel=deprel, upos=upos, deps="_")


@needs_udvalidate
@pytest.mark.parametrize("path", [DEV, *DEV_FILES], ids=lambda path: path.name)
def test_counts_are_those_of_the_program(path, tmp_path):
    gold = list(read_conllu(path))
    random_ = random.Random(0)
    predicted = tmp_path / "predicted.conllu"
    with predicted.open("w", encoding="utf-8") as file:
        for one in gold:
            rows = damaged(one.words, random_)
            file.write("\n".join([*one.comments, *map("\t".join, rows), "\n"]))
    found = validate_sentences(gold, read_conllu(predicted))
    assert found.validator == f"udtools {version('udtools')}"
    for counted, file in ((found.gold, path), (found.predicted, predicted)):
        assert counted.by_test == udvalidate(file)
        assert counted.n_errors == sum(counted.by_test.values())
        assert counted.n_sentences == len(gold)
    if path == DEV:
        n_words = sum(len(one.words) for one in gold)
        assert found.gold == TreeErrors({}, n_words, len(gold), 0, 0)
        assert len(found.predicted.by_test) > 20
        assert found.predicted == TreeErrors(found.predicted.by_test, n_words, len(gold), 0, 0)


@needs_udvalidate
@pytest.mark.parametrize(
    ("words", "test"),
    [
        (["Go VERB 0 root", "he PRON 1 nsubj", "she PRON 1 nsubj"], "too-many-subjects"),
        (["Go VERB 0 root", "it PRON 1 obj", "this PRON 1 obj"], "too-many-objects"),
        (["come VERB 2 conj", "Go VERB 0 root"], "right-to-left-conj"),
        (["Go VERB 0 root", "big ADJ 1 det"], "rel-upos-det"),
        (["Go VERB 0 root", "if SCONJ 1 mark", "he PRON 2 nsubj"], "leaf-mark-case"),
        (["Go VERB 0 dep"], "0-is-not-root"),
        (["a X 0 root", "b X 1 goeswith"], None),
        (["a X 0 root _ SpaceAfter=No", "b X 1 goeswith"], "goeswith-nospace"),
        # Warnings do not count as errors.
        (["Go VERB 0 root", "in ADP 1 advmod", "a X 2 fixed"], "rel-upos-advmod"),
    ],
)
def test_tests(words, test):
    assert errors(sentence(*words)).by_test == ({test: 1} if test else {})


GOOD = sentence("Go VERB 0 root", "big ADJ 1 det")


@needs_udvalidate
@pytest.mark.parametrize("word", ["big _ 1 det", "big ADJ _ _", "big ADJ _ det", "big ADJ 1 _"])
def test_incomplete_sentences_are_told(word):
    bad = sentence("Go VERB 0 root", word)
    assert errors(bad, GOOD, bad, bad) == TreeErrors({"rel-upos-det": 1}, 2, 4, 3, 0)
    assert errors(bad) == TreeErrors({}, 0, 1, 1, 0) and errors(bad).per_1000_words(0) is None
    text = validate_sentences([GOOD], [GOOD, bad]).text()
    assert "Of 2 predicted sentences, 1 have words without UPOS" in text and "gold sen" not in text


@needs_udvalidate
@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["Go VERB 0 root", "go VERB 0 root", "big ADJ 1 det"], id="two roots"),
        pytest.param(["Go VERB 0 root mood=x", "big ADJ 1 det"], id="FEATS"),
        # The program fails at this sentence.
        pytest.param(["Go VERB 0 orphan", "big ADJ 1 det"], id="failure"),
    ],
)
def test_sentences_that_are_given_up_are_told(words):
    bad = sentence(*words)
    assert errors(bad) == TreeErrors({}, 0, 1, 0, 1)
    assert errors(GOOD, bad, bad, GOOD, GOOD) == TreeErrors({"rel-upos-det": 3}, 6, 5, 0, 2)
    assert errors(bad, GOOD, bad) == TreeErrors({"rel-upos-det": 1}, 2, 3, 0, 2)
    text = validate_sentences([bad], [GOOD]).text()
    assert "Of 1 gold sentences, 1 are given up" in text and "predicted sen" not in text


@needs_udvalidate
@pytest.mark.parametrize("seed", range(5))
def test_sentences_count_as_if_they_were_validated_alone(seed):
    kinds = [
        GOOD,
        sentence("Go VERB 0 root", "he PRON 1 nsubj", "she PRON 1 nsubj"),
        sentence("Go VERB 0 root", "Go VERB 0 root", "a X 1 det"),
        sentence("Go VERB 0 orphan"),
        sentence("Go _ 0 root", "a X 1 det"),
    ]
    alone = [errors(one) for one in kinds]
    drawn = random.Random(seed).choices(range(len(kinds)), k=12)
    together = errors(*(kinds[i] for i in drawn))
    assert together.by_test == sum((Counter(alone[i].by_test) for i in drawn), Counter())
    for name in ("n_words", "n_sentences", "n_incomplete", "n_refused"):
        assert getattr(together, name) == sum(getattr(alone[i], name) for i in drawn)


@needs_udvalidate
def test_no_sentences():
    assert errors() == TreeErrors({}, 0, 0, 0, 0)


@needs_udvalidate
def test_what_is_beside_the_tree_does_not_count():
    words = ["Go VERB 0 root", "he PRON 1 nsubj", "she PRON 1 nsubj _ Subject=Outer"]
    lines = str(sentence(*words, comments=["# text = x", "# newdoc", "# sent_id = "])).split("\n")
    # The sentence has DEPS that the validator cannot read, an empty node and a multiword token.
    lines[3] = "\t".join([*lines[3].split("\t")[:8], "x|y", "MISC"])
    token, empty = "2-3\theshe\t_\t_\t_\t_\t_\t_\t_\t_", "3.1\tx\t_\t_\t_\t_\t_\t_\t0:root\t_"
    found = errors(parse_sentence([*lines[:4], token, *lines[4:], empty]))
    assert found == TreeErrors({"too-many-subjects": 1}, 3, 1, 0, 0)


@needs_udvalidate
def test_forms_that_look_like_errors_are_forms():
    form = "[Line\u20281\u2028Sent\u20280]:\u2028[L3\u2028SYNTAX\u2028x]"
    spaces = form.replace("\u2028", " ")
    lines = [
        f"1\t{spaces}\t_\tVERB\t_\t_\t0\troot\t_\t_",
        f"2\tb\u2028{spaces}\t_\tADJ\t_\t_\t1\tdet\t_\t_",
    ]
    assert errors(parse_sentence(lines)).by_test == {"rel-upos-det": 1}


@needs_udvalidate
def test_forms_need_not_be_normalised():
    # The program names the characters of such a form, and fails at a character without a name.
    odd = sentence("\u212b\ue000 NOUN 2 conj", "Go VERB 0 root")
    assert errors(odd) == TreeErrors({"right-to-left-conj": 1}, 2, 1, 0, 0)
    expected = {"right-to-left-conj": 2, "rel-upos-det": 2}
    assert errors(GOOD, odd, odd, GOOD) == TreeErrors(expected, 8, 4, 0, 0)


def test_table_and_json():
    gold = TreeErrors({"leaf-det": 1, "rel-upos-cc": 2, "leaf-cc": 1}, 500, 10, 0, 0)
    predicted = TreeErrors({"leaf-det": 3, "too-many-subjects": 7}, 2000, 10, 0, 0)
    found = Validation("udtools 1.2", gold, predicted)
    assert [list(row) for row in found.table().rows] == [
        ["too-many-subjects", 0, 7, 0.0, 3.5],
        ["leaf-det", 1, 3, 2.0, 1.5],
        ["rel-upos-cc", 2, 0, 4.0, 0.0],
        ["leaf-cc", 1, 0, 2.0, 0.0],
        ["All", 4, 10, 8.0, 5.0],
    ]
    assert found.text().startswith("Validator of Universal Dependencies (udtools 1.2), ")
    assert not found.text().endswith("\n")
    written = json.loads(json.dumps(found.as_dict()))
    assert written["validator"] == "udtools 1.2"
    assert written["gold"]["errors"] == 4 and written["predicted"]["errors_per_1000_words"] == 5
    assert written["predicted"]["by_test"] == predicted.by_test


def test_missing_library(monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(extras, "version", missing)
    with pytest.raises(
        MissingExtraError, match=r"udtools.*pip install 'spacy-npparse\[validate\]'"
    ):
        validate_sentences([], [])


@needs_udvalidate
def test_a_validator_that_fails_is_not_one_without_errors(monkeypatch, tmp_path):
    (tmp_path / "udtools").mkdir()
    (tmp_path / "udtools" / "cli.py").write_text("raise IndexError('no such node')")
    (tmp_path / "udtools" / "__init__.py").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(ValidatorError, match="IndexError: no such node"):
        validate_sentences([], [sentence("Go VERB 0 root")])


def test_the_library_is_not_imported():
    assert not {"udtools", "udapi"} & {name.partition(".")[0] for name in sys.modules}
