"""The corpus reader: the content of examples, and settings."""

import random

import pytest
import spacy
from spacy.training import Example
from spacy.training.augment import (
    create_combined_augmenter,
    create_lower_casing_augmenter,
)

from spacy_npparse.treebank import (
    ConlluCorpus,
    ConlluError,
    doc_to_conllu,
    parse_sentence,
    word_forms,
)

SENTENCE = (
    "# sent_id = {i}\n1\tw{i}\tl\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tv\tv\tVERB\t_\t_\t0\troot\t_\t_\n"
)


@pytest.fixture(scope="module")
def nlp():
    return spacy.blank("xx")


@pytest.fixture
def treebank(tmp_path):
    path = tmp_path / "small.conllu"
    path.write_text("".join(SENTENCE.format(i=i) + "\n" for i in range(10)))
    return path


def test_examples(treebank, nlp):
    examples = list(ConlluCorpus(treebank)(nlp))
    assert len(examples) == 10
    example = examples[3]
    assert [token.text for token in example.predicted] == ["w3", "v"]
    assert [token.is_sent_start for token in example.predicted] == [True, False]
    for layer in ("DEP", "HEAD", "POS", "TAG", "MORPH", "LEMMA"):
        assert not example.predicted.has_annotation(layer)
    assert example.get_aligned("POS", as_string=True) == ["NOUN", "VERB"]
    assert example.get_aligned_parse(projectivize=False) == ([1, 1], ["nsubj", "ROOT"])


def test_no_tag_is_a_tag_where_there_are_tags(tmp_path, nlp):
    tagged = SENTENCE.format(i=0).replace("VERB\t_", "VERB\tVB")
    (tmp_path / "a.conllu").write_text(SENTENCE.format(i=1) + "\n" + tagged + "\n")
    (tmp_path / "b.conllu").write_text(SENTENCE.format(i=2) + "\n")
    examples = list(ConlluCorpus(tmp_path)(nlp))
    tags = [example.get_aligned("TAG", as_string=True) for example in examples]
    assert tags == [["_", "_"], ["_", "VB"], ["", ""]]
    # In the output, "_" is a missing tag.
    for example in examples[:2]:
        written = doc_to_conllu(example.reference).splitlines()
        assert written[1].split("\t")[4] == "_"


def test_several_sentences_and_free_boundaries(treebank, nlp):
    examples = list(ConlluCorpus(treebank, sentences_per_doc=4, gold_sentences=False)(nlp))
    assert [len(list(eg.reference.sents)) for eg in examples] == [4, 4, 2]
    assert not examples[0].predicted.has_annotation("SENT_START")
    gold = list(ConlluCorpus(treebank, sentences_per_doc=4)(nlp))[0]
    assert [sent.text for sent in gold.predicted.sents] == ["w0 v", "w1 v", "w2 v", "w3 v"]


def test_missing_roots_do_not_move_gold_sentences(tmp_path, nlp):
    path = tmp_path / "partial.conllu"
    partial = SENTENCE.format(i=0).replace("0\troot", "_\t_")
    path.write_text(partial + "\n" + SENTENCE.format(i=1) + "\n" + partial + "\n")
    (example,) = ConlluCorpus(path, sentences_per_doc=3)(nlp)
    assert example.get_aligned_sent_starts() == [True, False] * 3
    assert [t.has_head() for t in example.reference] == [True, False, True, True, True, False]


def test_newdoc_begins_a_doc(awkward, nlp):
    assert [len(eg.reference) for eg in ConlluCorpus(awkward, sentences_per_doc=0)(nlp)] == [12, 5]
    assert [len(eg.reference) for eg in ConlluCorpus(awkward, sentences_per_doc=9)(nlp)] == [12, 5]


def test_max_length_and_limit(awkward, nlp, caplog):
    corpus = ConlluCorpus(awkward, sentences_per_doc=0, max_length=6)
    assert [len(eg.reference) for eg in corpus(nlp)] == [5, 5]
    assert "1 sentences of more than 6 words (max_length) left out" in caplog.text
    assert [len(eg.reference) for eg in ConlluCorpus(awkward, limit=2)(nlp)] == [7, 2]


