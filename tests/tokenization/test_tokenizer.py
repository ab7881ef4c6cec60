"""The trained tokenizer: texts of any kind, saving, training and multiprocessing."""

import copy
import pickle
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
import srsly
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin
from spacy.training import Corpus, Example
from spacy.vocab import Vocab
from tokenizer_helpers import TRAINED, sample_examples

from spacy_npparse.tokenization import TrainedTokenizer, trainer_program, training
from spacy_npparse.tokenization.multiword import MultiwordSplitter
from spacy_npparse.tokenization.training import (
    TrainingToken,
    no_addresses,
    training_sentences,
)
from spacy_npparse.treebank import (
    doc_from_sentences,
    doc_to_conllu,
    parse_sentence,
    surface_tokens,
    word_forms,
    write_conllu,
)

TEXT = "Das Haus am See , das wir im Mai sahen ."
WORDS = ["Wir", "am", "IM", "im", "Haus.", "İstanbul", "a\0b", "\U0001f600", "e\u0301"]
SPACES = [" ", "  ", "\n", "\n\n", "\t", "\r\n", "\xa0", "\u2028", "\x0b", "\x85", "\ufeff", ""]
TEXTS = st.text() | st.lists(st.sampled_from(WORDS + SPACES)).map("".join)


def tokens(nlp, text=TEXT):
    return [token.text for token in nlp(text)]


@pytest.fixture
def whole(nlp):
    """Return a copy of the tokenizer that does not split multiword tokens."""
    tokenizer = copy.deepcopy(nlp.tokenizer)
    tokenizer.multiword = "whole"
    return tokenizer


@given(text=TEXTS)
def test_any_text_is_kept(nlp, text):
    doc = nlp.tokenizer(text)
    assert doc.text == text
    assert all(text[token.idx : token.idx + len(token)] == token.text for token in doc)
    for start, end, surface, words in surface_tokens(doc):
        assert doc[start:end].text == surface
        assert len(words) in (0, end - start)


@given(text=TEXTS)
def test_whole_tokens_spell_the_text(nlp, text):
    tokenizer = TrainedTokenizer(nlp.vocab).from_bytes(nlp.tokenizer.to_bytes())
    tokenizer.multiword = "whole"
    doc = tokenizer(text)
    assert doc.text == text
    assert not doc._.multiword_tokens


@pytest.mark.parametrize(
    "text", ["", " ", "\n\t", "Wir  sahen", " Wir\n\nsahen ", "Wir \u2003sahen"]
)
def test_white_space_as_in_spacy(nlp, text):
    expected = spacy.blank("xx")(text)
    doc = nlp.tokenizer(text)
    assert [t.text_with_ws for t in doc] == [t.text_with_ws for t in expected]


def test_multiword_tokens(nlp, whole):
    text = "Das Haus  am See\nim Mai"
    doc = nlp.tokenizer(text)
    assert doc.text == text
    assert [t.text for t in doc] == "Das|Haus| |a|m|See|\n|i|m|Mai".split("|")
    forms = "Das|Haus| |an|dem|See|\n|in|dem|Mai".split("|")
    assert word_forms(doc) == forms == [t._.form for t in doc]
    assert [t.norm_ for t in doc] == [form.lower() for form in forms]
    assert [(span.text, span.label_) for span in doc._.multiword_tokens] == [
        ("am", "an dem"),
        ("im", "in dem"),
    ]
    assert not any(doc[i].is_sent_start for i in (4, 8))
    assert doc[4].is_sent_start is False and doc[3].is_sent_start is None
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[3:5])
    assert [t._.form for t in doc][3] == "am"
    assert [t.text for t in whole(text)] == "Das|Haus| |am|See|\n|im|Mai".split("|")


