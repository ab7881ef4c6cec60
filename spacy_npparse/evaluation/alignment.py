"""Alignment of the words of two analyses of the same text.

The program reads both analyses word by word. Words outside multiword tokens are aligned if they
have the same character span. A multiword token in either analysis begins a region, which extends to
the end of all multiword tokens that overlap with it. The words of both analyses in a region are
aligned by the longest common subsequence of their lower-cased forms. The results are those of the
official program, for any two segmentations.

Source: Zeman et al. (2018), CoNLL 2018 Shared Task: Multilingual Parsing from Raw Text to
Universal Dependencies, section 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from os.path import commonprefix

from spacy_npparse.errors import UserError
from spacy_npparse.evaluation.analysis import Analysis


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
    g = s = 0
    while g < len(gold) and s < len(system):
        if gold.multiword[g] or system.multiword[s]:
            gold_words, system_words = _region(gold, system, g, s)
            g, s = gold_words.stop, system_words.stop
            pairs = _common_subsequence(
                [gold.forms[word].lower() for word in gold_words],
                [system.forms[word].lower() for word in system_words],
            )
            for i, j in pairs:
                aligned[gold_words[i]] = system_words[j]
        elif gold.spans[g] == system.spans[s]:
            aligned[g] = s
            g, s = g + 1, s + 1
        elif gold.spans[g][0] <= system.spans[s][0]:
            g += 1
        else:
            s += 1
    return aligned


def _region(gold: Analysis, system: Analysis, g: int, s: int) -> tuple[range, range]:
    """Find the words of both analyses in the region of a multiword token. g, s: the next word of
    each analysis, at least one of which is part of a multiword token."""
    analyses, begin = (gold, system), [g, s]
    own = 0 if gold.multiword[g] else 1
    other = 1 - own
    start, end = analyses[own].spans[begin[own]]
    # A word that only overlaps with the beginning of the multiword token is not aligned.
    overlaps = analyses[other].spans[begin[other]][0] < start
    if overlaps and not analyses[other].multiword[begin[other]]:
        begin[other] += 1
    words = list(begin)
    while True:
        inside = [_is_inside(*one, end) for one in zip(analyses, words, strict=True)]
        if not any(inside):
            return range(begin[0], words[0]), range(begin[1], words[1])
        # A word of the other analysis may begin inside the region and end behind it.
        starts = [
            one.spans[word][0] if word < len(one) else len(one.text)
            for one, word in zip(analyses, words, strict=True)
        ]
        first = 0 if starts[0] <= starts[1] else 1
        if analyses[first].multiword[words[first]]:
            end = max(end, analyses[first].spans[words[first]][1])
        words[first] += 1


def _is_inside(analysis: Analysis, word: int, end: int) -> bool:
    """Check whether a word belongs to a region with this end."""
    if word == len(analysis):
        return False
    span = analysis.spans[word]
    return span[0] < end if analysis.multiword[word] else span[1] <= end


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
