"""Corpora of several treebanks: Docs, weights and names of treebanks."""

import random
from collections import Counter

import pytest
import spacy
from spacy.training import Example

from spacy_npparse.treebank import ConlluCorpus, ExcerptAugmenter, NonceAugmenter
from spacy_npparse.treebank_names import TREEBANK_KEY, TREEBANKS_KEY

SENTENCE = "1\t{word}\tl\tNOUN\t{tag}\t_\t2\tnsubj\t_\t_\n2\tv\tv\tVERB\t_\t_\t0\troot\t_\t_\n\n"


@pytest.fixture(scope="module")
def nlp():
    return spacy.blank("xx")


@pytest.fixture
def files(tmp_path):
    """Write treebanks of four and three sentences. Only the second one has tags."""
    first, second = tmp_path / "aa_one-ud-train.conllu", tmp_path / "bb_two-ud-train.conllu"
    first.write_text("".join(SENTENCE.format(word=f"a{i}", tag="_") for i in range(4)))
    second.write_text("".join(SENTENCE.format(word=f"b{i}", tag="N") for i in range(3)))
    return [str(first), str(second)]


def treebanks(examples):
    return [example.predicted.user_data[TREEBANK_KEY] for example in examples]


def words(examples):
    return Counter(token.text for eg in examples for token in eg.reference if token.text != "v")


def test_every_doc_knows_its_treebank_and_those_of_the_corpus(files, nlp):
    examples = list(ConlluCorpus(files)(nlp))
    assert treebanks(examples) == ["aa_one"] * 4 + ["bb_two"] * 3
    for example in examples:
        assert example.reference.user_data[TREEBANK_KEY][0] == example.reference[0].text[0]
        assert example.predicted.user_data[TREEBANKS_KEY] == ["aa_one", "bb_two"]
    # In a treebank without tags, no tags are to be predicted. In others, "_" is a tag.
    assert [eg.reference[1].tag_ for eg in examples] == [""] * 4 + ["_"] * 3


def test_a_doc_has_sentences_of_one_treebank(files, nlp):
    for settings in ({}, {"shuffle": True}):
        examples = list(ConlluCorpus(files, sentences_per_doc=3, **settings)(nlp))
        for name, example in zip(treebanks(examples), examples, strict=True):
            assert {token.text[0] for token in example.reference} == {name[0], "v"}


@pytest.mark.parametrize(
    ("weights", "copies"),
    [
        ((1, 1), (1, 1)),
        ((1, 3), (1, 3)),
        ((1, 0.5), (2, 1)),
        ((0.4, 0.3), (4, 3)),
        ((2, 2), (2, 2)),
    ],
)
def test_weights_say_how_often_a_sentence_is_seen(files, nlp, weights, copies):
    for settings in ({}, {"shuffle": True, "sentences_per_doc": 2}):
        corpus = ConlluCorpus(dict(zip(files, weights, strict=True)), **settings)
        expected = {f"a{i}": copies[0] for i in range(4)} | {f"b{i}": copies[1] for i in range(3)}
        assert words(corpus(nlp)) == expected


def test_what_is_left_out_is_counted_once(files, nlp, caplog):
    long = SENTENCE.format(word="long", tag="_").replace(
        "\n\n", "\n3\tx\tx\tX\t_\t_\t2\tx\t_\t_\n\n"
    )
    with open(files[1], "a") as file:
        file.write(long)
    assert len(list(ConlluCorpus(dict.fromkeys(files, 2), max_length=2)(nlp))) == 14
    assert "1 sentences of more than 2 words" in caplog.text


