"""Training and model selection on the same file are warned of."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from spacy.language import Language

from spacy_npparse.files import have_same_content

logger = logging.getLogger(__name__)


def warn_of_shared_files(nlp: Language) -> None:
    """Warn if a file of the training corpus is one of the dev corpus, too, or a copy of one.

    The best model of a training is then the one that has memorised most.

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
                    "%s is both trained and evaluated on (%s): the scores say nothing about other "
                    "text, and the best model is the one that has memorised most. Give a dev file "
                    "of other sentences; 'npparse prepare --split' makes one from the train file.",
                    path,
                    other,
                )


def _files(config: Mapping[str, Any], corpus: str) -> Iterator[Path]:
    """The files that the reader of a corpus names, as far as its setting `path` names any."""
    section: Any = config
    for name in corpus.split("."):
        section = section.get(name) if isinstance(section, Mapping) else None
    paths = section.get("path") if isinstance(section, Mapping) else None
    for path in paths if isinstance(paths, (list, Mapping)) else [paths]:
        if isinstance(path, (str, Path)) and str(path):
            found = Path(path)
            yield from sorted(found.iterdir()) if found.is_dir() else [found]
