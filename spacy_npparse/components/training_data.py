"""The training data when a parser is initialized: checks, counts and warnings."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.training import Example, validate_get_examples
from spacy.util import minibatch

from spacy_npparse.components.gold import misplaced_roots, root_labels
from spacy_npparse.components.label_rules import count_labels
from spacy_npparse.components.labels import Labels
from spacy_npparse.files import have_same_content
from spacy_npparse.parsing import GoldBatch
from spacy_npparse.treebank.sentence import SPACY_ROOT, shortened
from spacy_npparse.trees.label_counts import LabelCounts
from spacy_npparse.trees.missing import NO_HEAD

logger = logging.getLogger(__name__)


def check_examples(get_examples: Callable[[], Iterable[Example]], component: object) -> None:
    """Check that a function returns examples, like `validate_get_examples` of spaCy, but without
    reading the whole corpus.

    Args:
        get_examples: The function.
        component: The component that is initialized.

    Raises:
        TypeError: The argument is not a function, or returns something other than examples.
    """

    def some() -> Iterable[Example]:
        examples = get_examples()
        return islice(examples, 10) if isinstance(examples, Iterator) else examples

    method = f"{type(component).__name__}.initialize"
    validate_get_examples(some if callable(get_examples) else get_examples, method)


class TrainingCounts:
    """What is counted in the training data while it is read.

    Attributes:
        n_heads: The number of words with gold heads.
        labels: The counts of labels, from which label rules are learned.
    """

    def __init__(self) -> None:
        self.n_heads = 0
        self.labels = LabelCounts()
        self._root_labels: set[str] = set()
        self._n_misplaced = 0
        self._n_within_docs = 0

    def read(self, examples: Iterable[Example], labels: Labels) -> Iterator[GoldBatch]:
        """Read and count examples.

        Args:
            examples: The training data.
            labels: The labels of the parser.

        Yields:
            The gold trees.
        """
        for batch in minibatch(examples, 256):
            gold, _ = labels.gold(batch)
            for example in batch:
                count_labels(self.labels, example.reference)
                self._n_misplaced += int(misplaced_roots(example.reference).sum())
                self._root_labels |= root_labels(example.reference)
            self.n_heads += int((gold.heads != NO_HEAD).sum())
            self._n_within_docs += int((np.diff(gold.docs) == 0).sum())
            yield gold

    def warnings(self, *, finds_sentences: bool) -> Iterator[str]:
        """Describe what the parser does not learn as the annotator meant it.

        Args:
            finds_sentences: Whether the parser learns to find sentences.

        Yields:
            The warnings.
        """
        if self._root_labels:
            yield (
                f"some roots of the training data have other labels than {SPACY_ROOT} (root in "
                f"CoNLL-U): {shortened(', '.join(sorted(self._root_labels)))}. These labels are "
                f"not learned, because the parser predicts {SPACY_ROOT} for all roots."
            )
        if self._n_misplaced:
            yield (
                f"{self._n_misplaced} words of the training data have a head, but the label of "
                f"roots ({SPACY_ROOT}; root in CoNLL-U). Their heads are learned, and their labels "
                "are treated as unknown. Correct them in the treebank."
            )
        if finds_sentences and self.n_heads and not self._n_within_docs:
            yield (
                "no Doc of the training data has several sentences, so the parser learns that each "
                "text is a single sentence. Train on longer Docs (spacy_npparse.ConlluCorpus.v1 "
                'with sentences_per_doc = 0, for example), or set sentences = "preset".'
            )


def warn_of_shared_files(nlp: Language) -> None:
    """Warn if a file of the training corpus, or a copy of it, is also in the dev corpus.

    Otherwise, the best model would be the one that has memorised most.

    Args:
        nlp: The pipeline that is initialized, with the config of the training.
    """
    config = nlp.config.interpolate()
    train, dev = (
        [*_files(config, config["training"][name])] for name in ("train_corpus", "dev_corpus")
    )
    for path in train:
        for other in dev:
            if have_same_content(path, other):
                logger.warning(
                    "%s is both trained and evaluated on (%s): the scores say nothing about "
                    "other text, and the model that has memorised most is selected. Give a dev "
                    "file of other sentences; 'npparse prepare --split' makes one from the train "
                    "file.",
                    path,
                    other,
                )


def _files(config: Mapping[str, Any], corpus: str) -> Iterator[Path]:
    """Find the files that the setting `path` of a corpus reader names."""
    section: Any = config
    for name in corpus.split("."):
        section = section.get(name) if isinstance(section, Mapping) else None
    paths = section.get("path") if isinstance(section, Mapping) else None
    for path in paths if isinstance(paths, (list, Mapping)) else [paths]:
        if isinstance(path, (str, Path)) and str(path):
            found = Path(path)
            yield from sorted(found.iterdir()) if found.is_dir() else [found]
