"""Warnings about the training data when a parser is initialized."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.training import Example, validate_get_examples

from spacy_npparse.components.gold import misplaced_roots, root_labels
from spacy_npparse.files import have_same_content
from spacy_npparse.parsing import GoldBatch
from spacy_npparse.treebank.sentence import SPACY_ROOT, shortened
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


def counting_roots(name: str, examples: Iterable[Example]) -> Iterator[Example]:
    """Warn of words that have a head but the label of a root, and of roots with other labels.

    Args:
        name: The name of the parser.
        examples: The training data.

    Yields:
        The examples. The warnings come after the last one.
    """
    n_misplaced = 0
    others: set[str] = set()
    for example in examples:
        n_misplaced += int(misplaced_roots(example.reference).sum())
        others |= root_labels(example.reference)
        yield example
    if others:
        logger.warning(
            "%s: some roots of the training data have other labels than %s (root in CoNLL-U): %s. "
            "These labels are not learned, because the parser predicts %s for all roots.",
            name,
            SPACY_ROOT,
            shortened(", ".join(sorted(others))),
            SPACY_ROOT,
        )
    if n_misplaced:
        logger.warning(
            "%s: %d words of the training data have a head, but the label of roots (%s; root in "
            "CoNLL-U). Their heads are learned, and their labels are treated as unknown. Correct "
            "them in the treebank.",
            name,
            n_misplaced,
            SPACY_ROOT,
        )


def counting_sentences(name: str, gold: Iterable[GoldBatch]) -> Iterator[GoldBatch]:
    """Warn if there are trees, but no Doc has more than one sentence, although the parser learns to
    find sentences.

    Args:
        name: The name of the parser.
        gold: The gold trees of the training data.

    Yields:
        The gold trees. The warning comes after the last ones.
    """
    n_within = n_heads = 0
    for batch in gold:
        n_within += int((np.diff(batch.docs) == 0).sum())
        n_heads += int((batch.heads != NO_HEAD).sum())
        yield batch
    if n_heads > 0 and n_within == 0:
        logger.warning(
            "%s: no Doc of the training data has several sentences, so the parser learns that "
            "each text is a single sentence. Train on longer Docs (spacy_npparse.ConlluCorpus.v1 "
            'with sentences_per_doc = 0, for example), or set sentences = "preset".',
            name,
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
