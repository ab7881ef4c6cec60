"""Tests on many random examples: a few of them in every run of the tests, any number on request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random

# By what is tested, how often it ended how.
Outcomes = dict[str, Counter[str]]


class Fuzzer:
    """Runs a test on random examples and counts how they ended.

    Args:
        n_examples: How many; None for those that each test asks for.
        outcomes: The counts, which all tests share.
    """

    def __init__(self, n_examples: int | None, outcomes: Outcomes):
        self._n_examples = n_examples
        self._outcomes = outcomes

    def __call__(self, subject: str, n_examples: int, test: Callable[[Random], str]) -> None:
        """Run a test. The examples are the same in every run, and the first ones of a longer run.

        Args:
            subject: What is tested, for the table.
            n_examples: How many examples there are in a run of all tests.
            test: Makes and tests an example; returns how it ended.

        Raises:
            AssertionError: If an example fails. It names the example.
        """
        counts = self._outcomes.setdefault(subject, Counter())
        for number in range(n_examples if self._n_examples is None else self._n_examples):
            try:
                counts[test(Random(f"{subject}, {number}"))] += 1
            except Exception as error:
                raise AssertionError(f"{subject}: example {number} fails: {error!r}") from error


def table(outcomes: Outcomes) -> Iterator[str]:
    """The lines of a table, in Markdown, of all outcomes."""
    yield "| what | examples | outcomes |"
    yield "|---|---:|---|"
    for subject, counts in outcomes.items():
        parts = [f"{count:,} {outcome}" for outcome, count in sorted(counts.items())]
        yield f"| {subject} | {sum(counts.values()):,} | {', '.join(parts)} |"
