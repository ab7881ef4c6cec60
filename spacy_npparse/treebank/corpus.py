"""The corpus reader of `spacy train` for CoNLL-U."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from pathlib import Path
from typing import ClassVar

from spacy.attrs import TAG
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, dont_augment

from spacy_npparse.checks import MOST_ROWS, check_arguments, check_range
from spacy_npparse.treebank.docs import doc_from_sentences, group_sentences, unannotated_doc
from spacy_npparse.treebank.reading import OnError, read_conllu
from spacy_npparse.treebank.sentence import MISSING, Sentence

logger = logging.getLogger(__name__)

Augmenter = Callable[[Language, Example], Iterable[Example]]


class ConlluCorpus:
    """Examples from a treebank, with gold tokenisation.

    The reference Doc of an example is fully annotated; in a file with XPOS, words without it have
    the tag `_`, which is what a tagger should predict. Its predicted Doc has the same words and
    spaces and, if `gold_sentences`, the same sentence starts, nothing else. A parser, which keeps
    preset boundaries, is then scored on gold sentences; in training it learns boundaries from the
    reference. Without gold sentences, the pipeline has to find them, which only makes sense with
    several sentences per Doc.

    Registered as the reader `spacy_npparse.ConlluCorpus.v1`.

    Args:
        path: A .conllu file, or a folder whose .conllu files are read in alphabetical order.
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
    """

    _name: ClassVar = "spacy_npparse.ConlluCorpus.v1"
    _remedy: ClassVar = (
        "Give the .conllu files on the command line: --paths.train TRAIN.conllu --paths.dev "
        "DEV.conllu."
    )

    def __init__(
        self,
        path: str | Path | None,
        *,
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
            gold_sentences=gold_sentences,
            shuffle=shuffle,
            augmenter=augmenter,
            on_error=on_error,
        )
        check_arguments(self._name, ConlluCorpus.__init__, {**counts, **others})
        for name, count in counts.items():
            check_range(f"{self._name}: {name}", count, least=0, most=MOST_ROWS)
        self.path = Path(path)
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
            ValueError: If there is no sentence.
        """
        groups: Iterable[tuple[list[Sentence], bool]] = self._groups()
        if self.shuffle:
            groups = list(groups)
            random.shuffle(groups)
        n_examples = 0
        for group, tagged in groups:
            if 0 < self.limit <= n_examples:
                break
            n_examples += 1
            reference = doc_from_sentences(group, nlp.vocab)
            if tagged:
                _tag_all(reference)
            predicted = unannotated_doc(group, nlp.vocab, sentence_starts=self.gold_sentences)
            yield from self.augmenter(nlp, Example(predicted, reference))
        if n_examples == 0:
            raise ValueError(f"{self.path}: no sentence to read. Give a treebank in CoNLL-U.")

    def _groups(self) -> Iterator[tuple[list[Sentence], bool]]:
        """The sentences of each Doc, and whether its file has tags."""
        n_too_long = 0

        def short_enough(sentence: Sentence) -> bool:
            nonlocal n_too_long
            is_short = self.max_length == 0 or len(sentence.words) <= self.max_length
            n_too_long += not is_short
            return is_short

        for sentences, tagged in self._sources():
            kept = filter(short_enough, sentences)
            for group in group_sentences(kept, self._sizes(), self.max_length):
                yield group, tagged
        if n_too_long:
            logger.warning(
                "%s: %d sentences of more than %d words (max_length) left out.",
                self.path,
                n_too_long,
                self.max_length,
            )

    def _sources(self) -> Iterator[tuple[Iterable[Sentence], bool]]:
        """Sentences that may be grouped with each other, and whether they have tags."""
        for file in self._files():
            sentences = list(read_conllu(file, on_error=self.on_error))
            yield sentences, has_tags(sentences)

    def _sizes(self) -> Iterator[int]:
        if self.shuffle and self.sentences_per_doc > 1:
            return (random.randint(1, self.sentences_per_doc) for _ in repeat(None))
        return repeat(self.sentences_per_doc)

    def _files(self) -> list[Path]:
        if not self.path.is_dir():
            return [self.path]
        files = sorted(self.path.glob("*.conllu"))
        if not files:
            raise FileNotFoundError(f"{self.path}: no .conllu file in this folder.")
        return files


def has_tags(sentences: Iterable[Sentence]) -> bool:
    """Whether any word has XPOS.

    Args:
        sentences: Of one treebank.
    """
    return any(word.xpos != MISSING for sentence in sentences for word in sentence.words)


def _tag_all(doc: Doc) -> None:
    """Give the tag `_` to words without one. In a treebank with XPOS it is a value as any other: a
    quarter of the words of UD_English-LinES have it."""
    tags = doc.to_array([TAG]).reshape(len(doc), 1)
    tags[tags == 0] = doc.vocab.strings.add(MISSING)
    doc.from_array([TAG], tags)  # type: ignore[arg-type]
