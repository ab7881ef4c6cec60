"""UDPipe 1: its tokenizer, its tagger, whose tags the parser reads, and its transition-based parser
with SWAP.

    python -m spacy_npparse.laboratory.udpipe epochs=100 model.udpipe dev.conllu train.conllu

This command trains a model with these settings of the tokenizer, on one file or several. It runs in
a process of its own, because UDPipe's trainer writes to the terminal.

Source: Straka, Hajič and Straková (2016), and the manual of UDPipe 1.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import spacy
from ufal import udpipe

from spacy_npparse.files import replacing
from spacy_npparse.laboratory.commands import LOG, run_module
from spacy_npparse.laboratory.contestants import Parsed, Task
from spacy_npparse.treebank import (
    Paragraph,
    Sentence,
    doc_to_conllu,
    parse_sentence,
    unannotated_doc,
)

_MODEL = "model.udpipe"
# The settings of the tokenizer are the usual ones. Dimension, segments and dropout are the
# defaults.
TOKENIZER = "epochs=100;early_stopping=1"
TAGGER = "models=1;templates=tagger;iterations=20"
# The settings of the parser are those of the manual for Universal Dependencies, with SWAP and
# without pretrained vectors.
PARSER = (
    "transition_system=swap;transition_oracle=static_lazy;structured_interval=8;"
    "embedding_upostag=20;embedding_feats=20;embedding_xpostag=0;embedding_form=50;"
    "embedding_lemma=0;embedding_deprel=20;hidden_layer=200;batch_size=10;iterations=30;"
    "learning_rate=0.02;l2=0.3;early_stopping=1"
)


@dataclass(frozen=True)
class UDPipe:
    """UDPipe 1, whose trainer has its own seed and number of iterations."""

    name = "udpipe"
    model_name = "udpipe"
    is_peer = True
    uses_seeds = False

    def check(self, task: Task) -> None:
        """Do nothing, because UDPipe fits any task."""

    def train(self, task: Task, seed: int, folder: Path) -> None:
        files = [folder / _MODEL, task.dev, *task.training_files]
        run_module([__name__, TOKENIZER, *files], folder / LOG)

    def parse(self, folder: Path, sentences: Sequence[Sentence]) -> Parsed:
        nlp = spacy.blank("xx")
        blank = [unannotated_doc([s], nlp.vocab) for s in sentences]
        inputs = list(_read("".join(map(doc_to_conllu, blank))))
        model = _load(folder)
        start = time.process_time()
        parsed = [_annotated(model, sentence) for sentence in inputs]
        seconds = time.process_time() - start
        return _parsed(parsed, seconds)

    def parse_text(self, folder: Path, paragraphs: Sequence[Paragraph]) -> Parsed:
        model = _load(folder)
        start = time.process_time()
        tokenizer = model.newTokenizer(model.DEFAULT)
        parsed = []
        for paragraph in paragraphs:
            tokenizer.setText(paragraph.text)
            parsed += [_annotated(model, sentence) for sentence in _sentences(tokenizer)]
        seconds = time.process_time() - start
        return _parsed(parsed, seconds)

    def learning_curve(self, folder: Path) -> list[tuple[int, float]]:
        """Return no curve, because UDPipe does not report one."""
        return []


def _load(folder: Path) -> Any:
    """Load a trained model."""
    return udpipe.Model.load(str(folder / _MODEL))


def _read(text: str) -> Any:
    """Read the sentences of a CoNLL-U text. Raises ValueError if UDPipe cannot read it."""
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(text)
    found = udpipe.Sentences()
    for sentence in _sentences(reader):
        found.append(sentence)
    return found


def _sentences(reader: Any) -> Iterator[Any]:
    """Iterate over the sentences of a reader or tokenizer. Raises ValueError if there is an
    error."""
    error = udpipe.ProcessingError()
    while reader.nextSentence(sentence := udpipe.Sentence(), error):
        yield sentence
    if error.occurred():
        raise ValueError(f"UDPipe: {error.message}")


def _annotated(model: Any, sentence: Any) -> Any:
    """Tag and parse a sentence in place."""
    if not (model.tag(sentence, model.DEFAULT) and model.parse(sentence, model.DEFAULT)):
        raise ValueError(f"UDPipe cannot parse {sentence.getText()!r}.")
    return sentence


def _parsed(sentences: Sequence[Any], seconds: float) -> Parsed:
    """Convert sentences of UDPipe, which took this number of seconds."""
    output = udpipe.OutputFormat.newConlluOutputFormat()
    blocks = [output.writeSentence(sentence).strip("\n").split("\n") for sentence in sentences]
    parsed = [parse_sentence(lines) for lines in blocks]
    return Parsed(parsed, sum(len(sentence.words) for sentence in parsed) / seconds)


def read_files(paths: Sequence[Path]) -> Any:
    """Read the sentences of CoNLL-U files as UDPipe's own `Sentences`.

    Args:
        paths: The files.

    Raises:
        ValueError: UDPipe cannot read a file.
    """
    found = udpipe.Sentences()
    for path in paths:
        for sentence in _read(path.read_text(encoding="utf-8-sig")):
            found.append(sentence)
    return found


def _train(tokenizer: str, model: Path, dev: Path, train: Sequence[Path]) -> None:
    parts = [read_files(train), read_files([dev])]
    error = udpipe.ProcessingError()
    trained = udpipe.Trainer.train("morphodita_parsito", *parts, tokenizer, TAGGER, PARSER, error)
    if error.occurred():
        raise ValueError(f"UDPipe: {error.message}")
    with replacing(model) as file:
        file.write(trained)


if __name__ == "__main__":
    model, dev, *train = map(Path, sys.argv[2:])
    _train(sys.argv[1], model, dev, train)
