"""The search for sentence boundaries that Docs leave open."""

import logging
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray
from spacy.tokens import Doc

from spacy_npparse.components.constraints.batch import BatchConstraints
from spacy_npparse.components.docs import TokenBatch, read_tokens
from spacy_npparse.decoding import IMPOSSIBLE, Spans, best_segmentation, score_spans
from spacy_npparse.parsing import EncodedTokens, SentenceBatch

logger = logging.getLogger(__name__)

# The maximum number of times that a segmentation is revised because constraints leave a sentence
# without a tree.
_MOST_REVISIONS = 200
# The maximum number of words in a sentence. A longer run without a likely start is cut at the
# likeliest word.
MAX_LENGTH = 128
# The log-odds of 98 %. Above it, a boundary counts as certain; below its negative, as impossible.
_CERTAIN = math.log(0.98 / 0.02)
# The log-odds of a known boundary.
_KNOWN = 50.0
# The maximum length of arcs that count in the search for boundaries.
_REACH = 64
# The number of words among which heads are selected: _REACH words and their arcs on either side.
WINDOW = 3 * _REACH

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class SentenceFinder:
    """A component's search for the sentences of Docs, which reports what could not be done.

    Args:
        name: The name of the component.
    """

    def __init__(self, name: str):
        self.name = name
        self._n_cut = 0
        self._has_warned = False

    def find(
        self,
        docs: Sequence[Doc],
        encoded: Sequence[EncodedTokens[Any]],
        constraints: BatchConstraints | None = None,
    ) -> TokenBatch:
        """Read the tokens of Docs and find their sentences.

        Args:
            docs: The Docs.
            encoded: The encoded tokens, see `find_sentences`. If empty, the sentences are those of
                the Docs, and the first Doc with several lines and without boundaries causes a
                warning.
            constraints: The constraints on the Docs.

        Returns:
            The tokens.
        """
        tokens = read_tokens(docs)
        if encoded:
            tokens, n_cut = find_sentences(tokens, encoded, constraints)
            self._n_cut += n_cut
        elif not self._has_warned:
            self._has_warned = _warn_of_open_docs(self.name, docs)
        return tokens

    def report(self) -> None:
        """Warn of the sentences that were cut since the last report."""
        if self._n_cut:
            logger.warning(
                "%s: %d sentences would have had more than %d words and were cut where a sentence "
                "is most likely to start.",
                self.name,
                self._n_cut,
                MAX_LENGTH,
            )
        self._n_cut = 0


def find_sentences(
    tokens: TokenBatch,
    encoded: Sequence[EncodedTokens[Any]],
    constraints: BatchConstraints | None = None,
) -> tuple[TokenBatch, int]:
    """Find the sentences of Docs that leave boundaries open, and keep the boundaries that are set.

    Args:
        tokens: The tokens of the Docs.
        encoded: The tokens as encoded by one or more networks, whose scores are averaged.
        constraints: The constraints on the Docs. If possible, each sentence has a tree that they
            allow.

    Returns:
        The tokens with their sentence numbers, and the number of sentences that were cut because
        they had more than `MAX_LENGTH` words.
    """
    if constraints is not None:
        tokens = constraints.keep_together(tokens)
    if not tokens.is_open.any():
        return tokens, 0
    log_odds = _log_odds(tokens, encoded)
    words = np.flatnonzero(tokens.is_word)
    by_word = log_odds[words]
    is_open = tokens.is_open[words]
    likely, certain = by_word > -_CERTAIN, by_word > _CERTAIN
    if constraints is not None:
        undecided = constraints.undecided(tokens)[words]
        likely, certain = likely | undecided, certain & ~undecided
    cuts = _cuts(likely, is_open, by_word)
    candidates = likely.copy()
    candidates[cuts] = True
    starts = certain.copy()
    searched = _in_open_stretches(candidates, certain)
    if searched.any():
        stretches = np.flatnonzero(certain[searched])
        arcs, roots = _arcs(words[searched], stretches, encoded)
        possible: Callable[[Ints], bool] | None = None
        if constraints is not None:
            constraints.forbid_arcs(arcs, roots, words[searched], tokens)
            possible = partial(constraints.admit_tree, tokens)
        spans = score_spans(
            arcs,
            roots,
            np.append(candidates[searched], True),
            np.append(certain[searched], True),
            MAX_LENGTH,
        )
        starts[searched] = _best_possible(by_word[searched], spans, words[searched], possible)
    found = np.zeros(len(tokens.is_word), dtype=bool)
    found[words] = starts & is_open
    found |= tokens.starts
    return tokens.with_starts(found), int(starts[cuts].sum())


def _warn_of_open_docs(name: str, docs: Sequence[Doc]) -> bool:
    """Warn of the first Doc with several lines and without sentence boundaries. Returns whether
    there is one."""
    for doc in docs:
        if not doc.has_annotation("SENT_START") and "\n" in doc.text.strip():
            logger.warning(
                "%s: %r … has no sentence boundaries and is parsed as one sentence. Put a "
                "component that sets them before the parser, or train it with "
                'sentences = "joint".',
                name,
                doc.text[:30],
            )
            return True
    return False


