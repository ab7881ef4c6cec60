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
from spacy_npparse.word_forms import copy_multiword_tokens

logger = logging.getLogger(__name__)

Augmenter = Callable[[Language, Example], Iterable[Example]]


class CorpusPart(NamedTuple):
    """Sentences that may be grouped with each other.

    Attributes:
        sentences: The sentences, which can be read several times if there are copies.
        has_tags: Whether the treebank has XPOS.
        treebank: The name of the treebank.
        copies: The number of times that a pass sees each sentence.
    """

    sentences: Iterable[EncodedSentence]
    has_tags: bool
    treebank: str
    copies: int = 1


class ConlluCorpus:
    """A corpus reader that makes examples with gold tokens from a treebank.

    The reference Doc of an example is fully annotated. In a file with XPOS, words without it have
    the tag `_`, which a tagger should predict. The Doc also has the head distributions in MISC
    (HeadDistribution). The predicted Doc has the same words and spaces and, if `gold_sentences`,
    the same sentence starts, but no other annotation. A parser keeps these boundaries, so it is
    scored on gold sentences, but it learns boundaries from the reference in training. Without gold
    sentences, the pipeline has to find them, which only makes sense with several sentences per Doc.

    Registered as the reader `spacy_npparse.ConlluCorpus.v1`.

    Args:
        path: A .conllu file; a folder whose .conllu files are read in alphabetical order; a list of
            these; or a table of weights, the number of times that a pass sees each sentence. If
            weights are not whole, all are multiplied by the smallest number that makes them whole.
        treebank: The name of the treebank, for treebank embeddings. By default, the name of each
            file determines it: `en_lines` for en_lines-ud-train.conllu; see `treebank_name`.
        sentences_per_doc: The number of consecutive sentences in a Doc; 0 for all up to the next `#
            newdoc`, which always begins a new Doc. With `shuffle`, each Doc gets a random number of
            sentences up to this one, so that training sees sentences with and without context, and
            boundaries at varying positions.
        gold_sentences: Whether predicted Docs have the gold sentence starts.
        max_length: The maximum number of words in a Doc. Docs get fewer sentences rather than
            exceed it. Longer sentences are skipped, and counted in a log message. 0 means no limit.
        limit: The maximum number of examples before augmentation. 0 means no limit.
        shuffle: Whether to shuffle the Docs and regroup the sentences in each pass. `spacy train`
            makes a single pass, and shuffles the examples itself in each epoch, unless
            `training.max_epochs` is -1. The reader uses the module `random`, which `spacy train`
            seeds.
        augmenter: A function (nlp, example) -> examples, as in spaCy's readers.
        on_error: "raise" to reject a malformed file, or "skip" to skip malformed sentences and
            count them in a log message.

    Raises:
        ValueError: `path` is None or empty, or a setting has the wrong type or is out of range.

    Source: Stymne, de Lhoneux, Smith and Nivre (2018), for several treebanks in one parser.
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
            ConlluError: A sentence is malformed, unless `on_error` is "skip".
            FileNotFoundError: A file does not exist, or a folder has no .conllu file.
            ValueError: There are no sentences, or a HeadDistribution in MISC is malformed.
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
                sum(len(sentence.words) for sentence in group),
                partial(self._predicted, *source),
                partial(self._reference, *source),
            )
            for example in self.augmenter(nlp, stored):
                if example is not stored:
                    # Augmenters of spaCy make new Docs.
                    copy_treebank(stored.predicted, example.predicted)
                    copy_multiword_tokens(stored.reference, example.reference)
                yield example
        if n_examples == 0:
            length = f" of at most {self.max_length} words (max_length)" if self.max_length else ""
            raise ValueError(
                f"{self._paths}: no sentence{length} to read. Give a treebank in CoNLL-U."
            )

    def _predicted(
        self, vocab: Vocab, group: list[EncodedSentence], part: CorpusPart, corpus: list[str]
    ) -> Doc:
        """Make the predicted Doc of an example. corpus: the names of all treebanks."""
        doc = predicted_doc(group, vocab, sentence_starts=self.gold_sentences)
        name_docs([doc], part.treebank, corpus)
        return doc

    def _reference(
        self, vocab: Vocab, group: list[EncodedSentence], part: CorpusPart, corpus: list[str]
    ) -> Doc:
        """Make the reference Doc of an example."""
        # In a treebank with XPOS, the empty value is a value like any other. A quarter of the words
        # of UD_English-LinES have it.
        doc = reference_doc(group, vocab, tag=EMPTY if part.has_tags else "")
        name_docs([doc], part.treebank, corpus)
        return doc

    def _treebanks(self) -> set[str]:
        """Find the names of all treebanks."""
        return {source.treebank(file) for source in self.sources for file in source.files}

    @property
    def _paths(self) -> str:
        return ", ".join(str(source.path) for source in self.sources)

    def _groups(self, vocab: Vocab) -> Iterator[tuple[list[EncodedSentence], CorpusPart]]:
        """Group the sentences into Docs, with the part of the corpus that they come from."""
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
        """Read the parts of the corpus."""
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
    """Warn once, because each component reads the corpus when it is initialized."""
    logger.warning(message)
