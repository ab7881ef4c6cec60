"""The comparison of each gold sentence with its prediction, whatever the predicted tokens and
sentences are. These comparisons are the units that significance tests exchange and the bootstrap
draws.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache
from math import inf

from spacy_npparse.evaluation.analysis import Analysis, beginning_within
from spacy_npparse.evaluation.attachment import Comparison


def comparisons_of_sentences(comparison: Comparison) -> list[Comparison]:
    """Split a comparison by gold sentences.

    Every predicted word counts in one gold sentence: that of the gold word with which it is aligned
    or, if there is none, that in which it begins. Predicted tokens and sentences count where they
    begin. The numerators and denominators of all scores therefore add up over the gold sentences to
    those of the whole. An arc between words of two gold sentences is wrong, and counts where its
    dependent is. Only MLAS may differ, if a predicted function word is aligned to a word without
    a head in another gold sentence.

    Args:
        comparison: The predicted analysis and the gold one.

    Returns:
        The comparison of each gold sentence with the predicted sentences that overlap with it.
    """
    # Several gold sentences may lie within one predicted sentence, which may be the whole file.
    part = lru_cache(maxsize=1)(comparison.system.part)
    return [
        _comparison(comparison, sentence, words, part)
        for sentence, words in enumerate(_words_of_sentences(comparison))
    ]


def _words_of_sentences(comparison: Comparison) -> list[list[int]]:
    """Find the predicted words that count in each gold sentence."""
    gold = comparison.gold
    begins = [begin for begin, _ in gold.sentences]
    owners = [bisect_right(begins, begin) - 1 for begin, _ in comparison.system.spans]
    for sentence, (first, end) in enumerate(gold.sentence_words):
        for word in comparison.aligned[first:end]:
            if word is not None:
                owners[word] = sentence
    found: list[list[int]] = [[] for _ in begins]
    for word, owner in enumerate(owners):
        found[owner].append(word)
    return found


def _comparison(
    comparison: Comparison,
    sentence: int,
    words: list[int],
    system_part: Callable[[int, int], Analysis],
) -> Comparison:
    gold, system = comparison.gold, comparison.system
    begin, end = gold.sentences[sentence]
    overlapping = {
        *range(len(system.sentences))[beginning_within(system.sentences, begin, end)],
        *(bisect_right(system.sentence_words, (word, len(system))) - 1 for word in words),
        # The words of a token may be aligned to those of other gold sentences.
        *(
            bisect_right(system.sentences, (token_begin, inf)) - 1
            for token_begin, _ in system.tokens[beginning_within(system.tokens, begin, end)]
        ),
    }
    first = min(overlapping, default=0)
    shift = system.sentence_words[first][0] if overlapping else 0
    first_word, end_word = gold.sentence_words[sentence]
    return Comparison(
        gold.part(sentence, sentence + 1),
        system_part(first, max(overlapping, default=-1) + 1),
        [
            None if word is None else word - shift
            for word in comparison.aligned[first_word:end_word]
        ],
        [word - shift for word in words],
    )