def test_multiword_tokens_as_conllu(nlp, tmp_path):
    doc = nlp.tokenizer("Am See ,  im Mai.")
    for token in doc:
        token.is_sent_start = token._.form == "in" or token.i == 0
    docs = list(DocBin(docs=[doc], store_user_data=True).get_docs(nlp.vocab))
    write_conllu(docs, tmp_path / "out.conllu", token_ranges=True)
    rows = [line.split("\t") for line in (tmp_path / "out.conllu").read_text().splitlines()]
    assert [(row[0], *row[1:2], row[-1]) for row in rows if row[0]] == [
        ("# sent_id = 1", "# sent_id = 1"),
        ("# text = Am See ,", "# text = Am See ,"),
        ("1-2", "Am", "TokenRange=0:2"),
        ("1", "An", "_"),
        ("2", "dem", "_"),
        ("3", "See", "TokenRange=3:6"),
        ("4", ",", "SpacesAfter=\\s\\s|TokenRange=7:8"),
        ("# sent_id = 2", "# sent_id = 2"),
        ("# text = im Mai.", "# text = im Mai."),
        ("1-2", "im", "TokenRange=10:12"),
        ("1", "in", "_"),
        ("2", "dem", "_"),
        ("3", "Mai", "SpaceAfter=No|TokenRange=13:16"),
        ("4", ".", "TokenRange=16:17"),
    ]


def test_multiword_tokens_of_one_word_are_not_split():
    lines = ["1-1\tdel" + "\t_" * 8, "1\tde\t_\t_\t_\t_\t0\troot\t_\t_"]
    doc = doc_from_sentences([parse_sentence(lines)], Vocab())
    assert training_sentences([doc]) == [(TrainingToken("del", (), True),)]


def test_a_boundary_inside_a_multiword_token(nlp, caplog):
    doc = nlp.tokenizer("Haus am See")
    doc[2].is_sent_start = True
    first, second = map(
        lambda block: parse_sentence(block.split("\n")), doc_to_conllu(doc).strip().split("\n\n")
    )
    assert [first.metadata["text"], second.metadata["text"]] == ["Haus a", "m See"]
    assert [[row.form for row in one.words] for one in (first, second)] == [
        ["Haus", "a"],
        ["m", "See"],
    ]
    assert "1 multiword tokens cut" in caplog.text


def test_untrained_and_damaged(nlp, tmp_path):
    blank = spacy.blank("xx", config=TRAINED)
    with pytest.raises(ValueError, match="has not been trained"):
        blank("Text")
    blank.to_disk(tmp_path / "blank")
    with pytest.raises(ValueError, match="has not been trained"):
        spacy.load(tmp_path / "blank")("Text")
    nlp.to_disk(tmp_path / "nlp")
    model = tmp_path / "nlp" / "tokenizer" / "model"
    model.write_bytes(model.read_bytes()[:200])
    with pytest.raises(ValueError, match="its model has changed since it was saved"):
        spacy.load(tmp_path / "nlp")


def test_saving(nlp, tmp_path):
    nlp.to_disk(tmp_path / "nlp")
    loaded = spacy.load(tmp_path / "nlp")
    copies = [
        loaded,
        spacy.blank("xx", config=TRAINED).from_bytes(nlp.to_bytes()),
        pickle.loads(pickle.dumps(nlp.tokenizer)),
        copy.deepcopy(nlp.tokenizer),
    ]
    assert [tokens(one) for one in copies] == [tokens(nlp)] * 4
    loaded.tokenizer.multiword = "whole"
    loaded.to_disk(tmp_path / "whole")
    assert spacy.load(tmp_path / "whole").tokenizer.multiword == "whole"


def test_other_settings_and_scores(nlp):
    with pytest.raises(ValueError, match="multiword is 'maybe', but must be one of: split, whole"):
        nlp.tokenizer.multiword = "maybe"
    (example,) = sample_examples(nlp, limit=1)
    example.predicted = nlp.make_doc(example.reference.text)
    assert nlp.evaluate([example])["token_acc"] == 1.0


