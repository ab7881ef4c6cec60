"""Measure the accuracy of tokenizers on plain text, and their speed.

    python benchmarks/tokenization.py ud/UD_French-Sequoia ud/UD_Turkish-IMST
    python benchmarks/tokenization.py ud/UD_French-Sequoia --udpipe
    python benchmarks/tokenization.py ud/UD_Hungarian-Szeged --without-spaces
    python benchmarks/tokenization.py ud/UD_French-Sequoia --words 10000 20000 40000

Each folder contains a train and a dev part of a treebank. The tokenizers are spaCy's rules for any
language (xx) and for the language of the treebank, the trained tokenizer, UDPipe 1 with the model
of the trained tokenizer (which has no multiword tokens) and, with --udpipe, UDPipe 1 trained for
100 epochs, of which the best on dev is kept. --words trains further tokenizers on so many words
each, sampled evenly from the train part. The scores are official F1 on dev in percent, with one Doc
for each paragraph.

Times are CPU times on one thread. The speed is measured on texts of ten sentences of dev, after the
tokenizer has read the texts of train: for the first time, with words that it has not seen, and
again. It includes the creation of Docs, or of UDPipe's words. Tokenizers alternate, and medians of
three runs are shown. --without-spaces deletes all spaces between words, because many scripts do not
use spaces.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import spacy
import srsly
from spacy.language import Language
from spacy.vocab import Vocab
from speed import make_texts
from ufal import udpipe

from spacy_npparse.evaluation import Metric, score_sentences
from spacy_npparse.tokenization import TrainedTokenizer
from spacy_npparse.tokenization.saved_model import unseal
from spacy_npparse.treebank import (
    ConlluCorpus,
    Paragraph,
    Sentence,
    annotate,
    paragraphs_of_treebank,
    parse_sentence,
    read_conllu,
    sentences_from_doc,
)
from spacy_npparse.treebank.sentence import conllu_text

RUNS = 3

# Converts plain text to tokens.
Tokenize = Callable[[str], Any]


class Tokenizer(NamedTuple):
    """A tokenizer.

    Attributes:
        training: The CPU seconds of training.
        load: Loads a new tokenizer, which has read no text yet.
        sentences: Returns the tokenized sentences of a paragraph.
    """

    training: float
    load: Callable[[], Tokenize]
    sentences: Callable[[Paragraph], Iterable[Sentence]]


def main() -> None:
    """Print a table for each treebank."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("treebanks", nargs="+", type=Path)
    parser.add_argument("--udpipe", action="store_true", help="and UDPipe 1: many minutes")
    parser.add_argument("--without-spaces", action="store_true", help="delete all spaces")
    parser.add_argument("--words", nargs="*", type=int, default=[], help="of parts of train")
    args = parser.parse_args()
    with TemporaryDirectory() as copies:
        report(args, Path(copies))


def report(args: argparse.Namespace, copies: Path) -> None:
    """Print the table. copies: the folder for changed treebanks."""
    print("| treebank | tokenizer | tokens | words | training, s | characters/s | again |")
    print("|---" * 7 + "|")
    for folder in args.treebanks:
        train, dev = (next(folder.glob(f"*-{part}.conllu")) for part in ("train", "dev"))
        if args.without_spaces:
            train, dev = (without_spaces(path, copies) for path in (train, dev))
        gold = list(read_conllu(dev))
        found = dict(tokenizers(train, dev, args.udpipe))
        for n_words in args.words:
            part = part_of(train, n_words, copies)
            found[f"trained, {n_words:,} words"], _ = trained(part)
        speeds = characters_per_second(
            {name: one.load for name, one in found.items()},
            make_texts(train),
            make_texts(dev),
        )
        for name, one in found.items():
            predicted = [s for p in paragraphs_of_treebank(gold) for s in one.sentences(p)]
            official = score_sentences(gold, predicted).official
            f1 = [f"{100 * official[metric].f1:.2f}" for metric in (Metric.TOKENS, Metric.WORDS)]
            speed = [f"{value:,.0f}" for value in speeds[name]]
            row = [folder.name, name, *f1, f"{one.training:.0f}", *speed]
            print(f"| {' | '.join(row)} |", flush=True)


def tokenizers(train: Path, dev: Path, with_udpipe: bool) -> Iterator[tuple[str, Tokenizer]]:
    """Return the names and the tokenizers."""
    yield "spaCy, xx", rules("xx")
    lang = dev.name.split("_")[0].split("-")[0]
    if (Path(spacy.__file__).parent / "lang" / lang).is_dir():
        yield f"spaCy, {lang}", rules(lang)
    one, model = trained(train)
    yield "trained", one
    yield "trained, in UDPipe", udpipe_tokenizer(model, one.training)
    if with_udpipe:
        start = cpu_seconds()
        model = train_udpipe(train, dev)
        yield "UDPipe 1", udpipe_tokenizer(model, cpu_seconds() - start)


