"""The progress of `annotate`: a bar on a terminal, lines in a log."""

from __future__ import annotations

import time

import typer
from tqdm import tqdm

from spacy_npparse.scaling.shards import ShardRecord

# The time between two lines of a log, in seconds.
_BETWEEN_LINES = 30


class CorpusProgress:
    """A display of shards, words, words per second, remaining time and failures.

    Args:
        n_words: The approximate number of words to annotate.
        n_shards: The number of shards to annotate.
    """

    def __init__(self, n_words: int, n_shards: int) -> None:
        self._n_words = n_words
        self._n_shards = n_shards
        self._n_done = self._n_quarantined = self._n_failed = 0
        # disable=None: no bar where stderr is no terminal.
        self._bar = tqdm(total=n_words, unit="word", unit_scale=True, disable=None)
        self._begin = self._last_line = time.monotonic()
        self._words_done = 0

    def __enter__(self) -> CorpusProgress:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def update(self, n_words: int, record: ShardRecord | None) -> None:
        """Count a shard.

        Args:
            n_words: The number of its words in the plan.
            record: The record of the shard; None if its process was killed.
        """
        self._n_done += 1
        self._words_done += n_words
        if record is None:
            self._n_failed += 1
        else:
            self._n_quarantined += record.n_quarantined
        self._bar.set_postfix_str(self._counts(), refresh=False)
        self._bar.update(n_words)
        now = time.monotonic()
        is_last = self._n_done == self._n_shards
        if self._bar.disable and (is_last or now >= self._last_line + _BETWEEN_LINES):
            self._last_line = now
            typer.echo(self._line(now - self._begin), err=True)

    def _counts(self) -> str:
        counts = f"{self._n_done}/{self._n_shards} shards"
        if self._n_quarantined:
            counts += f", {self._n_quarantined} texts quarantined"
        if self._n_failed:
            counts += f", {self._n_failed} shards failed"
        return counts

    def _line(self, seconds: float) -> str:
        # Words and time may still be 0.
        rate = self._words_done / seconds if seconds else 0
        left = "?"
        if rate:
            left = tqdm.format_interval((self._n_words - self._words_done) / rate)
        return (
            f"{self._counts()}, {self._words_done:,} of {self._n_words:,} words, "
            f"{rate:,.0f} words/s, {left} left"
        )