def _log_odds(tokens: TokenBatch, encoded: Sequence[EncodedTokens[Any]]) -> NDArray[np.float64]:
    """Compute the log-odds that each token starts a sentence, [n_tokens]. A boundary that is set is
    known."""
    log_odds = np.where(tokens.is_open, 0.0, -_KNOWN)
    log_odds[tokens.first_words] = _KNOWN
    before, after = tokens.adjacent_words()
    is_open = tokens.is_open[after]
    before, after = before[is_open], after[is_open]
    for one in encoded:
        log_odds[after] += one.score_starts(before, after) / len(encoded)
    log_odds[np.isnan(log_odds)] = 0.0
    return log_odds.clip(-_KNOWN, _KNOWN)


def _cuts(likely: Bools, is_open: Bools, log_odds: NDArray[np.float64]) -> Ints:
    """Find the likeliest open words, where runs of words that are too long are cut."""
    cuts = []
    starts = [*np.flatnonzero(likely).tolist(), len(likely)]
    for start, end in pairwise(starts):
        while end - start > MAX_LENGTH:
            possible = np.flatnonzero(is_open[start + 1 : start + MAX_LENGTH + 1]) + start + 1
            if not len(possible):
                possible = np.flatnonzero(is_open[start + 1 : end])[:1] + start + 1
                if not len(possible):
                    break
            start = int(possible[log_odds[possible].argmax()])
            cuts.append(start)
    return np.array(cuts, dtype=np.int64)


def _in_open_stretches(candidates: Bools, certain: Bools) -> Bools:
    """Find the words in stretches between certain starts that contain other candidates."""
    stretch = np.cumsum(certain) - 1
    open_stretches = np.bincount(stretch, weights=candidates & ~certain) > 0
    return open_stretches[stretch]


def _best_possible(
    log_odds: NDArray[np.float64],
    spans: Spans,
    words: Ints,
    possible: Callable[[Ints], bool] | None,
) -> Bools:
    """Find the best segmentation into sentences that can have a tree. While a sentence cannot, its
    span is excluded. After too many revisions, the last segmentation is returned, and its trees
    will be rejected.

    log_odds, spans: see `best_segmentation`; words: the tokens of the words; possible: a function
    that checks whether a sentence of some words can have a tree, None if any can.
    """
    if possible is None:
        return best_segmentation(log_odds, spans)
    excluded: set[tuple[int, int]] = set()
    admitted: set[tuple[int, int]] = set()
    for _ in range(_MOST_REVISIONS):
        starts = best_segmentation(log_odds, spans)
        found = set(pairwise([0, *np.flatnonzero(starts[1:]) + 1, len(words)]))
        wrong = {span for span in found - admitted - excluded if not possible(words[slice(*span)])}
        if not wrong:
            break
        excluded |= wrong
        admitted |= found - wrong
        for first, end in wrong:
            spans.scores[(spans.first == first) & (spans.end == end)] = IMPOSSIBLE
    return starts


def _arcs(
    words: Ints, stretches: Ints, encoded: Sequence[EncodedTokens[Any]]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Arrange the scores of arcs within stretches of words for `score_spans`.

    words: the tokens of all words; stretches: the first word of each stretch.
    """
    arcs = np.empty((len(words), 2 * _REACH + 1), dtype=np.float32)
    roots = np.empty(len(words), dtype=np.float32)
    starts, ends, firsts, lasts = np.array(list(_windows(stretches, len(words)))).T
    tokens = np.concatenate([words[start:end] for start, end in zip(starts, ends, strict=True)])
    n_tokens = len(encoded[0].vectors) - 1
    batch = SentenceBatch(tokens, (ends - starts).astype(np.int32), n_tokens)
    window_of_word = np.repeat(np.arange(len(starts)), lasts - firsts)
    places = np.arange(len(words)) - starts[window_of_word]
    for chosen in batch.parts():
        scores = np.mean(
            [one.score(batch.select(chosen)).arcs.cpu().numpy() for one in encoded], axis=0
        )
        number_in_part = np.cumsum(chosen) - 1
        found = np.flatnonzero(chosen[window_of_word])
        at = number_in_part[window_of_word[found]], places[found]
        arcs[found] = _near_heads(scores[:, 1:, 1:])[at]
        roots[found] = scores[:, 1:, 0][at]
    return arcs, roots


def _near_heads(arcs: NDArray[np.float32]) -> NDArray[np.float32]:
    """Select the arcs of each word from the `_REACH` words on either side, IMPOSSIBLE where there
    is no such word: [n_windows, size, 2 * _REACH + 1]. arcs: [n_windows, size, size]."""
    n_windows, size, _ = arcs.shape
    padded = np.full((n_windows, size, size + 2 * _REACH), IMPOSSIBLE, dtype=np.float32)
    padded[:, :, _REACH : _REACH + size] = arcs
    window, row, item = padded.strides
    # Each row begins one word after the previous row.
    shape = (*arcs.shape[:2], 2 * _REACH + 1)
    return as_strided(padded, shape, (window, row + item, item), writeable=False)


def _windows(stretches: Ints, n_words: int) -> Iterator[tuple[int, int, int, int]]:
    """Cover stretches with windows in which arcs are scored. Yields the start and the end of each
    window, and those of the words in its middle whose heads it determines. These words have context
    on either side."""
    bounds = [*stretches.tolist(), n_words]
    for start, end in pairwise(bounds):
        if end - start <= WINDOW:
            yield start, end, start, end
            continue
        for first in range(start, end, _REACH):
            last = min(end, first + _REACH)
            yield max(start, first - _REACH), min(end, last + _REACH), first, last
