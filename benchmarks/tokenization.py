"""Tokens and words that tokenizers find in plain text, and how long it takes to train them.

    python benchmarks/tokenization.py ud/UD_French-Sequoia ud/UD_Turkish-IMST
    python benchmarks/tokenization.py ud/UD_French-Sequoia --udpipe
    python benchmarks/tokenization.py ud/UD_Hungarian-Szeged --without-spaces

Each folder has a train and a dev part of a treebank. The tokenizers are spaCy's rules for any
language (xx) and for that of the treebank, the trained tokenizer and, with --udpipe, UDPipe 1 by
itself: 100 epochs, of which the best on dev is kept. Official F1 on dev in percent; one Doc for a
paragraph. CPU time on one thread; speed includes the making of Docs. --without-spaces deletes all
spaces between words, as many scripts have none.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import spacy
from spacy.language import Language
from ufal import udpipe

from spacy_npparse.evaluation import Metric, score_sentences
from spacy_npparse.tokenization import TrainedTokenizer
from spacy_npparse.treebank import (
    ConlluCorpus,
    Sentence,
    annotate,
    paragraphs_of_treebank,
    parse_sentence,
    read_conllu,
    sentences_from_doc,
)

# From plain text to tokens.
Tokenize = Callable[[list[Sentence]], Iterable[Sentence]]


def main() -> None:
    """Print a table for each treebank."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("treebanks", nargs="+", type=Path)
    parser.add_argument("--udpipe", action="store_true", help="and UDPipe 1: many minutes")
    parser.add_argument("--without-spaces", action="store_true", help="delete all spaces")
    args = parser.parse_args()
    with TemporaryDirectory() as copies:
        report(args, Path(copies))


def report(args: argparse.Namespace, copies: Path) -> None:
    """Print the table. copies: folder for changed treebanks."""
    print("| treebank | tokenizer | tokens | words | training, s | characters/s |")
    print("|---" * 6 + "|")
    for folder in args.treebanks:
        train, dev = (next(folder.glob(f"*-{part}.conllu")) for part in ("train", "dev"))
        if args.without_spaces:
            train, dev = (without_spaces(path, copies) for path in (train, dev))
        gold = list(read_conllu(dev))
        rows: dict[str, Callable[[], Tokenize]] = {"spaCy, xx": lambda: rules("xx")}
        lang = dev.name.split("_")[0].split("-")[0]
        if (Path(spacy.__file__).parent / "lang" / lang).is_dir():
            rows[f"spaCy, {lang}"] = lambda lang=lang: rules(lang)
        rows["trained"] = lambda train=train: trained(train)
        if args.udpipe:
            rows["UDPipe 1"] = lambda train=train, dev=dev: udpipe_alone(train, dev)
        for name, make in rows.items():
            start = cpu_seconds()
            tokenize = make()
            training = cpu_seconds() - start
            print(f"| {folder.name} | {name} |", row(tokenize, gold, training), flush=True)


def without_spaces(path: Path, folder: Path) -> Path:
    """A copy of a treebank whose words follow one another without spaces."""
    copy = folder / path.name
    with copy.open("w", encoding="utf-8") as file:
        for sentence in read_conllu(path):
            rows = [
                word._replace(form=word.form.replace(" ", ""), misc="SpaceAfter=No")
                for word in sentence.words
            ]
            file.write("\n".join(map("\t".join, rows)) + "\n\n")
    return copy


def row(tokenize: Tokenize, gold: list[Sentence], training: float) -> str:
    """Scores and times of a tokenizer."""
    n_characters = sum(len(one.original) for one in paragraphs_of_treebank(gold))
    start = time.process_time()
    found = list(tokenize(gold))
    seconds = time.process_time() - start
    official = score_sentences(gold, found).official
    f1 = [f"{100 * official[metric].f1:.2f}" for metric in (Metric.TOKENS, Metric.WORDS)]
    return " | ".join([*f1, f"{training:.0f}", f"{n_characters / seconds:,.0f} |"])


def rules(lang: str) -> Tokenize:
    """spaCy's tokenizer of a language."""
    return docs_of(spacy.blank(lang))


def trained(train: Path) -> Tokenize:
    """The tokenizer of this package."""
    nlp = spacy.blank("xx")
    nlp.tokenizer = TrainedTokenizer(nlp.vocab)
    nlp.initialize(lambda: ConlluCorpus(train)(nlp))
    return docs_of(nlp)


def docs_of(nlp: Language) -> Tokenize:
    """Tokenize with a pipeline."""

    def tokenize(gold: list[Sentence]) -> Iterator[Sentence]:
        paragraphs = list(paragraphs_of_treebank(gold))
        nlp.max_length = max(len(one.text) for one in paragraphs)
        for doc in annotate(nlp, paragraphs):
            yield from sentences_from_doc(doc)

    return tokenize


def udpipe_alone(train: Path, dev: Path) -> Tokenize:
    """UDPipe's tokenizer, trained as by its manual."""
    parts = [udpipe_sentences(path) for path in (train, dev)]
    none = udpipe.Trainer.NONE
    options = "epochs=100;early_stopping=1"
    model = udpipe.Trainer.train("morphodita_parsito", *parts, options, none, none)
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.udpipe")
        path.write_bytes(model)
        loaded = udpipe.Model.load(str(path))

    def tokenize(gold: list[Sentence]) -> Iterator[Sentence]:
        output = udpipe.OutputFormat.newConlluOutputFormat()
        for paragraph in paragraphs_of_treebank(gold):
            reader = loaded.newTokenizer("")
            reader.setText(paragraph.text)
            while reader.nextSentence(sentence := udpipe.Sentence()):
                yield parse_sentence(output.writeSentence(sentence).strip("\n").split("\n"))

    return tokenize


def udpipe_sentences(path: Path) -> udpipe.Sentences:
    """The sentences of a treebank as UDPipe reads them."""
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(path.read_text(encoding="utf-8"))
    sentences = udpipe.Sentences()
    while reader.nextSentence(sentence := udpipe.Sentence()):
        sentences.append(sentence)
    return sentences


def cpu_seconds() -> float:
    """CPU time of this process and of its children."""
    return sum(os.times()[:4])


if __name__ == "__main__":
    main()
