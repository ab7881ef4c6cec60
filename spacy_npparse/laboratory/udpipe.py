"""UDPipe 1: its transition-based parser with SWAP, and its tagger, whose tags the parser reads.

    python -m spacy_npparse.laboratory.udpipe train.conllu dev.conllu model.udpipe

trains a model, in a process of its own because UDPipe's trainer writes to the terminal.

Source: Straka, Hajič and Straková (2016), and the manual of UDPipe 1.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import spacy

from spacy_npparse.files import replacing
from spacy_npparse.laboratory.commands import LOG, run_module
from spacy_npparse.laboratory.contestants import Checkpoint, Parsed, Task
from spacy_npparse.treebank import Sentence, doc_to_conllu, parse_sentence, unannotated_doc

_MODEL = "model.udpipe"
_TAGGER = "models=1;templates=tagger;iterations=20"
# The manual's settings for Universal Dependencies, with SWAP and without pretrained vectors.
_PARSER = (
    "transition_system=swap;transition_oracle=static_lazy;structured_interval=8;"
    "embedding_upostag=20;embedding_feats=20;embedding_xpostag=0;embedding_form=50;"
    "embedding_lemma=0;embedding_deprel=20;hidden_layer=200;batch_size=10;iterations=30;"
    "learning_rate=0.02;l2=0.3;early_stopping=1"
)


@dataclass(frozen=True)
class UDPipe:
    """The tagger and the parser of UDPipe 1, whose trainer has its own seed and number of
    iterations; see `Contestant`."""

    name = "udpipe"
    model_name = "udpipe"
    is_peer = True
    uses_seeds = False

    def __post_init__(self) -> None:
        _library()

    def check(self, task: Task) -> None:
        """See `Contestant`: any task fits."""

    def train(self, task: Task, seed: int, folder: Path) -> None:
        """See `Contestant`."""
        run_module([__name__, task.train, task.dev, folder / _MODEL], folder / LOG)

    def parse(self, folder: Path, sentences: Sequence[Sentence]) -> Parsed:
        """See `Contestant`."""
        udpipe = _library()
        model = udpipe.Model.load(str(folder / _MODEL))
        nlp = spacy.blank("xx")
        blank = [unannotated_doc([s], nlp.vocab, sentence_starts=True) for s in sentences]
        # A list, because its containers give out copies.
        inputs = list(_read("".join(map(doc_to_conllu, blank))))
        output = udpipe.OutputFormat.newConlluOutputFormat()
        start = time.process_time()
        for sentence in inputs:
            if not (model.tag(sentence, model.DEFAULT) and model.parse(sentence, model.DEFAULT)):
                raise ValueError(f"UDPipe cannot parse {sentence.getText()!r}.")
        seconds = time.process_time() - start
        blocks = [output.writeSentence(sentence).strip("\n").split("\n") for sentence in inputs]
        return Parsed([parse_sentence(lines) for lines in blocks], sum(map(len, blank)) / seconds)

    def learning_curve(self, folder: Path) -> list[Checkpoint]:
        """See `Contestant`: not known."""
        return []


def _library() -> Any:
    """The package; ValueError if it is not installed."""
    try:
        from ufal import udpipe
    except ImportError:
        raise ValueError(
            "UDPipe 1 is not installed: pip install 'ufal.udpipe>=1.3', or leave udpipe out."
        ) from None
    return udpipe


def _read(text: str) -> Any:
    """The sentences of a CoNLL-U text; ValueError if UDPipe cannot read it."""
    udpipe = _library()
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(text)
    found, error = udpipe.Sentences(), udpipe.ProcessingError()
    while reader.nextSentence(sentence := udpipe.Sentence(), error):
        found.append(sentence)
    if error.occurred():
        raise ValueError(f"UDPipe: {error.message}")
    return found


def _train(train: Path, dev: Path, model: Path) -> None:
    udpipe = _library()
    parts = [_read(path.read_text(encoding="utf-8")) for path in (train, dev)]
    error = udpipe.ProcessingError()
    trained = udpipe.Trainer.train(
        "morphodita_parsito", *parts, udpipe.Trainer.NONE, _TAGGER, _PARSER, error
    )
    if error.occurred():
        raise ValueError(f"UDPipe: {error.message}")
    with replacing(model) as file:
        file.write(trained)


if __name__ == "__main__":
    _train(*map(Path, sys.argv[1:]))
