"""Names of treebanks, and the weights of several treebanks."""

from pathlib import Path

import pytest

from spacy_npparse.treebank_names import treebank_name, treebank_weights

KNOWN = ["en_lines", "sv_lines"]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("UD_English-LinES/en_lines-ud-train.conllu", "en_lines"),
        ("en_lines-ud-dev.conllu", "en_lines"),
        ("cs_pdt-ud-train-c.conllu", "cs_pdt"),
        ("corpus/UD_Gothic-PROIEL/train.conllu", "UD_Gothic-PROIEL"),
        ("corpus/UD_Gothic-PROIEL/dev.conllu", "UD_Gothic-PROIEL"),
        ("my.corpus.conllu", "my.corpus"),
        ("training.conllu", "training"),
        ("fr-train.conllu", "fr"),
        ("fr_dev.conllu", "fr"),
        ("fr.test.conllu", "fr"),
        ("latest.conllu", "latest"),
    ],
)
def test_all_parts_of_a_treebank_give_its_name(path, name):
    assert treebank_name(Path(path)) == name


def test_weights():
    assert treebank_weights("x", "sv_lines", KNOWN) == {"sv_lines": 1.0}
    assert treebank_weights("x", "en_lines=0.7,sv_lines=.3", KNOWN) == {
        "en_lines": 0.7,
        "sv_lines": 0.3,
    }
    assert treebank_weights("x", "a=b,c", ["a=b,c"]) == {"a=b,c": 1.0}


@pytest.mark.parametrize(
    "text", ["en_lines=0.7", "en_lines=0.5,en_lines=0.5", "en_lines=2,sv_lines=-1", "en_lines=x"]
)
def test_what_does_not_interpolate_is_refused(text):
    with pytest.raises(ValueError, match=f"^here is '{text}'.* whose sum is 1"):
        treebank_weights("here", text, KNOWN)


@pytest.mark.parametrize("text", ["got", "en_lines=0.5,got=0.5", "", "got=x"])
def test_unknown_treebanks_are_refused_with_the_known_ones(text):
    with pytest.raises(ValueError, match=r"none of the treebanks .*: en_lines, sv_lines\."):
        treebank_weights("here", text, KNOWN)
