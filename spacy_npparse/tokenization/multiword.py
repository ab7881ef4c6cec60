"""Splitting multiword tokens into syntactic words.

The rules are those of the treebank. A linear model decides in context which one applies, if any:
French "des" is "de les" or a determiner according to its neighbours, and Turkish words are split if
what is left is a word.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
import torch

from spacy_npparse.tokenization.rules import MultiwordToken, Rule, choose_rules, lower, lowered
from spacy_npparse.tokenization.saved_rules import load_numbers, load_rules

_PENALTY = 0.1
# Of L-BFGS.
_STEPS = 25
_SMALLEST_WEIGHT = 0.01
_LONGEST_AFFIX = 6
# Whose scores are kept.
_MOST_FORMS = 2**16
# Follows all words with the same beginning.
_LAST = "\U0010ffff"
# Neighbours of the first and the last token.
_EDGE = ""


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
        start, end = (bisect_left(self._types, one) for one in (form, form + _LAST))
        only_seen = {one for one in seen if self.counts[one] == seen.count(one)}
        return end - start - sum(one.startswith(form) for one in only_seen)


class _Weights:
    """The weights of features, of each rule and of all rules together.

    Args:
        by_name: By the name of the feature, with the number of the rule before it if it is one of
            a rule.
    """

    def __init__(self, by_name: dict[str, float]) -> None:
        self.by_name = by_name
        self._shared: dict[str, float] = {}
        self._by_rule: dict[int, dict[str, float]] = defaultdict(dict)
        for name, weight in by_name.items():
            if name[0].isdigit():
                number, _, feature = name.partition(" ")
                self._by_rule[int(number)][feature] = weight
            else:
                self._shared[name] = weight

    def score(self, number: int, features: Iterable[str]) -> float:
        """The score of features for a rule."""
        shared, own = self._shared.get, self._by_rule[number].get
        return sum(shared(feature, 0.0) + own(feature, 0.0) for feature in features)


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
        self._vocabulary = Vocabulary(vocabulary)
        self._weights = _Weights(weights)
        # By suffixes and prefixes.
        self._by_affixes: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for number, rule in enumerate(self._rules):
            self._by_affixes[rule.suffix][rule.prefix].append(number)
        self._longest_prefix = max((len(rule.prefix) for rule in self._rules), default=0)
        self._longest_suffix = max((len(rule.suffix) for rule in self._rules), default=0)
        # Of frequent forms, without their neighbours.
        self._scores: dict[str, list[tuple[int, float]]] = {}

    def __call__(self, forms: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """Split the multiword tokens of a text.

        Args:
            forms: Its tokens.

        Yields:
            The words of each token; nothing for one that is not split.
        """
        for i, form in enumerate(forms):
            best = self._best(forms, i)
            yield () if best is None else self._rules[best].split(form)

    def to_dict(self) -> dict[str, Any]:
        """All there is to save, in types of JSON."""
        return {
            "rules": self._rules,
            "vocabulary": self._vocabulary.counts,
            "weights": self._weights.by_name,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> MultiwordSplitter:
        """Inverse of `to_dict`."""
        rules = load_rules(data["rules"])
        return cls(rules, load_numbers(data["vocabulary"]), load_numbers(data["weights"]))

    @classmethod
    def train(cls, sentences: Iterable[Sequence[MultiwordToken]]) -> MultiwordSplitter:
        """Learn to split from the tokens of a treebank, each with its words if it is a multiword
        token, else with none."""
        sentences = list(sentences)
        rules = choose_rules(token for sentence in sentences for token in sentence if token[1])
        if not rules:
            return cls([], {}, {})
        vocabulary = Counter(
            lower(word)
            for sentence in sentences
            for form, words in sentence
            for word in words or [form]
        )
        splitter = cls(sorted(set(rules.values())), dict(vocabulary), {})
        splitter._train(sentences, rules)
        return splitter

    def _train(
        self, sentences: Sequence[Sequence[MultiwordToken]], rules: dict[MultiwordToken, Rule]
    ) -> None:
        """Maximise the log-likelihood of the gold candidates, which is concave in the weights. Each
        token has one candidate for each rule that fits, and one without features for no split."""
        numbers = {rule: number for number, rule in enumerate(self._rules)}
        names: dict[str, int] = {}
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
                for number in (None, *fitting):
                    if number == right:
                        gold.append(len(bounds))
                    bounds.append(len(features))
                    tokens.append(n_tokens)
                    if number is not None:
                        own = [*self._features(lower(form), number, seen), *context]
                        own += [f"{number} {feature}" for feature in ("", *own)]
                        features.extend(names.setdefault(name, len(names)) for name in own)
                n_tokens += 1
        weights = zip(
            names, _maximum_likelihood(features, bounds, tokens, gold, len(names)), strict=True
        )
        self._weights = _Weights({n: round(w, 4) for n, w in weights if abs(w) >= _SMALLEST_WEIGHT})

    def _best(self, forms: Sequence[str], i: int) -> int | None:
        """The best rule for a token, None if it is best not split."""
        form = lower(forms[i])
        scores = self._scores.get(form)
        if scores is None:
            scores = [
                (number, self._weights.score(number, ["", *self._features(form, number)]))
                for number in self._fitting(form)
            ]
            if len(self._scores) < _MOST_FORMS:
                self._scores[form] = scores
        if not scores:
            return None
        context = _context(forms, i)
        best, score = max(
            ((number, own + self._weights.score(number, context)) for number, own in scores),
            key=itemgetter(1),
        )
        return best if score > 0 else None

    def _fitting(self, form: str) -> list[int]:
        """The rules that fit a token and leave something of it, or put something in its place."""
        found: list[int] = []
        for end in range(len(form), max(0, len(form) - self._longest_suffix) - 1, -1):
            by_prefix = self._by_affixes.get(form[end:])
            if by_prefix is not None:
                for start in range(min(end, self._longest_prefix) + 1):
                    found += by_prefix.get(form[:start], ())
        return [number for number in found if self._rules[number].stem(form)]

    def _features(self, form: str, number: int, seen: Sequence[str] = ()) -> list[str]:
        """Features of a token for a rule. In training, the words that it contributed to the
        vocabulary itself are `seen` there."""
        rule, words = self._rules[number], self._vocabulary
        stem = rule.stem(form)
        known = f"{words.known(stem, seen)} {words.known(form, seen)}"
        n_stem, n_form = (words.n_beginning(one, seen) for one in (stem, form))
        features = [f"k{known}", f"q{known} {min(n_stem, 4)} {min(n_form, 2)}"]
        features += [f"s{form[-n:]}" for n in range(1, min(len(form), _LONGEST_AFFIX) + 1)]
        features += [f"t{stem[-n:]}" for n in range(1, min(len(stem), 4) + 1)]
        if rule.prefix:
            features += [f"p{form[:n]}" for n in range(1, min(len(form), _LONGEST_AFFIX) + 1)]
            features += [f"r{stem[:n]}" for n in range(1, min(len(stem), 4) + 1)]
        return [*features, f"l{min(len(stem), 6)}"]


def _context(forms: Sequence[str], i: int) -> list[str]:
    """Features of the neighbours of a token, and of its case."""
    before = lower(forms[i - 1]) if i else _EDGE
    after = lower(forms[i + 1]) if i + 1 < len(forms) else _EDGE
    features = [f"b{before}", f"a{after}", f"e{after[:1]}", f"u{forms[i][:1].isupper()}"]
    return features + [f"c{before[-n:]}" for n in (2, 3)] + [f"d{after[-n:]}" for n in (2, 3)]


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