def trained(train: Path) -> tuple[Tokenizer, bytes]:
    """Train the tokenizer of this package, and return it and its model in UDPipe's format."""
    nlp = spacy.blank("xx")
    nlp.tokenizer = TrainedTokenizer(nlp.vocab)
    start = cpu_seconds()
    nlp.initialize(lambda: ConlluCorpus(train)(nlp))
    training = cpu_seconds() - start
    saved = nlp.tokenizer.to_bytes()

    def load() -> Tokenize:
        return TrainedTokenizer(Vocab()).from_bytes(saved)

    model = unseal(srsly.msgpack_loads(saved)["model"])
    return Tokenizer(training, load, sentences_of(nlp)), model


def part_of(path: Path, n_words: int, folder: Path) -> Path:
    """Copy evenly spaced sentences of a treebank with about n_words words."""
    sentences = list(read_conllu(path))
    share = n_words / sum(len(sentence.words) for sentence in sentences)
    chosen = [s for i, s in enumerate(sentences) if int((i + 1) * share) > int(i * share)]
    copy = folder / f"{n_words}.conllu"
    copy.write_text(conllu_text(chosen), encoding="utf-8")
    return copy


def characters_per_second(
    loaders: dict[str, Callable[[], Tokenize]], before: list[str], texts: list[str]
) -> dict[str, list[float]]:
    """Measure the speed on texts that are read for the first time and again, after `before`."""
    seconds: dict[str, list[list[float]]] = {name: [[], []] for name in loaders}
    for _ in range(RUNS):
        for name, load in loaders.items():
            tokenize = load()
            for text in before:
                tokenize(text)
            for measured in seconds[name]:
                start = time.process_time()
                for text in texts:
                    tokenize(text)
                measured.append(time.process_time() - start)
    size = sum(map(len, texts))
    return {name: [size / median(one) for one in both] for name, both in seconds.items()}


def without_spaces(path: Path, folder: Path) -> Path:
    """Copy a treebank without spaces between words."""
    copy = folder / path.name
    with copy.open("w", encoding="utf-8") as file:
        for sentence in read_conllu(path):
            rows = [
                word._replace(form=word.form.replace(" ", ""), misc="SpaceAfter=No")
                for word in sentence.words
            ]
            file.write("\n".join(map("\t".join, rows)) + "\n\n")
    return copy


def rules(lang: str) -> Tokenizer:
    """Return spaCy's tokenizer of a language."""
    return Tokenizer(0.0, lambda: spacy.blank(lang).tokenizer, sentences_of(spacy.blank(lang)))


def sentences_of(nlp: Language) -> Callable[[Paragraph], Iterator[Sentence]]:
    """Return a function that finds sentences with a pipeline."""

    def sentences(paragraph: Paragraph) -> Iterator[Sentence]:
        nlp.max_length = max(nlp.max_length, len(paragraph.text))
        for doc in annotate(nlp, [paragraph]):
            yield from sentences_from_doc(doc)

    return sentences


def train_udpipe(train: Path, dev: Path) -> bytes:
    """Train a UDPipe model as described in its manual."""
    parts = [udpipe_sentences(path) for path in (train, dev)]
    none = udpipe.Trainer.NONE
    options = "epochs=100;early_stopping=1"
    return udpipe.Trainer.train("morphodita_parsito", *parts, options, none, none)


def udpipe_tokenizer(model: bytes, training: float) -> Tokenizer:
    """Return UDPipe's tokenizer with a model."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.udpipe")
        path.write_bytes(model)
        loaded = udpipe.Model.load(str(path))

    def tokenize(text: str) -> Iterator[udpipe.Sentence]:
        reader = loaded.newTokenizer("")
        reader.setText(text)
        while reader.nextSentence(sentence := udpipe.Sentence()):
            yield sentence

    output = udpipe.OutputFormat.newConlluOutputFormat()

    def sentences(paragraph: Paragraph) -> Iterator[Sentence]:
        for sentence in tokenize(paragraph.text):
            yield parse_sentence(output.writeSentence(sentence).strip("\n").split("\n"))

    return Tokenizer(training, lambda: lambda text: list(tokenize(text)), sentences)


def udpipe_sentences(path: Path) -> udpipe.Sentences:
    """Read the sentences of a treebank with UDPipe."""
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(path.read_text(encoding="utf-8"))
    sentences = udpipe.Sentences()
    while reader.nextSentence(sentence := udpipe.Sentence()):
        sentences.append(sentence)
    return sentences


def cpu_seconds() -> float:
    """Return the CPU time of this process and of its children."""
    return sum(os.times()[:4])


if __name__ == "__main__":
    main()
