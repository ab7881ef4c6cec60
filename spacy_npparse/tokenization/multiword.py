"""Splitting multiword tokens into syntactic words.

A rule replaces the end of a token by the end of its first word and the other words: -u by -e le in
French "du", -ki by itself in Turkish "evdeki". The rules are those of the treebank. A linear model
decides in context which one applies, if any: French "des" is "de les" or a determiner according to
its neighbours, and Turkish words are split if what is left is a word.
"""

from __future__ import annotations

import os
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import torch

_PENALTY = 0.1
# Of L-BFGS.
_STEPS = 25
_SMALLEST_WEIGHT = 0.01
_LONGEST_AFFIX = 6
# Neighbours of the first and the last token.
_EDGE = ""


@lru_cache(2**16)
def _lower(form: str) -> str:
    """The form in lower case, as long as before: the lower case of İ has two characters."""
    if form.isascii():
        return form.lower()
    return "".join(char.lower()[:1] for char in form)


class Rule(NamedTuple):
    """How a multiword token is split, in lower case.

    Attributes:
        removed: The end of the token that the rule replaces.
        ending: The end of the first word.
        others: The other words.
    """

    removed: str
    ending: str
    others: tuple[str, ...]

    @classmethod
    def of(cls, form: str, words: Sequence[str]) -> Rule:
        """The rule that splits a token into these words."""
        token, (first, *others) = _lower(form), [_lower(word) for word in words]
        n_kept = len(os.path.commonprefix([token, first]))
        return cls(token[n_kept:], first[n_kept:], tuple(others))

    def split(self, form: str) -> tuple[str, ...]:
        """The words of a token that ends with `removed`. They have the capitals of the token if
        they spell it, else its case: upper, or title for the first word."""
        kept = form[: len(form) - len(self.removed)]
        words = (kept + self.ending, *self.others)
        if "".join(words) == kept + self.removed:
            bounds = [len(form) - len("".join(words[i:])) for i in range(len(words))]
            return tuple(form[a:b] for a, b in zip(bounds, [*bounds[1:], len(form)], strict=True))
        if form.isupper() and len(form) > 1:
            return tuple(word.upper() for word in words)
        if form[:1].isupper():
            return (words[0][:1].upper() + words[0][1:], *words[1:])
        return words


class _Candidate(NamedTuple):
    """A rule that fits a token, None for no split, and its features."""

    rule: int | None
    features: list[str]