@pytest.mark.parametrize("split, multiword", [(True, "split"), (False, "whole")])
def test_settings_of_version_0_2(nlp, tmp_path, split, multiword):
    nlp.tokenizer.to_disk(tmp_path / "tokenizer")
    (tmp_path / "tokenizer" / "cfg").write_text(f'{{"split_multiword":{str(split).lower()}}}')
    assert TrainedTokenizer(nlp.vocab).from_disk(tmp_path / "tokenizer").multiword == multiword


def test_lemmatizers_of_version_0_2(nlp, tmp_path, caplog):
    nlp.to_disk(tmp_path)
    (tmp_path / "tokenizer" / "cfg").write_text('{"split_multiword":true}')
    for factory, n_warnings in (("trainable_lemmatizer", 1), ("character_lemmatizer", 0)):
        caplog.clear()
        loaded = spacy.blank("xx", config=TRAINED)
        loaded.add_pipe(factory, name="lemmas")
        loaded.from_disk(tmp_path, exclude=["lemmas"])
        assert caplog.text.count("in [components.lemmas]") == n_warnings


def test_training_words_with_nul():
    words = tuple(training.TrainingToken(form, (), True) for form in ("abc", "d\0e", "fgh"))
    assert training.train_model([words] * 20)


def test_fewer_characters_than_words(nlp, tmp_path, caplog):
    nlp.tokenizer.to_disk(tmp_path / "tokenizer")
    tokens = [("à", ("a", "a")), ("am", ("an", "dem"))]
    splitter = MultiwordSplitter.train([tokens, [("mar", ())]])
    srsly.write_msgpack(tmp_path / "tokenizer" / "multiword", splitter.to_dict())
    tokenizer = TrainedTokenizer(nlp.vocab).from_disk(tmp_path / "tokenizer")
    assert word_forms(tokenizer("à am à")) == ["à", "an", "dem", "à"]
    assert tokenizer.n_whole == 2
    assert len(caplog.messages) == 1 and "'à' has fewer characters than words" in caplog.text


@pytest.mark.parametrize("part", ["cfg", "model", "multiword"])
def test_parts_that_are_missing_or_truncated(nlp, tmp_path, part):
    message = "Cannot load the tokenizer from .*Copy the whole folder .* or train it again"
    nlp.tokenizer.to_disk(tmp_path / "tokenizer")
    path = tmp_path / "tokenizer" / part
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    for _ in range(2):
        with pytest.raises(ValueError, match=message) as error:
            TrainedTokenizer(nlp.vocab).from_disk(tmp_path / "tokenizer")
        assert str(tmp_path) in str(error.value)
        path.unlink(missing_ok=True)
    with pytest.raises(ValueError, match=f"no {part}.*train it again"):
        TrainedTokenizer(nlp.vocab).from_bytes(nlp.tokenizer.to_bytes(exclude=[part]))


def test_processes(nlp):
    texts = ["Haus am See", "", "Im Mai"] * 4
    docs = list(nlp.pipe(texts, n_process=2, batch_size=3))
    assert [doc.text for doc in docs] == texts
    assert [word_forms(doc) for doc in docs] == [word_forms(nlp(text)) for text in texts]
    assert [[t.text for t in doc] for doc in docs] == [tokens(nlp, text) for text in texts]


def trained_on(make_examples, **settings):
    nlp = spacy.blank("xx", config=TRAINED)
    nlp.tokenizer.initialize(lambda: make_examples(nlp), nlp=nlp, **settings)
    return nlp.tokenizer


def test_order_and_grouping_of_sentences_do_not_matter(nlp):
    def shuffled(nlp):
        random.seed(7)
        examples = sample_examples(nlp, limit=4, sentences_per_doc=5)
        return random.sample(examples, len(examples))

    one = trained_on(lambda nlp: sample_examples(nlp, limit=20))
    other = trained_on(lambda nlp: shuffled(nlp))
    assert one.to_bytes() == other.to_bytes()


