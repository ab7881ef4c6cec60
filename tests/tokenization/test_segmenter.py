"""The segmenter, which finds the same tokens as UDPipe with the same model, but without UDPipe."""

import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizer_helpers import SAMPLE, sample_examples
from udpipe_tokens import udpipe_model, udpipe_tokens

from spacy_npparse.tokenization import training
from spacy_npparse.tokenization.segmenter import Segmenter
from spacy_npparse.tokenization.training import TrainingToken
from spacy_npparse.treebank import paragraphs_of_treebank, read_conllu

# All dimensions of the network and several segment sizes; our own training uses the first ones.
OPTIONS = [
    "dimension=16;segment_size=10;allow_spaces=0",
    "dimension=24;segment_size=50;allow_spaces=1",
    "dimension=64;segment_size=11;allow_spaces=1",
]
WORDS = ["Wir", "am", "See", "Haus.", "10 000", "İstanbul", "e\u0301", "\U0001f600", "中。", "ﬁ"]
SPACES = [" ", "  ", "\n", "\n\n", "\t", "\r\n\r\n", "\xa0", "\u2028", "\x0b", "\x85", "\ufeff"]
ADDRESSES = ["www.", "ab.cd", "http://", "a@b.org", "/(x)", "/é", "25.1.0.255", ":80", *".:/()?-1"]
UNREADABLE = ["\0", "\ud800", "\udfff"]
PIECES = st.sampled_from([*WORDS, *SPACES, *ADDRESSES, *UNREADABLE])
# UDPipe knows the categories of old characters, which have not changed since.
CHARACTERS = st.characters(max_codepoint=0x58F, exclude_categories=["Cn"])
TEXTS = st.lists(PIECES | CHARACTERS, max_size=120).map("".join)


@pytest.fixture(scope="session", params=OPTIONS, ids=lambda options: options.split(";")[0])
def models(request, nlp, tmp_path_factory):
    """Train a model on a little German, and load it with this package and with UDPipe."""
    references = (example.reference for example in sample_examples(nlp))
    numbers = [(TrainingToken(f"{n} 000", (), True),) for n in range(100)]
    options = f"{request.param};epochs=1;early_stopping=0;batch_size=20;learning_rate=0.003"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "trainer_options", lambda *_: (options, 1))
        model = training.train_model([*training.training_sentences(references), *numbers])
    path = tmp_path_factory.mktemp("model") / "model.udpipe"
    path.write_bytes(model)
    return Segmenter(model), udpipe_model(path)


def check(models, text):
    ours, theirs = models
    assert list(map(tuple, ours(text).tolist())) == list(udpipe_tokens(theirs, text))


@given(text=TEXTS)
def test_tokens_of_any_text(models, text):
    check(models, text)


def test_tokens_of_a_treebank(models):
    for paragraph in paragraphs_of_treebank(list(read_conllu(SAMPLE))):
        check(models, paragraph.text)


@pytest.mark.parametrize("unit", [".", "(", "a", "-", "a.b.", "a.bc/...", "'a", "%20", "x@", " é"])
def test_long_texts(models, unit):
    check(models, f"Wir sahen {(unit * 3000)[:3000]} am See.")


@pytest.mark.parametrize(
    "space", [" ", "  ", "\n", "\n\n", " \n \n", "\r\n", "\r\n\r\n", " \r\n\r\n ", "\n\r\n"]
)
def test_white_space_inside_tokens(models, space):
    """Numbers may contain white space, but no blank line. White space may also end the text."""
    for number in range(100):
        check(models, f"{number}{space}000")
        check(models, f"Wir sahen {number}{space}000 {number}{space}")


def test_all_white_space_separates_tokens(models):
    for char in filter(str.isspace, map(chr, range(sys.maxunicode + 1))):
        check(models, f"am{char}See{char}{char}")


def test_characters_of_all_categories(models):
    examples = {unicodedata.category(chr(code)): chr(code) for code in range(0xE000, 0x20, -1)}
    assert len(examples) > 25
    for char in examples.values():
        check(models, f"Haus{char}See {char} {char}{char}.")


@pytest.mark.parametrize("unit", [".", "(", "a", "7", "-", "a.b.", "a.bc/...", "'a", "%20", "x@"])
def test_long_runs_are_cut(nlp, unit):
    """The time to segment a run of characters is quadratic in its length."""
    text = f"Wir sahen {(unit * 10_000)[:10_000]} am See."
    doc = nlp.tokenizer(text)
    assert doc.text == text
    assert max(map(len, doc)) <= 500
    assert {token.idx for token in doc}.issuperset(range(10, 10_010, 500))
    assert [token._.form for token in doc[-4:]] == ["an", "dem", "See", "."]


def test_other_texts_are_not_cut(nlp):
    address = f"https://example.org/{480 * 'a'}"
    assert len(address) == 500
    doc = nlp.tokenizer(f"Am See {address} sahen wir.")
    assert address in [token.text for token in doc]


USE = """
import sys
from spacy.vocab import Vocab
from spacy_npparse.tokenization import TrainedTokenizer

doc = TrainedTokenizer(Vocab()).from_disk(sys.argv[1])("Haus am See")
assert [token._.form for token in doc] == ["Haus", "an", "dem", "See"]
assert not [name for name in sys.modules if name.startswith("ufal")]
"""


def test_udpipe_is_not_needed(nlp, tmp_path):
    nlp.tokenizer.to_disk(tmp_path)
    subprocess.run([sys.executable, "-c", USE, str(tmp_path)], check=True)
