"""Splitting multiword tokens into syntactic words.

The rules are learnt from the treebank. A linear model decides in context which rule applies, if
any. For example, the neighbours of French "des" show whether it is "de les" or a determiner, and
Turkish words are split if the stem is a known word.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import torch

from spacy_npparse.tokenization.multiword_scores import RuleScores, Vocabulary
from spacy_npparse.tokenization.rules import MultiwordToken, Rule, choose_rules, lower, lowered
from spacy_npparse.tokenization.saved_rules import load_numbers, load_rules, load_weights

_PENALTY = 0.1
# The most steps of L-BFGS.
_STEPS = 25
_SMALLEST_WEIGHT = 0.01
# The most tokens whose candidates or words are cached.
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
        # Numbers of weights, by the number of the rule plus one (0: all rules) and the feature.
        names: dict[tuple[int, str], int] = {}
        # The features of all candidates, concatenated; the start of each candidate's features; the
        # token of each candidate; and the numbers of the gold candidates.
        features, bounds, tokens, gold = (array("q") for _ in range(4))
        n_tokens = 0
        for sentence in sentences:
            forms = [form for form, _ in sentence]
            for i, (form, words) in enumerate(sentence):
                right = numbers[rules[lowered((form, words))]] if words else None
                fitting = self._scores.fitting(lower(form))
                if not fitting:
                    continue
                if right is None:
                    gold.append(len(bounds))
                bounds.append(len(features))
                tokens.append(n_tokens)
                seen = [lower(word) for word in words or (form,)]
                for number, stem in fitting:
                    if number == right:
                        gold.append(len(bounds))
                    bounds.append(len(features))
                    tokens.append(n_tokens)
                    own = self._scores.features(number, stem, form, seen, *_neighbours(forms, i))
                    keys = [(0, name) for name in own]
                    keys += [(number + 1, name) for name in ("", *own)]
                    features.extend(names.setdefault(key, len(names)) for key in keys)
                n_tokens += 1
        found = _maximum_likelihood(features, bounds, tokens, gold, len(names))
        weights: list[dict[str, float]] = [{} for _ in range(len(self._rules) + 1)]
        for (place, name), weight in zip(names, found, strict=True):
            if abs(weight) >= _SMALLEST_WEIGHT:
                weights[place][name] = round(weight, 4)
        return weights


def _neighbours(forms: Sequence[str], i: int) -> tuple[str, str]:
    """Return the tokens before and after the i-th one."""
    return forms[i - 1] if i else _EDGE, forms[i + 1] if i + 1 < len(forms) else _EDGE


def _maximum_likelihood(
    features: Sequence[int],
    bounds: Sequence[int],
    tokens: Sequence[int],
    gold: Sequence[int],
    n_features: int,
) -> list[float]:
    """Find the weights that maximise the log-likelihood with an L2 penalty."""
    feature, bound, token = (np.asarray(numbers) for numbers in (features, bounds, tokens))
    owner = np.repeat(np.arange(len(bound)), np.diff(bound, append=len(feature)))
    is_gold = np.zeros(len(bound))
    is_gold[gold] = 1.0
    weights = torch.zeros(n_features, dtype=torch.float64)
    optimizer = torch.optim.LBFGS([weights], max_iter=_STEPS, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        values = weights.numpy()
        scores = np.bincount(owner, values[feature])
        # Scores are small: the sum of their exponentials does not overflow.
        exponentials = np.exp(scores)
        sums = np.bincount(token, exponentials)
        errors = exponentials / sums[token] - is_gold
        gradient = np.bincount(feature, errors[owner], n_features) + 2 * _PENALTY * values
        weights.grad = torch.from_numpy(gradient)
        return torch.tensor(np.log(sums).sum() - scores @ is_gold + _PENALTY * values @ values)

    optimizer.step(loss)
    return weights.tolist()