def test_corpora_of_docs(nlp, tmp_path):
    """spaCy's reader tokenizes the texts itself and does not keep the CoNLL-U."""
    examples = sample_examples(nlp)
    DocBin(docs=[eg.reference for eg in examples]).to_disk(tmp_path / "train.spacy")
    corpus = Corpus(tmp_path / "train.spacy")
    assert trained_on(corpus).to_bytes() == nlp.tokenizer.to_bytes()


def test_source(nlp, tmp_path):
    nlp.to_disk(tmp_path / "nlp")
    copied = trained_on(lambda nlp: [], source=tmp_path / "nlp", multiword="whole")
    assert copied.multiword == "whole"
    copied.multiword = "split"
    assert copied.to_bytes() == nlp.tokenizer.to_bytes()
    shutil.rmtree(tmp_path / "nlp" / "tokenizer")
    with pytest.raises(ValueError, match="has no trained tokenizer"):
        trained_on(lambda nlp: [], source=tmp_path / "nlp")


def test_abbreviations_that_look_like_addresses(tmp_path):
    """The network tokenizes what the treebank more often does not tokenize as an address."""

    def abbreviated(nlp):
        words = ["Das", "ist", "f.eks.", "ein", "Haus", "bei", "www.haus.de", "."]
        docs = [Doc(nlp.vocab, words), Doc(nlp.vocab, ["Nur", "f.eks", "und", "haus.de", "."])]
        return [Example(doc, doc) for doc in [docs[0], docs[0], docs[1]] * 20]

    nlp = spacy.blank("xx", config=TRAINED)
    nlp.tokenizer.initialize(lambda: abbreviated(nlp))
    nlp.to_disk(tmp_path / "nlp")
    copied = trained_on(lambda nlp: [], source=tmp_path / "nlp")
    for one in (nlp.tokenizer, copied, spacy.load(tmp_path / "nlp").tokenizer):
        found = one("Das ist F.eks. ein Haus bei www.f.eks .")
        assert [token.text for token in found] == "Das ist F.eks. ein Haus bei www.f.eks .".split()


def test_strings_that_are_no_addresses():
    def sentence(text):
        tokens = text.split("|")
        return tuple(TrainingToken(t.strip(), (), t.endswith(" ")) for t in tokens)

    texts = [
        "t.ex.|",
        "T.Ex. |a.de|.|",
        "a|.|de|",
        "x |a.de/b|...|",
        "Ende|.|Am |b.com",
        "b.com|b.de",
    ]
    assert no_addresses(map(sentence, texts)) == ["b.comb.de", "ende.am", "t.ex"]


def test_too_little_text():
    def short(nlp):
        return [Example(Doc(nlp.vocab, ["a"]), Doc(nlp.vocab, ["a"]))]

    with pytest.raises(ValueError, match="cannot be trained on 2 characters"):
        trained_on(short)


def test_a_training_that_fails_changes_nothing(nlp):
    tokenizer = TrainedTokenizer(nlp.vocab).from_bytes(nlp.tokenizer.to_bytes())
    doc = Doc(nlp.vocab, ["t", ".", "ex", "."], [False] * 4)
    before = tokenizer.to_bytes()
    with pytest.raises(ValueError, match="cannot be trained on"):
        tokenizer.initialize(lambda: [Example(doc, doc)])
    assert tokenizer.to_bytes() == before


def test_treebanks_without_text():
    def empty(nlp):
        doc = Doc(nlp.vocab, ["_"] * 20)
        return [Example(doc, doc)]

    with pytest.raises(ValueError, match="every FORM is _, because the treebank comes without its"):
        trained_on(empty)


