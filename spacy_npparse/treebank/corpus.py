"""The corpus reader of `spacy train` for CoNLL-U."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import repeat
from pathlib import Path
from typing import ClassVar, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, dont_augment
from spacy.vocab import Vocab

from spacy_npparse.checks import MOST_ROWS, check_arguments, check_range
from spacy_npparse.treebank.docs import group_sentences
from spacy_npparse.treebank.encoding import (
    EncodedSentence,
    has_tags,
    predicted_doc,
    read_encoded,
    reference_doc,
)
from spacy_npparse.treebank.reading import OnError
from spacy_npparse.treebank.sentence import EMPTY
from spacy_npparse.treebank.sources import find_sources
from spacy_npparse.treebank.stored_example import StoredExample
from spacy_npparse.treebank_names import copy_treebank, name_docs

logger = logging.getLogger(__name__)

Augmenter = Callable[[Language, Example], Iterable[Example]]


class CorpusPart(NamedTuple):
    """Sentences that may be grouped with each other.

    Attributes:
        sentences: The sentences; they can be read again if there are copies.
        has_tags: Whether they have XPOS.
        treebank: The name of their treebank.
        copies: How often a pass sees them.
    """

    sentences: Iterable[EncodedSentence]
    has_tags: bool
    treebank: str
    copies: int = 1


class ConlluCorpus:
    """Examples from a treebank, with gold tokenisation.

    The reference Doc of an example is fully annotated; in a file with XPOS, words without it have
    the tag `_`, which is what a tagger should predict. It has the distributions of heads that are
    in MISC (HeadDistribution). Its predicted Doc has the same words and spaces and, if
    `gold_sentences`, the same sentence starts, nothing else. A parser, which keeps preset
    boundaries, is then scored on gold sentences; in training it learns boundaries from the
    reference. Without gold sentences, the pipeline has to find them, which only makes sense with
    several sentences per Doc.

    Registered as the reader `spacy_npparse.ConlluCorpus.v1`.

    Args:
        path: A .conllu file, or a folder whose .conllu files are read in alphabetical order; a list
            of these; or a table of how often a pass sees a sentence of each. If these weights are
            not whole, all are multiplied by the smallest number that makes them so.
        treebank: Name of the treebank, for treebank embeddings; by default that of each file:
            `en_lines` for en_lines-ud-train.conllu; see `treebank_name`.
        sentences_per_doc: Number of consecutive sentences per Doc. A `# newdoc` always begins a new
            Doc; 0 puts all sentences up to the next `# newdoc` into one. With `shuffle`, each Doc
            gets a random number of sentences up to this one, so that training sees sentences with
            and without context, and boundaries at varying positions.
        gold_sentences: Whether predicted Docs have the gold sentence starts.
        max_length: Maximum number of words. Docs get fewer sentences rather than exceed it; longer
            sentences are left out, and counted in a log message. 0: no limit.
        limit: Maximum number of examples (before augmentation). 0: no limit.
        shuffle: Shuffle the Docs, and regroup the sentences, at each pass. `spacy train` makes a
            single pass, and shuffles the examples itself at each epoch, unless
            `training.max_epochs` is -1. Uses the `random` module, which `spacy train` seeds.
        augmenter: As in spaCy's readers, (nlp, example) -> examples.
        on_error: "raise" refuses a malformed file; "skip" leaves malformed sentences out, and
            counts them in a log message.

    Raises:
        ValueError: If `path` is None or empty, or a setting of another type or out of range.

    Source: several treebanks in one parser, Stymne, de Lhoneux, Smith and Nivre (2018).
    """

    _name: ClassVar = "spacy_npparse.ConlluCorpus.v1"
    _remedy: ClassVar = (
        "Give the .conllu files on the command line: --paths.train TRAIN.conllu --paths.dev "
        "DEV.conllu. On the dev file training chooses the best model; if there is none, 'npparse "
        "prepare TRAIN.conllu FOLDER --split' makes one from a tenth of the train file."
    )

    def __init__(
        self,
        path: str | Path | list[str] | dict[str, float] | None,
        *,
        treebank: str | None = None,
        sentences_per_doc: int = 1,
        gold_sentences: bool = True,
        max_length: int = 0,
        limit: int = 0,
        shuffle: bool = False,
        augmenter: Augmenter | None = None,
        on_error: OnError = "raise",
    ) -> None:
        if path is None or path == "":
            raise ValueError(f"The path of a {self._name} reader is not set. {self._remedy}")
        counts = dict(sentences_per_doc=sentences_per_doc, max_length=max_length, limit=limit)
        others = dict(
            path=path,
            treebank=treebank,
            gold_sentences=gold_sentences,
            shuffle=shuffle,
            augmenter=augmenter,
            on_error=on_error,
        )
        check_arguments(self._name, ConlluCorpus.__init__, {**counts, **others})
        for name, count in counts.items():
            check_range(f"{self._name}: {name}", count, least=0, most=MOST_ROWS)
        self.sources = find_sources(f"{self._name}: path", path, treebank)
        self.sentences_per_doc = sentences_per_doc
        self.gold_sentences = gold_sentences
        self.max_length = max_length
        self.limit = limit
        self.shuffle = shuffle
        self.augmenter: Augmenter = augmenter or dont_augment
        self.on_error = on_error

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Yield the examples.

        Raises:
            ConlluError: At a malformed sentence, unless `on_error` is "skip".
            FileNotFoundError: If there is no such file, or no .conllu file in the folder.
            ValueError: If there is no sentence, or a malformed HeadDistribution in MISC.
        """
        corpus = sorted(self._treebanks())
        groups: Iterable[tuple[list[EncodedSentence], CorpusPart]] = self._groups(nlp.vocab)
        if self.shuffle:
            groups = list(groups)
            random.shuffle(groups)
        n_examples = 0
        for group, part in groups:
            if 0 < self.limit <= n_examples:
                break
            n_examples += 1
            source = nlp.vocab, group, part, corpus
            stored = StoredExample(
                partial(self._predicted, *source), partial(self._reference, *source)
            )
            for example in self.augmenter(nlp, stored):
                if example is not stored:
                    # Those of spaCy make new Docs.
                    copy_treebank(stored.predicted, example.predicted)
                yield example
            StoredExample.release(stored)
        if n_examples == 0:
            raise ValueError(f"{self._paths}: no sentence to read. Give a treebank in CoNLL-U.")

    def _predicted(
        self, vocab: Vocab, group: list[EncodedSentence], part: CorpusPart, corpus: list[str]
    ) -> Doc:
        """The predicted Doc of an example. corpus: the names of all treebanks."""
        doc = predicted_doc(group, vocab, sentence_starts=self.gold_sentences)
        name_docs([doc], part.treebank, corpus)
        return doc

    def _reference(
        self, vocab: Vocab, group: list[EncodedSentence], part: CorpusPart, corpus: list[str]
    ) -> Doc:
        """The reference Doc."""
        # In a treebank with XPOS, none is a value as any other: a quarter of the words of
        # UD_English-LinES have it.
        doc = reference_doc(group, vocab, tag=EMPTY if part.has_tags else "")
        name_docs([doc], part.treebank, corpus)
        return doc

    def _treebanks(self) -> set[str]:
        """The names of all treebanks."""
        return {source.treebank(file) for source in self.sources for file in source.files}

    @property
    def _paths(self) -> str:
        return ", ".join(str(source.path) for source in self.sources)

    def _groups(self, vocab: Vocab) -> Iterator[tuple[list[EncodedSentence], CorpusPart]]:
        """The sentences of each Doc, and where they are from."""
        n_too_long = 0

        def short_enough(sentence: EncodedSentence) -> bool:
            nonlocal n_too_long
            is_short = self.max_length == 0 or sentence.n_words <= self.max_length
            n_too_long += not is_short
            return is_short

        for part in self._parts(vocab):
            n_before = n_too_long
            for _ in range(part.copies):
                n_too_long = n_before
                kept = filter(short_enough, part.sentences)
                for group in group_sentences(kept, self._sizes(), self.max_length):
                    yield group, part
        if n_too_long:
            _warn_once(
                f"{self._paths}: {n_too_long} sentences of more than {self.max_length} words "
                "(max_length) left out."
            )

    def _parts(self, vocab: Vocab) -> Iterator[CorpusPart]:
        """The parts of the corpus."""
        for source in self.sources:
            n_sentences = 0
            for file in source.files:
                sentences = read_encoded(file, self.on_error, vocab)
                n_sentences += len(sentences)
                yield CorpusPart(
                    sentences, has_tags(sentences), source.treebank(file), source.copies
                )
            if n_sentences == 0:
                raise ValueError(f"{source.path}: no sentence to read. Give a treebank in CoNLL-U.")

    def _sizes(self) -> Iterator[int]:
        if self.shuffle and self.sentences_per_doc > 1:
            return (random.randint(1, self.sentences_per_doc) for _ in repeat(None))
        return repeat(self.sentences_per_doc)


@cache
def _warn_once(message: str) -> None:
    """Warn, but not again each time that a component reads the corpus when it is initialized."""
    logger.warning(message)
