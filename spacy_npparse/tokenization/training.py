"""Training of a UDPipe 1 tokenizer, a bidirectional GRU over characters that marks the ends of
tokens and sentences.

Source: Straka and Straková (2017, section 2.1).
"""

from __future__ import annotations

import math
import subprocess
import sys
import time
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from itertools import groupby
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import NamedTuple
from unicodedata import normalize
from zlib import crc32

import numpy as np
from spacy.attrs import ORTH
from spacy.tokens import Doc
from spacy.util import logger
from tqdm import tqdm

from spacy_npparse.tokenization.addresses import LONGEST_ADDRESS, address_end
from spacy_npparse.treebank.raw_text import form
from spacy_npparse.treebank.sentence import EMPTY, WITHOUT_TEXT, Row
from spacy_npparse.word_forms import SurfaceToken, surface_tokens

# The program is not imported, because UDPipe is needed only for training.
_PROGRAM = Path(__file__).with_name("trainer_program.py")
# The number of segments of text in an epoch of UDPipe's trainer, however little text there is.
_SEGMENTS = 10_000
_MIN_SEGMENT, _MAX_SEGMENT = 10, 50
# The maximum number of epochs, and of times that the trainer sees each character: for text with
# spaces, and for text without, whose words the network has to know.
_WITH_SPACES, _WITHOUT_SPACES = (10, 20), (20, 60)
# The maximum number of characters for the trainer. More take memory, and improve tokens and words
# hardly at all.
MOST_CHARACTERS = 1_000_000
# The sizes of the GRU for little text, for other text, and for text without spaces. UDPipe supports
# these three.
_SMALL, _MEDIUM, _LARGE = 16, 24, 64
# The learning rate decays exponentially.
_OPTIONS = "batch_size=5;learning_rate=0.003;learning_rate_final=0.0002;early_stopping=0"


class TrainingToken(NamedTuple):
    """A token of the text.

    Attributes:
        form: The token.
        words: The words of a multiword token; empty for other tokens.
        space_after: Whether white space follows.
    """

    form: str
    words: tuple[str, ...]
    space_after: bool


TrainingSentence = tuple[TrainingToken, ...]


def training_sentences(docs: Iterable[Doc]) -> list[TrainingSentence]:
    """Collect the tokens of Docs, sentence by sentence, sorted, so that their order does not
    influence training.

    From a large treebank, a random sample of a million characters is taken: the sentences with the
    smallest checksums.

    Args:
        docs: The gold Docs, with `doc._.multiword_tokens`.

    Returns:
        The sentences. A Doc without sentence boundaries is one sentence.
    """
    # A heap with the largest checksums first.
    chosen: list[tuple[int, TrainingSentence]] = []
    n_characters, least_left_out = 0, 2**32
    for doc in docs:
        for checksum, sentence in _sentences(doc, least_left_out):
            heappush(chosen, (-checksum, sentence))
            n_characters += _length(sentence)
        while n_characters > MOST_CHARACTERS and len(chosen) > 1:
            checksum, sentence = heappop(chosen)
            least_left_out = -checksum
            n_characters -= _length(sentence)
    return sorted(sentence for _, sentence in chosen)


def _sentences(doc: Doc, end: int) -> Iterator[tuple[int, TrainingSentence]]:
    """Find the sentences with checksums below `end`, and their checksums."""
    starts = [sentence.start for sentence in doc.sents] if doc.has_annotation("SENT_START") else [0]
    orths = np.split(doc.to_array(ORTH), starts[1:])
    checksums = [crc32(own.tobytes()) for own in orths]
    chosen = [checksum < end for checksum in checksums]
    if not any(chosen):
        return
    of_tokens = np.repeat(chosen, list(map(len, orths))).tolist()
    tokens = (t for t in surface_tokens(doc) if of_tokens[t.start] and form(t.text))
    for number, sentence in groupby(tokens, lambda token: bisect(starts, token.start) - 1):
        yield checksums[number], tuple(_training_token(doc, token) for token in sentence)


def _length(sentence: TrainingSentence) -> int:
    """Count the characters of a sentence."""
    return sum(len(token.form) + token.space_after for token in sentence)


def _training_token(doc: Doc, token: SurfaceToken) -> TrainingToken:
    space_after = (
        bool(doc[token.end - 1].whitespace_) or doc[token.end : token.end + 1].text.isspace()
    )
    text, *words = (normalize("NFC", form(one)) for one in (token.text, *token.words))
    # A multiword token of one word, which CoNLL-U permits, is not split.
    return TrainingToken(text, tuple(words) if len(words) > 1 else (), space_after)