def test_written_files_are_valid(nlp, tmp_path):
    beside = Path(sys.executable).parent / "udvalidate"
    program = str(beside) if beside.exists() else shutil.which("udvalidate")
    if program is None:
        pytest.skip("udvalidate is not installed (pip install udtools)")
    doc = nlp.tokenizer("Wir sahen  das Haus am See im Mai.\n")
    for token in doc:
        token.head, token.pos_ = doc[0], "X"
        token.dep_ = "dep" if token.i else "ROOT"
    write_conllu([doc], tmp_path / "out.conllu", token_ranges=True)
    command = [program, "--level", "2", "--lang", "ud", str(tmp_path / "out.conllu")]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.skipif(not hasattr(signal, "SIGPIPE"), reason="there are no such signals")
def test_the_trainer_ends_if_nobody_reads_its_progress(tmp_path):
    rows = (f"{i}\tab\t_\t_\t_\t_\t_\t_\t_\t_\n" for i in range(1, 20))
    (tmp_path / "train.conllu").write_text("".join(rows) + "\n")
    options = "dimension=16;segment_size=10;epochs=1000;early_stopping=0"
    command = [sys.executable, trainer_program.__file__, options, "train.conllu", "model"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, cwd=tmp_path) as trainer:
        assert trainer.stderr is not None
        trainer.stderr.readline()
        trainer.stderr.close()
        try:
            assert trainer.wait(600) == -signal.SIGPIPE
        finally:
            trainer.kill()


def test_training_sentences(nlp):
    doc = nlp.tokenizer("Wir  sahen.\n Am See")
    for token in doc:
        token.is_sent_start = token.text in ("Wir", "\n ")
    assert training_sentences([doc]) == [
        (("Am", ("An", "dem"), True), ("See", (), False)),
        (("Wir", (), True), ("sahen", (), False), (".", (), True)),
    ]


def test_a_large_treebank_is_sampled(nlp, monkeypatch):
    docs = [example.reference for example in sample_examples(nlp, limit=60)]
    every = training_sentences(docs)

    def n_characters(sentences):
        return sum(len(token.form) + token.space_after for one in sentences for token in one)

    monkeypatch.setattr(training, "MOST_CHARACTERS", n_characters(every))
    assert training_sentences(docs) == every
    monkeypatch.setattr(training, "MOST_CHARACTERS", n_characters(every) // 3)
    chosen = training_sentences(docs)
    assert set(chosen) < set(every) and chosen == sorted(chosen)
    longest = max(n_characters([one]) for one in every)
    most = training.MOST_CHARACTERS
    assert most - longest < n_characters(chosen) <= most
    assert training_sentences(docs[::-1]) == chosen
    # At least one sentence is kept for training.
    monkeypatch.setattr(training, "MOST_CHARACTERS", 1)
    assert len(training_sentences(docs)) == 1


@pytest.mark.parametrize(
    "n_words, share_of_spaces, dimension",
    [(100, 1.0, 16), (100, 0.0, 16), (9000, 1.0, 24), (9000, 0.6, 24), (9000, 0.4, 64)],
)
def test_text_without_spaces_gets_a_larger_network(n_words, share_of_spaces, dimension):
    options, _ = training.trainer_options(int((4 + share_of_spaces) * n_words), share_of_spaces)
    assert f"dimension={dimension};" in options


def test_texts_without_spaces_are_read_more_often():
    with_spaces, without = (training.trainer_options(100_000, share)[1] for share in (0.6, 0.4))
    assert without == 3 * with_spaces


def test_long_texts(nlp):
    """The texts have no white space, or no sentence ends."""
    for text in ("a" * 50_000, "a " * 25_000, "\n" * 50_000):
        assert nlp.tokenizer(text).text == text


def test_capitals_are_read_in_lower_case(nlp):
    text = "Wir haben das Haus am See gesehen, das er im Mai verkauft hat."
    lower = nlp.tokenizer(text.lower())
    upper = nlp.tokenizer(text.upper())
    assert upper.text == text.upper()
    assert [t.idx for t in upper] == [t.idx for t in lower]
