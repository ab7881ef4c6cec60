"""Alignment of the words of two analyses of the same text.

Words outside multiword tokens are aligned if they have the same character span. Where either
analysis has a multiword token, the words of both inside it (and inside all multiword tokens that
overlap with it) are aligned by the longest common subsequence of their lower-cased forms. The
official program also aligns words that only overlap with such a region, which differs in few
artificial cases.

Source: Zeman et al. (2018), CoNLL 2018 Shared Task: Multilingual Parsing from Raw Text to
Universal Dependencies, section 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from os.path import commonprefix

from spacy_npparse.errors import UserError
from spacy_npparse.evaluation.analysis import Analysis, Span


class TextMismatchError(UserError, ValueError):
    """A gold analysis and a prediction with different characters. The message names the place."""


def align_words(gold: Analysis, system: Analysis, n_before: int = 0) -> list[int | None]:
    """Align the words of two analyses.

    Args:
        gold: The gold analysis.
        system: The predicted analysis.
        n_before: The number of characters of the text before both, for error messages.

    Returns:
        The index of the aligned predicted word for each gold word, or None.

    Raises:
        TextMismatchError: The analyses have different texts.
    """
    if gold.text != system.text:
        raise TextMismatchError(_difference(gold.text, system.text, n_before))
    aligned: list[int | None] = [None] * len(gold)
    regions = _merge([*_multiword_spans(gold), *_multiword_spans(system)])
    plain = {system.spans[word]: word for word in range(len(system)) if not system.multiword[word]}
    gold_inside = _words_inside(gold, regions)
    system_inside = _words_inside(system, regions)
    inside = {word for words in gold_inside for word in words}
    for word, span in enumerate(gold.spans):
        if word not in inside:
            aligned[word] = plain.get(span)
    for gold_words, system_words in zip(gold_inside, system_inside, strict=True):
        pairs = _common_subsequence(
            [gold.forms[word].lower() for word in gold_words],
            [system.forms[word].lower() for word in system_words],
        )
        for g, s in pairs:
            aligned[gold_words[g]] = system_words[s]
    return aligned


def _multiword_spans(analysis: Analysis) -> list[Span]:
    return [span for span, multi in zip(analysis.spans, analysis.multiword, strict=True) if multi]


def _merge(spans: list[Span]) -> list[Span]:
    """Merge spans to disjoint spans, in order."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _words_inside(analysis: Analysis, regions: Sequence[Span]) -> list[list[int]]:
    """Find the words inside each region."""
    inside: list[list[int]] = [[] for _ in regions]
    region = 0
    for word, (start, end) in enumerate(analysis.spans):
        while region < len(regions) and regions[region][1] <= start:
            region += 1
        if region == len(regions):
            break
        if regions[region][0] <= start and end <= regions[region][1]:
            inside[region].append(word)
    return inside


def _common_subsequence(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Find the index pairs of a longest common subsequence, the leftmost if there are several."""
    n, m = len(left), len(right)
    length = [[0] * (m + 1) for _ in range(n + 1)]
    for i in reversed(range(n)):
        for j in reversed(range(m)):
            if left[i] == right[j]:
                length[i][j] = length[i + 1][j + 1] + 1
            else:
                length[i][j] = max(length[i + 1][j], length[i][j + 1])
    pairs = []
    i = j = 0
    while i < n and j < m:
        if left[i] == right[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif length[i][j] == length[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _difference(gold: str, system: str, n_before: int) -> str:
    position = len(commonprefix([gold, system]))
    start = max(0, position - 20)
    return (
        f"The gold and the predicted text differ at character {n_before + position + 1} (spaces "
        f"not counted): gold …{gold[start : position + 20]}… but predicted "
        f"…{system[start : position + 20]}…. Score a prediction for the same text."
    )