def no_addresses(sentences: Iterable[TrainingSentence]) -> list[str]:
    """Find the strings that match the grammar of addresses, but are more often tokenized otherwise,
    such as *t.ex* in the Swedish abbreviation *t.ex.*

    Args:
        sentences: The sentences.

    Returns:
        The strings in lower case, sorted.
    """
    votes: Counter[str] = Counter()
    for sentence in sentences:
        text = "".join(token.form + " " * token.space_after for token in sentence)
        start = 0
        for token in sentence:
            end = start + len(token.form)
            address = address_end(text, start, min(start + LONGEST_ADDRESS, len(text)))
            votes[text[start:address].lower()] += 1 if address != end else -1
            start = end + token.space_after
    return sorted(address for address, n_votes in votes.items() if address and n_votes > 0)


def train_model(sentences: Iterable[TrainingSentence]) -> bytes:
    """Train a tokenizer. A few hundred thousand characters take a minute, and a few thousand a
    second.

    Args:
        sentences: The sentences.

    Returns:
        The model in UDPipe's format.

    Raises:
        ValueError: There is too little text, or none.
        RuntimeError: UDPipe fails.
    """
    sentences = list(sentences)
    n_characters = sum(map(_length, sentences))
    if n_characters < _MIN_SEGMENT:
        raise ValueError(
            f"A tokenizer cannot be trained on {n_characters} characters of text. Give a treebank; "
            "or the folder of a pipeline whose tokenizer is copied (initialize.tokenizer.source); "
            "or use spaCy's rules: --nlp.tokenizer.@tokenizers spacy.Tokenizer.v1."
        )
    if all(token.form == EMPTY for sentence in sentences for token in sentence):
        raise ValueError(f"A tokenizer cannot be trained: {WITHOUT_TEXT}")
    spaces = mean(token.space_after for sentence in sentences for token in sentence)
    options, epochs = trainer_options(n_characters, spaces)
    start = time.perf_counter()
    model = _run_trainer(options, "".join(map(_conllu, sentences)), epochs)
    logger.info(
        "Trained a tokenizer on %d characters of %d sentences in %.1f s",
        n_characters,
        len(sentences),
        time.perf_counter() - start,
    )
    return model


def trainer_options(n_characters: int, spaces: float) -> tuple[str, int]:
    """Choose the options of UDPipe's trainer, so that little text takes little time.

    Args:
        n_characters: The number of characters in the text.
        spaces: The share of tokens that are followed by white space.

    Returns:
        The options in the syntax of UDPipe, and the number of epochs.
    """
    has_spaces = spaces > 0.5
    most_epochs, most_passes = _WITH_SPACES if has_spaces else _WITHOUT_SPACES
    seen = min(n_characters * most_passes, _SEGMENTS * _MAX_SEGMENT * most_epochs)
    segment = min(max(seen // _SEGMENTS, _MIN_SEGMENT), _MAX_SEGMENT, n_characters)
    epochs = math.ceil(seen / (_SEGMENTS * segment))
    dimension = _SMALL if segment == _MIN_SEGMENT else _MEDIUM if has_spaces else _LARGE
    return f"dimension={dimension};segment_size={segment};epochs={epochs};{_OPTIONS}", epochs


def _conllu(sentence: TrainingSentence) -> str:
    blank = Row(*[EMPTY] * len(Row._fields))
    lines = []
    for number, token in enumerate(sentence, 1):
        misc = EMPTY if token.space_after else "SpaceAfter=No"
        # UDPipe reads a string of C, which ends before NUL.
        form = token.form.replace("\0", "\N{REPLACEMENT CHARACTER}")
        lines.append("\t".join(blank._replace(id=str(number), form=form, misc=misc)))
    return "\n".join([*lines, "", ""])


def _run_trainer(options: str, text: str, epochs: int) -> bytes:
    with TemporaryDirectory() as folder:
        train, model = Path(folder, "train.conllu"), Path(folder, "model.udpipe")
        train.write_text(text, encoding="utf-8", newline="\n")
        command = [sys.executable, str(_PROGRAM), options, str(train), str(model)]
        log = ""
        # The program has streams of its own, because another thread may be reading those of this
        # process.
        stdin, stderr = subprocess.DEVNULL, subprocess.PIPE
        with subprocess.Popen(command, stdin=stdin, stderr=stderr, encoding="utf-8") as trainer:
            assert trainer.stderr is not None
            try:
                with tqdm(total=epochs, desc="Tokenizer", unit="epoch", disable=None) as progress:
                    for log in trainer.stderr:
                        progress.update(log.startswith("Epoch "))
            except BaseException:
                trainer.kill()
                raise
        if trainer.returncode:
            raise RuntimeError(f"UDPipe's trainer has failed: {log.strip()}")
        return model.read_bytes()
