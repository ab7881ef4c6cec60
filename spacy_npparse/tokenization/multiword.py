"""Splitting multiword tokens into syntactic words.

The rules are learnt from the treebank. A linear model decides in context which rule applies, if
any. For example, the neighbours of French "des" show whether it is "de les" or a determiner, and
Turkish words are split if the stem is a known word.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import count
from typing import Any

import numpy as np
import torch

from spacy_npparse.tokenization.multiword_scores import RuleScores, Vocabulary
from spacy_npparse.tokenization.rules import MultiwordToken, Rule, choose_rules, lower, lowered
from spacy_npparse.tokenization.saved_rules import load_numbers, load_rules, load_weights

_PENALTY = 0.1
# The maximum number of steps of L-BFGS.
_STEPS = 25
_SMALLEST_WEIGHT = 0.01
# The number of candidates whose features are read at once in training.
_BLOCK = 2**14
# The maximum number of tokens whose candidates or words are cached.
_MOST_FORMS = 2**16
# The missing neighbour of the first or the last token.
_EDGE = ""


class MultiwordSplitter:
    """Finds multiword tokens and splits them.

    Args:
        rules: The rules.
        vocabulary: How often each token or word, in lower case, occurs by itself in the treebank.
        weights: The weights by feature: first those that all rules share, then those of each rule.
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        vocabulary: dict[str, int],
        weights: Sequence[dict[str, float]],
    ) -> None:
        self._rules = list(rules)
        self._vocabulary = vocabulary
        self._weights = list(weights)
        self._scores = RuleScores(self._rules, Vocabulary(vocabulary), self._weights)
        # The same tokens occur again and again.
        self._candidates = lru_cache(_MOST_FORMS)(self._scores.candidates)
        self._split = lru_cache(_MOST_FORMS)(lambda number, form: self._rules[number].split(form))

    def __call__(self, forms: Sequence[str]) -> dict[int, tuple[str, ...]]:
        """Split the multiword tokens of a text.

        Args:
            forms: The tokens of the text.

        Returns:
            The words of each token that is split, by the number of the token, in order.
        """
        found = {}
        if self._rules:
            for i, candidates in enumerate(map(self._candidates, forms)):
                if not candidates:
                    continue
                best = self._scores.best(candidates, *_neighbours(forms, i))
                if best is not None:
                    found[i] = self._split(best, forms[i])
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the data to save, in types of JSON."""
        return {
            "rules": self._rules,
            "vocabulary": self._vocabulary,
            "weights": self._weights,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> MultiwordSplitter:
        """Make a splitter from the data of `to_dict`."""
        rules = load_rules(data["rules"])
        weights = load_weights(data["weights"], len(rules))
        return cls(rules, load_numbers(data["vocabulary"]), weights)

    @classmethod
    def train(cls, sentences: Iterable[Sequence[MultiwordToken]]) -> MultiwordSplitter:
        """Learn to split from the tokens of a treebank. Each multiword token comes with its words,
        other tokens with none."""
        sentences = list(sentences)
        rules = choose_rules(token for sentence in sentences for token in sentence if token[1])
        if not rules:
            return cls([], {}, [{}])
        vocabulary = Counter(
            lower(word)
            for sentence in sentences
            for form, words in sentence
            for word in words or [form]
        )
        untrained = cls(sorted(set(rules.values())), dict(sorted(vocabulary.items())), [{}])
        weights = untrained._learn(sentences, rules)
        return cls(untrained._rules, untrained._vocabulary, weights)

    def _learn(
        self, sentences: Sequence[Sequence[MultiwordToken]], rules: dict[MultiwordToken, Rule]
    ) -> list[dict[str, float]]:
        """Learn the weights that maximise the log-likelihood of the gold candidates, a concave
        function. Each token has one candidate for each rule that fits, and one without features for
        no split."""
        numbers = {rule: number for number, rule in enumerate(self._rules)}
        # Numbers of weights by feature: first those that all rules share, then those of each rule.
        new_number = count().__next__
        names = [defaultdict[str, int](new_number) for _ in range(len(self._rules) + 1)]
        # The features of all candidates, concatenated; the end of each candidate's features; the
        # token of each candidate; and the numbers of the gold candidates.
        features, ends, tokens, gold = (array("i") for _ in range(4))
        n_tokens = 0
        for sentence in sentences:
            forms = [form for form, _ in sentence]
            for i, (form, words) in enumerate(sentence):
                right = numbers[rules[lowered((form, words))]] if words else None
                fitting = self._scores.fitting(lower(form))
                if not fitting:
                    continue
                if right is None:
                    gold.append(len(ends))
                ends.append(len(features))
                tokens.append(n_tokens)
                seen = [lower(word) for word in words or (form,)]
                for number, stem in fitting:
                    if number == right:
                        gold.append(len(ends))
                    own = self._scores.features(number, stem, form, seen, *_neighbours(forms, i))
                    features.extend(map(names[0].__getitem__, own))
                    features.extend(map(names[number + 1].__getitem__, ("", *own)))
                    ends.append(len(features))
                    tokens.append(n_tokens)
                n_tokens += 1
        found = _maximum_likelihood(features, ends, tokens, gold, sum(map(len, names)))
        weights: list[dict[str, float]] = [
            {
                name: round(found[number], 4)
                for name, number in table.items()
                if abs(found[number]) >= _SMALLEST_WEIGHT
            }
            for table in names
        ]
        return weights


def _neighbours(forms: Sequence[str], i: int) -> tuple[str, str]:
    """Return the tokens before and after the i-th one."""
    return forms[i - 1] if i else _EDGE, forms[i + 1] if i + 1 < len(forms) else _EDGE


def _maximum_likelihood(
    features: array[int], ends: array[int], tokens: array[int], gold: array[int], n_features: int
) -> list[float]:
    """Find the weights that maximise the log-likelihood with an L2 penalty."""
    feature, end, token = (np.asarray(numbers) for numbers in (features, ends, tokens))
    lengths = np.diff(end, prepend=0)
    is_gold = np.zeros(len(end))
    is_gold[gold] = 1.0
    # Candidates with their features, block by block, because there are millions of features.
    blocks = []
    for first in range(0, len(end), _BLOCK):
        part = slice(first, first + _BLOCK)
        begin = end[first - 1] if first else 0
        blocks.append((part, slice(begin, end[part][-1])))
    weights = torch.zeros(n_features, dtype=torch.float64)
    optimizer = torch.optim.LBFGS([weights], max_iter=_STEPS, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        values = weights.numpy()
        scores = np.zeros(len(end))
        for part, own in blocks:
            owner = np.repeat(np.arange(len(lengths[part])), lengths[part])
            scores[part] = np.bincount(owner, values[feature[own]], len(lengths[part]))
        # Scores are small: the sum of their exponentials does not overflow.
        exponentials = np.exp(scores)
        sums = np.bincount(token, exponentials)
        errors = exponentials / sums[token] - is_gold
        gradient = np.zeros(n_features)
        for part, own in blocks:
            np.add.at(gradient, feature[own], np.repeat(errors[part], lengths[part]))
        gradient += 2 * _PENALTY * values
        weights.grad = torch.from_numpy(gradient)
        return torch.tensor(np.log(sums).sum() - scores @ is_gold + _PENALTY * values @ values)

    optimizer.step(loss)
    return weights.tolist()
