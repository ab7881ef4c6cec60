"""What parsers share whose exact search takes too long for long sentences."""

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.vocab import Vocab
from thinc.api import Model

from spacy_npparse.components.dependency_parser import DependencyParser
from spacy_npparse.components.gold import GoldBatch
from spacy_npparse.components.sentences import SentenceBatch
from spacy_npparse.components.settings import DecoderSettings

logger = logging.getLogger(__name__)


class ChartParser(DependencyParser):
    """Finds the best of the trees that it can build, if the sentence is not too long.

    Longer ones are parsed in another way, and teach heads and labels only. Of gold trees that it
    cannot build, the most similar ones are learnt that it can. Warnings tell how many there are.

    Args:
        vocab, model, name, system_name, decoder, fixed, scorer: see `DependencyParser`.
        max_length: words of the longest sentence that is searched exactly.
    """

    # How longer sentences are parsed, and what is said of trees that cannot be built.
    fallback: str
    uncovered: str

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        *,
        system_name: str,
        max_length: int,
        decoder: DecoderSettings,
        fixed: Mapping[str, Any],
        scorer: Callable[..., dict[str, Any]] | None,
    ):
        super().__init__(
            vocab,
            model,
            name,
            system_name=system_name,
            decoder=decoder,
            fixed=fixed,
            scorer=scorer,
        )
        self.max_length = max_length
        self._n_too_long = 0

    def _covers(self, gold: GoldBatch) -> NDArray[np.bool_]:
        """Which gold trees the parser can build: bool [n_sentences]; anything for those of
        sentences that are too long."""
        raise NotImplementedError

    def _count_long(self, sentences: SentenceBatch) -> None:
        """Keep in mind how many sentences are too long."""
        self._n_too_long += int((sentences.lengths > self.max_length).sum())

    def report(self) -> None:
        """Warn of the sentences that were too long for exact search."""
        if self._n_too_long:
            logger.warning(
                "%s: %d sentences have more than %d words (max_length) and were parsed %s.",
                self.name,
                self._n_too_long,
                self.max_length,
                self.fallback,
            )
        self._n_too_long = 0

    def _begin_training(self, gold: Iterable[GoldBatch]) -> None:
        n_trees = n_uncovered = n_too_long = 0
        for batch in gold:
            for chosen in batch.sentences.parts():
                part = batch.select(chosen)
                too_long = part.sentences.lengths > self.max_length
                n_trees += len(too_long)
                n_too_long += int(too_long.sum())
                n_uncovered += int((~self._covers(part) & ~too_long).sum())
        if n_uncovered:
            logger.warning(
                "%s: %d of %d training trees %s. The most similar trees that it can build are "
                "learnt instead.",
                self.name,
                n_uncovered,
                n_trees,
                self.uncovered,
            )
        if n_too_long:
            logger.warning(
                "%s: %d of %d training trees have more than %d words (max_length). They teach "
                "heads and labels only.",
                self.name,
                n_too_long,
                n_trees,
                self.max_length,
            )