class MultiwordSplitter:
    """Finds multiword tokens and splits them.

    Args:
        rules: The rules.
        vocabulary: How often each token or word, in lower case, occurs in the treebank by itself.
        weights: The weight of each feature.
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        vocabulary: dict[str, int],
        weights: dict[str, float],
    ) -> None:
        self._rules = list(rules)
        self._vocabulary = vocabulary
        self._weights = weights
        self._by_ending: dict[str, list[int]] = defaultdict(list)
        for number, rule in enumerate(self._rules):
            self._by_ending[rule.removed].append(number)
        self._longest = max((len(rule.removed) for rule in self._rules), default=0)

    def __call__(self, forms: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """Split the multiword tokens of a text.

        Args:
            forms: Its tokens.

        Yields:
            The words of each token; nothing for one that is not split.
        """
        for i, form in enumerate(forms):
            candidates = self._candidates(forms, i)
            best = self._best(candidates) if len(candidates) > 1 else None
            yield () if best is None else self._rules[best].split(form)

    def to_dict(self) -> dict[str, Any]:
        """All there is to save, in types of JSON."""
        return {
            "rules": [[*rule[:2], *rule.others] for rule in self._rules],
            "vocabulary": self._vocabulary,
            "weights": self._weights,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> MultiwordSplitter:
        """Inverse of `to_dict`."""
        rules = [Rule(removed, end, tuple(others)) for removed, end, *others in data["rules"]]
        return cls(rules, data["vocabulary"], data["weights"])

    @classmethod
    def train(cls, sentences: Iterable[Sequence[tuple[str, tuple[str, ...]]]]) -> MultiwordSplitter:
        """Learn to split from the tokens of a treebank, each with its words if it is a multiword
        token, else with none."""
        sentences = list(sentences)
        counts: Counter[Rule] = Counter()
        vocabulary: Counter[str] = Counter()
        for sentence in sentences:
            for form, words in sentence:
                vocabulary.update(_lower(word) for word in words or [form])
                if words:
                    counts[Rule.of(form, words)] += 1
        splitter = cls(sorted(counts), dict(vocabulary) if counts else {}, {})
        if counts:
            splitter._train(sentences)
        return splitter

    def _train(self, sentences: Sequence[Sequence[tuple[str, tuple[str, ...]]]]) -> None:
        """Maximise the log-likelihood of the gold candidates, which is concave in the weights."""
        numbers = {rule: number for number, rule in enumerate(self._rules)}
        names: dict[str, int] = {}
        # Features of all candidates one after the other, where those of each candidate begin, the
        # token of each candidate, and the candidates that are gold.
        features, bounds, tokens, gold = (array("q") for _ in range(4))
        n_tokens = 0
        for sentence in sentences:
            forms = [form for form, _ in sentence]
            for i, (form, words) in enumerate(sentence):
                right = numbers[Rule.of(form, words)] if words else None
                candidates = self._candidates(forms, i, words or (form,))
                if len(candidates) == 1:
                    continue
                for candidate in candidates:
                    if candidate.rule == right:
                        gold.append(len(bounds))
                    bounds.append(len(features))
                    tokens.append(n_tokens)
                    features.extend(names.setdefault(n, len(names)) for n in candidate.features)
                n_tokens += 1
        weights = zip(
            names, _maximum_likelihood(features, bounds, tokens, gold, len(names)), strict=True
        )
        self._weights = {n: round(w, 4) for n, w in weights if abs(w) >= _SMALLEST_WEIGHT}

    def _best(self, candidates: Sequence[_Candidate]) -> int | None:
        weight = self._weights.get
        return max(
            candidates, key=lambda one: sum(weight(feature, 0.0) for feature in one.features)
        ).rule

    def _candidates(
        self, forms: Sequence[str], i: int, seen: Sequence[str] = ()
    ) -> list[_Candidate]:
        """The candidates of a token. In training, the words that it contributed to the vocabulary
        itself are `seen` there."""
        form = _lower(forms[i])
        candidates = [_Candidate(None, [])]
        for length in range(min(len(form), self._longest) + 1):
            for number in self._by_ending.get(form[len(form) - length :], ()):
                candidates.append(_Candidate(number, self._features(forms, i, number, seen)))
        return candidates

    def _features(
        self, forms: Sequence[str], i: int, number: int, seen: Sequence[str]
    ) -> list[str]:
        form = _lower(forms[i])
        rule = self._rules[number]
        before = _lower(forms[i - 1]) if i else _EDGE
        after = _lower(forms[i + 1]) if i + 1 < len(forms) else _EDGE
        first = form[: len(form) - len(rule.removed)] + rule.ending
        own = [_lower(word) for word in seen]
        n_first = self._vocabulary.get(first, 0) - own.count(first)
        n_form = self._vocabulary.get(form, 0) - own.count(form)
        known = f"{min(n_first, 2)} {min(n_form, 2)}"
        features = ["", f"k{known}", f"b{before}", f"a{after}"]
        features += [f"s{form[-n:]}" for n in range(1, min(len(form), _LONGEST_AFFIX) + 1)]
        features += [f"t{first[-n:]}" for n in range(1, min(len(first), 4) + 1)]
        features += [f"c{before[-n:]}" for n in (2, 3)] + [f"d{after[-n:]}" for n in (2, 3)]
        features += [f"e{after[:1]}", f"u{forms[i][:1].isupper()}", f"l{min(len(first), 6)}"]
        return [f"k{known}", *(f"{number} {feature}" for feature in features)]


def _maximum_likelihood(
    features: Sequence[int],
    bounds: Sequence[int],
    tokens: Sequence[int],
    gold: Sequence[int],
    n_features: int,
) -> list[float]:
    """The weights that maximise the log-likelihood with an L2 penalty."""
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