def test_shuffle_regroups(treebank, nlp):
    random.seed(1)
    corpus = ConlluCorpus(treebank, sentences_per_doc=3, shuffle=True)
    passes = [[eg.reference.text for eg in corpus(nlp)] for _ in range(5)]
    assert len({tuple(texts) for texts in passes}) > 1
    # With a fixed size, a pass would have only two sizes, including the size of the last Doc.
    assert any({len(text.split()) for text in texts} == {2, 4, 6} for texts in passes)
    assert {len(text.split()) // 2 for texts in passes for text in texts} == {1, 2, 3}
    for texts in passes:
        assert sorted(" ".join(texts).split()) == sorted([f"w{i}" for i in range(10)] + ["v"] * 10)
    random.seed(1)
    assert [eg.reference.text for eg in corpus(nlp)] == passes[0]


def test_shuffle_changes_the_order(treebank, nlp):
    def order(corpus):
        return [int(eg.reference[0].text[1:]) for eg in corpus(nlp)]

    random.seed(0)
    corpus = ConlluCorpus(treebank, shuffle=True)
    passes = [order(corpus) for _ in range(3)]
    assert all(sorted(found) == list(range(10)) != found for found in passes)
    assert passes[0] != passes[1] != passes[2]
    assert order(ConlluCorpus(treebank)) == list(range(10))
    # Sentences are shuffled before the limit is applied, so that every sentence may be chosen.
    firsts = {order(ConlluCorpus(treebank, shuffle=True, limit=1))[0] for _ in range(20)}
    assert len(firsts) > 3


@pytest.mark.parametrize(
    "augmenter, forms",
    [
        (create_lower_casing_augmenter(1.0), ["il", "va", "de", "le", "train"]),
        (
            create_combined_augmenter(0.0, 0.0, None, 1.0, 1.0, ["  "]),
            ["Il", "va", "De", "le", "train"],
        ),
    ],
)
def test_augmenters_of_spacy_keep_multiword_tokens(tmp_path, nlp, augmenter, forms):
    path = tmp_path / "a.conllu"
    row = "{}\t{}\t_\tX\tX\t_\t{}\tdep\t_\t_\n"
    words = [row.format(i, word, i - 1) for i, word in enumerate(["Il", "va", "De", "le"], 1)]
    multiword = "3-4\tDu" + "\t_" * 8 + "\n"
    path.write_text("".join([*words[:2], multiword, *words[2:], row.format(5, "train", 4)]) + "\n")
    for seed in range(10):
        random.seed(seed)
        [example] = ConlluCorpus(path, augmenter=augmenter)(nlp)
        found = word_forms(example.reference)
        # White space that is inserted into the multiword token cuts it.
        expected = forms if "D" not in found else ["Il", "va", "D", "u", "train"]
        assert [form for form in found if not form.isspace()] == expected


def test_augmenter(treebank, nlp):
    def twice(nlp, example):
        yield example
        yield Example(nlp.make_doc("x"), nlp.make_doc("x"))

    corpus = ConlluCorpus(treebank, augmenter=twice, limit=2)
    assert [eg.reference.text.split()[0] for eg in corpus(nlp)] == ["w0", "x", "w1", "x"]


def test_folder(treebank, nlp):
    (treebank.parent / "b.conllu").write_text(SENTENCE.format(i="b") + "\n")
    # macOS adds such files to archives.
    (treebank.parent / "._b.conllu").write_bytes(b"\0\5\x16\7")
    texts = [eg.reference[0].text for eg in ConlluCorpus(treebank.parent)(nlp)]
    assert texts == ["wb", *(f"w{i}" for i in range(10))]


def test_a_file_is_read_once_unless_it_changes(treebank, monkeypatch):
    """Each component is initialized from the corpus, and `spacy train` makes new readers."""
    n_read = 0

    def parse(*arguments, **settings):
        nonlocal n_read
        n_read += 1
        return parse_sentence(*arguments, **settings)

    monkeypatch.setattr("spacy_npparse.treebank.reading.parse_sentence", parse)
    nlp = spacy.blank("xx")
    readers = [ConlluCorpus(treebank), ConlluCorpus(treebank)]
    passes = [[eg.reference.text for eg in corpus(nlp)] for corpus in readers * 2]
    assert n_read == 10 and all(texts == passes[0] for texts in passes)
    treebank.write_text(treebank.read_text() + SENTENCE.format(i="_new"))
    for corpus in readers * 2:
        assert [eg.reference.text for eg in corpus(nlp)][-1] == "w_new v "
        assert n_read == 10 + 11
    # The file is read again for another vocabulary, which does not have its strings.
    other = spacy.blank("xx")
    assert [eg.reference[0].tag_ for eg in readers[0](other)] == [""] * 11
    assert n_read == 10 + 2 * 11


def test_a_file_that_is_read_in_a_memory_zone_is_read_again(treebank, nlp):
    words = [[token.text for token in eg.reference] for eg in ConlluCorpus(treebank)(nlp)]
    other = spacy.blank("xx")
    for _ in range(2):
        with other.memory_zone():
            found = [[t.text for t in eg.reference] for eg in ConlluCorpus(treebank)(other)]
            assert found == words


def test_upos_that_spacy_does_not_know_is_reported(tmp_path, nlp, caplog):
    path = tmp_path / "train.conllu"
    row = "1\tab\tab\t{}\tN\t_\t0\troot\t_\t_\n\n"
    path.write_text(row.format("NN") * 2 + row.format("NOUN") + row.format("_"))
    docs = [one.reference for one in ConlluCorpus(path)(nlp)]
    expected = f"{path}: spaCy does not know the UPOS of 2 words ('NN'), which is ignored."
    assert expected in caplog.text
    # Without a part of speech, it is unknown whether a word has no features.
    assert [doc.has_annotation("MORPH") for doc in docs] == [False, False, True, False]


def test_bad_input(tmp_path, treebank, nlp):
    with pytest.raises(ValueError, match="--paths.train"):
        ConlluCorpus(None)
    with pytest.raises(FileNotFoundError, match="no such file"):
        list(ConlluCorpus(tmp_path / "none.conllu")(nlp))
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match="no .conllu file in this folder"):
        list(ConlluCorpus(tmp_path / "empty")(nlp))
    with pytest.raises(ValueError, match="sentences_per_doc"):
        ConlluCorpus(treebank, sentences_per_doc=-1)
    treebank.write_text("")
    with pytest.raises(ValueError, match="no sentence to read"):
        list(ConlluCorpus(treebank)(nlp))
    treebank.write_text(SENTENCE.format(i=1))
    with pytest.raises(ValueError, match=r"no sentence of at most 1 words \(max_length\) to read"):
        list(ConlluCorpus(treebank, max_length=1)(nlp))
    treebank.write_text("1\ta\n\n" + SENTENCE.format(i=1))
    with pytest.raises(ConlluError, match="line 1"):
        list(ConlluCorpus(treebank)(nlp))
    assert len(list(ConlluCorpus(treebank, on_error="skip")(nlp))) == 1


def test_registered(treebank):
    config = {"r": {"@readers": "spacy_npparse.ConlluCorpus.v1", "path": str(treebank)}}
    corpus = spacy.registry.resolve(config)["r"]
    assert isinstance(corpus, ConlluCorpus)


def test_predicted_doc_can_be_written_and_has_nothing_gold(treebank, nlp):
    example = next(iter(ConlluCorpus(treebank)(nlp)))
    assert doc_to_conllu(example.predicted) == (
        "# sent_id = 0\n1\tw0\t_\t_\t_\t_\t_\t_\t_\t_\n2\tv\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    )
