"""Tests on random examples: a few examples by default, any number on request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random

# For each subject of a test, the number of examples with each outcome.
Outcomes = dict[str, Counter[str]]


class Fuzzer:
    """Runs a test on random examples and counts the outcomes.

    Args:
        n_examples: The number of examples; None for the default number of each test.
        outcomes: The counts, which all tests share.
    """

    def __init__(self, n_examples: int | None, outcomes: Outcomes):
        self._n_examples = n_examples
        self._outcomes = outcomes

    def __call__(self, subject: str, n_examples: int, test: Callable[[Random], str]) -> None:
        """Run a test. All runs have the same examples, of which a longer run has more.

        Args:
            subject: The subject of the test in the table.
            n_examples: The default number of examples.
            test: Makes and tests an example, and returns the outcome.

        Raises:
            AssertionError: If an example fails. The message names the example.
        """
        counts = self._outcomes.setdefault(subject, Counter())
        for number in range(n_examples if self._n_examples is None else self._n_examples):
            try:
                counts[test(Random(f"{subject}, {number}"))] += 1
            except Exception as error:
                raise AssertionError(f"{subject}: example {number} fails: {error!r}") from error


def table(outcomes: Outcomes) -> Iterator[str]:
    """Yield the lines of a Markdown table of all outcomes."""
    yield "| what | examples | outcomes |"
    yield "|---|---:|---|"
    for subject, counts in outcomes.items():
        parts = [f"{count:,} {outcome}" for outcome, count in sorted(counts.items())]
        yield f"| {subject} | {sum(counts.values()):,} | {', '.join(parts)} |"