def test_names(files, tmp_path, nlp):
    assert set(treebanks(ConlluCorpus(files, treebank="mine")(nlp))) == {"mine"}
    assert treebanks(ConlluCorpus(tmp_path)(nlp)) == ["aa_one"] * 4 + ["bb_two"] * 3
    # These files are parts of one treebank.
    (tmp_path / "bb_two-ud-train.conllu").rename(tmp_path / "aa_one-ud-train-b.conllu")
    assert set(treebanks(ConlluCorpus(tmp_path)(nlp))) == {"aa_one"}
    for number, path in enumerate(tmp_path.glob("*.conllu")):
        path.rename(tmp_path / f"chapter{number}.conllu")
    assert set(treebanks(ConlluCorpus(tmp_path)(nlp))) == {tmp_path.name}
    example = next(iter(ConlluCorpus(tmp_path)(nlp)))
    assert example.predicted.user_data[TREEBANKS_KEY] == [tmp_path.name]


def test_from_a_config(files):
    for path in (files, dict.fromkeys(files, 0.5)):
        config = {"r": {"@readers": "spacy_npparse.ConlluCorpus.v1", "path": path}}
        corpus = spacy.registry.resolve(config)["r"]
        assert [str(source.path) for source in corpus.sources] == files


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ([], "at least one file"),
        ({}, "at least one file"),
        (["a.conllu", 3], "3 is not a path"),
        (["a.conllu", ""], "'' is not a path"),
        (["a.conllu", "./a.conllu"], r'a\.conllu occurs 2 times.*\{"a\.conllu": 2\}'),
        (["a.conllu", "b/../a.conllu"], r"a\.conllu occurs 2 times"),
        (["b", "b/a.conllu"], r"b/a\.conllu occurs 2 times"),
        ("['a.conllu', 'b.conllu']", "is not valid JSON. Write file names in double quotes"),
        ('\'["a.conllu", "b.conllu"]\'', "is not valid JSON"),
        ("{a.conllu: 2}", "is not valid JSON"),
        ({"C:/a.conllu": 1}, "cannot have a weight"),
        ({"a=b.conllu": 1}, "cannot have a weight"),
        ({"#a.conllu": 1}, "cannot have a weight"),
        ({"a.conllu": 0}, r"the weight of a\.conllu is 0,"),
        ({"a.conllu": -1}, "from 0.01 to 100"),
        ({"a.conllu": 0.333}, "at most two decimals"),
        ({"a.conllu": True}, "the weight"),
        ({"a.conllu": "1"}, "the weight"),
        ({"a.conllu": float("nan")}, "the weight"),
        ({"a.conllu": 1e9}, "the weight"),
    ],
)
def test_bad_paths_are_refused(path, message):
    with pytest.raises(ValueError, match=message):
        ConlluCorpus(path)


def test_an_empty_treebank_among_others_is_refused(files, tmp_path, nlp):
    (tmp_path / "empty.conllu").write_text("")
    with pytest.raises(ValueError, match=r"empty\.conllu: no sentence"):
        list(ConlluCorpus([*files, str(tmp_path / "empty.conllu")])(nlp))


def test_augmenters_keep_the_name_and_do_not_mix_treebanks(files, nlp):
    random.seed(0)
    nonce = NonceAugmenter(probability=0.9, subtree_probability=0.5)
    excerpts = ExcerptAugmenter(max_words=2, shuffle_probability=0.5)
    changed = 0
    for example in [*ConlluCorpus(files, sentences_per_doc=2, shuffle=True)(nlp)] * 20:
        name = example.predicted.user_data[TREEBANK_KEY]
        for excerpt in excerpts(None, example):
            for new in nonce(None, excerpt):
                changed += new.reference.text != excerpt.reference.text
                for doc in (new.predicted, new.reference):
                    assert doc.user_data[TREEBANK_KEY] == name
                    assert doc.user_data[TREEBANKS_KEY] == ["aa_one", "bb_two"]
                    assert {token.text[0] for token in doc} == {name[0], "v"}
    assert changed > 20


def test_augmenters_that_make_new_docs_lose_no_name(files, nlp):
    def spacys(nlp, example):
        yield Example.from_dict(nlp.make_doc(example.text), example.to_dict())

    examples = list(ConlluCorpus(files, augmenter=spacys)(nlp))
    assert treebanks(examples) == ["aa_one"] * 4 + ["bb_two"] * 3
