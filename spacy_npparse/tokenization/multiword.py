"""Splitting multiword tokens into syntactic words.

The rules are those of the treebank. A linear model decides in context which one applies, if any:
French "des" is "de les" or a determiner according to its neighbours, and Turkish words are split if
what is left is a word.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain, repeat
from typing import Any

import numpy as np
import torch

from spacy_npparse.tokenization.rules import MultiwordToken, Rule, choose_rules, lower, lowered
from spacy_npparse.tokenization.saved_rules import load_numbers, load_rules, load_weights

_PENALTY = 0.1
# Of L-BFGS.
_STEPS = 25
_SMALLEST_WEIGHT = 0.01
_LONGEST_AFFIX = 6
# Whose scores are kept, by themselves and as neighbours.
_MOST_FORMS = 2**16
# Follows all words with the same beginning.
_LAST = "\U0010ffff"
# Neighbours of the first and the last token.
_EDGE = ""
_NONE: dict[str, list[int]] = {}
# How many of their features begin with a letter.
_OF_NEIGHBOURS = {"a": 1, "b": 1, "c": 2, "d": 2, "e": 1}


class Vocabulary:
    """The words of a treebank, in lower case.

    Args:
        counts: How often each token or word occurs by itself.
    """

    def __init__(self, counts: dict[str, int]) -> None:
        self.counts = counts
        self._types = sorted(counts)

    def known(self, form: str, seen: Sequence[str]) -> int:
        """How often a word occurs, up to twice, but for those that are `seen` at one place."""
        return min(self.counts.get(form, 0) - seen.count(form), 2)

    def n_beginning(self, form: str, seen: Sequence[str]) -> int:
        """How many words, of different forms, begin like a word, but for those that occur only
        where they are `seen`: a stem begins many."""
        start = bisect_left(self._types, form)
        n_types = bisect_left(self._types, form + _LAST, start) - start
        if not seen:
            return n_types
        only_seen = {one for one in seen if self.counts[one] == seen.count(one)}
        return n_types - sum(one.startswith(form) for one in only_seen)


class _Weights:
    """The weights of features.

    Args:
        by_rule: By the name of the feature: those of all rules together, and of each rule.
    """

    def __init__(self, by_rule: Sequence[dict[str, float]]) -> None:
        self.by_rule = by_rule
        self._most: dict[int, float] = {}

    def score(self, number: int, features: Sequence[str]) -> float:
        """The score of features for a rule."""
        zeros = repeat(0.0)
        shared = map(self.by_rule[0].get, features, zeros)
        return sum(shared) + sum(map(self.by_rule[number + 1].get, features, zeros))

    def most_by_neighbours(self, number: int) -> float:
        """What neighbours can add to a score for a rule at most, or more than that."""
        for place in (0, number + 1):
            if place not in self._most:
                self._most[place] = _most(self.by_rule[place])
        return self._most[0] + self._most[number + 1]


class MultiwordSplitter:
    """Finds multiword tokens and splits them.

    Args:
        rules: The rules.
        vocabulary: How often each token or word, in lower case, occurs in the treebank by itself.
        weights: The weight of each feature, for all rules together and for each rule.
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        vocabulary: dict[str, int],
        weights: Sequence[dict[str, float]],
    ) -> None:
        self._rules = list(rules)
        self._vocabulary = Vocabulary(vocabulary)
        self._weights = _Weights(weights)
        # By suffixes and prefixes.
        self._by_affixes: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for number, rule in enumerate(self._rules):
            self._by_affixes[rule.suffix][rule.prefix].append(number)
        self._longest_suffix = max((len(rule.suffix) for rule in self._rules), default=0)
        # The same tokens occur again and again, and so do their neighbours.
        self._candidates = lru_cache(_MOST_FORMS)(self._find_candidates)
        self._split = lru_cache(_MOST_FORMS)(lambda number, form: self._rules[number].split(form))
        self._before = lru_cache(_MOST_FORMS)(partial(self._score_neighbour, _before))
        self._after = lru_cache(_MOST_FORMS)(partial(self._score_neighbour, _after))

    def __call__(self, forms: Sequence[str]) -> dict[int, tuple[str, ...]]:
        """Split the multiword tokens of a text.

        Args:
            forms: Its tokens.

        Returns:
            The words of the tokens that are split, by their numbers; in order.
        """
        found = {}
        if self._rules:
            for i, candidates in enumerate(map(self._candidates, forms)):
                best = self._best(candidates, forms, i) if candidates else None
                if best is not None:
                    found[i] = self._split(best, forms[i])
        return found

    def to_dict(self) -> dict[str, Any]:
        """All there is to save, in types of JSON."""
        return {
            "rules": self._rules,
            "vocabulary": self._vocabulary.counts,
            "weights": self._weights.by_rule,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> MultiwordSplitter:
        """Inverse of `to_dict`."""
        rules = load_rules(data["rules"])
        weights = load_weights(data["weights"], len(rules))
        return cls(rules, load_numbers(data["vocabulary"]), weights)

    @classmethod
    def train(cls, sentences: Iterable[Sequence[MultiwordToken]]) -> MultiwordSplitter:
        """Learn to split from the tokens of a treebank, each with its words if it is a multiword
        token, else with none."""
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
        return cls(untrained._rules, untrained._vocabulary.counts, weights)

    def _learn(
        self, sentences: Sequence[Sequence[MultiwordToken]], rules: dict[MultiwordToken, Rule]
    ) -> list[dict[str, float]]:
        """The weights that maximise the log-likelihood of the gold candidates, which is concave in
        the weights. Each token has one candidate for each rule that fits, and one without features
        for no split."""
        numbers = {rule: number for number, rule in enumerate(self._rules)}
        # The number of a rule plus one, and the name of the feature.
        names: dict[tuple[int, str], int] = {}
        # Features of all candidates one after the other, where those of each candidate begin, the
        # token of each candidate, and the candidates that are gold.
        features, bounds, tokens, gold = (array("q") for _ in range(4))
        n_tokens = 0
        for sentence in sentences:
            forms = [form for form, _ in sentence]
            for i, (form, words) in enumerate(sentence):
                right = numbers[rules[lowered((form, words))]] if words else None
                fitting = self._fitting(lower(form))
                if not fitting:
                    continue
                context = _context(forms, i)
                seen = [lower(word) for word in words or (form,)]
                of_rules = self._features(lower(form), fitting, seen)
                for number, of_rule in zip((None, *fitting), chain([[]], of_rules), strict=True):
                    if number == right:
                        gold.append(len(bounds))
                    bounds.append(len(features))
                    tokens.append(n_tokens)
                    if number is not None:
                        own = [*of_rule, *context]
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

    def _find_candidates(self, form: str) -> tuple[tuple[int, float], ...]:
        """The rules by which a token may be split, each with its score regardless of the
        neighbours: those that fit and that some neighbours would make better than no split."""
        low = lower(form)
        fitting = self._fitting(low)
        found = []
        for number, features in zip(fitting, self._features(low, fitting), strict=True):
            score = self._weights.score(number, ["", *features, _case(form)])
            if score + self._weights.most_by_neighbours(number) > 0:
                found.append((number, score))
        return tuple(found)

    def _best(
        self, candidates: Sequence[tuple[int, float]], forms: Sequence[str], i: int
    ) -> int | None:
        """The best rule for a token, None if it is best not split."""
        before = forms[i - 1] if i else _EDGE
        after = forms[i + 1] if i + 1 < len(forms) else _EDGE
        best, highest = None, 0.0
        for number, score in candidates:
            score += self._before(number, before) + self._after(number, after)
            if score > highest:
                best, highest = number, score
        return best

    def _score_neighbour(
        self, features: Callable[[str], list[str]], number: int, form: str
    ) -> float:
        return self._weights.score(number, features(lower(form)))

    def _fitting(self, form: str) -> list[int]:
        """The rules that fit a token and leave something of it, or put something in its place."""
        found: list[int] = []
        for end in range(len(form), max(0, len(form) - self._longest_suffix) - 1, -1):
            for prefix, numbers in self._by_affixes.get(form[end:], _NONE).items():
                if form.startswith(prefix, 0, end):
                    found += numbers
        return [number for number in found if self._rules[number].stem(form)]

    def _features(
        self, form: str, numbers: Sequence[int], seen: Sequence[str] = ()
    ) -> Iterator[list[str]]:
        """Features of a token for each of the rules that fit. In training, the words that it
        contributed to the vocabulary itself are `seen` there."""
        words = self._vocabulary
        known_form, n_form = words.known(form, seen), min(words.n_beginning(form, seen), 2)
        lengths = range(1, min(len(form), _LONGEST_AFFIX) + 1)
        suffixes = [f"s{form[-n:]}" for n in lengths]
        for number in numbers:
            rule = self._rules[number]
            stem = rule.stem(form)
            lengths_of_stem = range(1, min(len(stem), 4) + 1)
            known = f"{words.known(stem, seen)} {known_form}"
            n_stem = min(words.n_beginning(stem, seen), 4)
            features = [f"k{known}", f"q{known} {n_stem} {n_form}", *suffixes]
            features += [f"t{stem[-n:]}" for n in lengths_of_stem]
            if rule.prefix:
                features += [f"p{form[:n]}" for n in lengths]
                features += [f"r{stem[:n]}" for n in lengths_of_stem]
            features.append(f"l{min(len(stem), 6)}")
            yield features


def _most(weights: Mapping[str, float]) -> float:
    """The highest sum of weights of features of neighbours."""
    highest = dict.fromkeys(_OF_NEIGHBOURS, 0.0)
    for feature, weight in weights.items():
        if weight > highest.get(feature[:1], math.inf):
            highest[feature[:1]] = weight
    return sum(n * highest[kind] for kind, n in _OF_NEIGHBOURS.items())


def _context(forms: Sequence[str], i: int) -> list[str]:
    """Features of the neighbours of a token, and of its case."""
    before = lower(forms[i - 1]) if i else _EDGE
    after = lower(forms[i + 1]) if i + 1 < len(forms) else _EDGE
    return [*_before(before), *_after(after), _case(forms[i])]


def _before(form: str) -> list[str]:
    """Features of the neighbour before a token."""
    return [f"b{form}", *(f"c{form[-n:]}" for n in (2, 3))]


def _after(form: str) -> list[str]:
    """Features of the neighbour after a token."""
    return [f"a{form}", f"e{form[:1]}", *(f"d{form[-n:]}" for n in (2, 3))]


def _case(form: str) -> str:
    return f"u{form[:1].isupper()}"


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
