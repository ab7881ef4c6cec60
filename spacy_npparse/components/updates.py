"""The callback `spacy_npparse.scale_updates.v1`, which fits the number of updates to a treebank."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import sqrt

from spacy.language import Language
from spacy.util import logger

from spacy_npparse.checks import MOST_ROWS, check_range
from spacy_npparse.components.dependency_parser import DependencyParser


def scale_updates(words: int) -> Callable[[Language], None]:
    """Make a callback for `initialize.after_init` that sets the number of updates of a training.

    If `training.max_steps` is 0, the callback replaces it with the `total_steps` of the learning
    rate, and with more for a large treebank: the number grows with the square root of the number
    of words. It is rounded to a multiple of `training.eval_frequency`, so that the weights after
    the last update are evaluated. Other values of `max_steps` are kept. `eval_frequency` is reduced
    to `max_steps` if it is larger, because the model would not be evaluated after any update.

    A schedule of the learning rate with `total_steps` then ends with the last update.

    Args:
        words: The maximum size of a treebank for which `total_steps` is large enough.

    Returns:
        The callback, a function of the pipeline. It raises ValueError if `max_steps` is 0 and the
        learning rate has no `total_steps`, or the corpus is streamed (`training.max_epochs = -1`).
    """
    check_range("scale_updates.v1: words", words, most=MOST_ROWS)
    return partial(_scale, words=words)


def _scale(nlp: Language, *, words: int) -> None:
    training = nlp.config["training"]
    rates = training["optimizer"].get("learn_rate")
    has_end = isinstance(rates, dict) and "total_steps" in rates
    if training["max_steps"] == 0:
        if training["max_epochs"] == -1:
            raise ValueError(
                "training.max_steps is 0, and training.max_epochs is -1: the size of a streamed "
                "corpus is unknown. Set max_steps to the number of updates."
            )
        if not has_end:
            raise ValueError(
                "training.max_steps is 0, and training.optimizer.learn_rate has no total_steps. "
                "Set max_steps to the number of updates."
            )
        parsers = [pipe for _, pipe in nlp.pipeline if isinstance(pipe, DependencyParser)]
        n_words = max((parser.n_training_words for parser in parsers), default=0)
        n_updates = rates["total_steps"] * sqrt(max(1.0, n_words / words))
        interval = training["eval_frequency"]
        training["max_steps"] = interval * max(1, round(n_updates / interval))
        logger.info("Updates: %d, for %d words with heads", training["max_steps"], n_words)
    # spaCy would evaluate, and save as model-best, only the weights before the first update.
    training["eval_frequency"] = min(training["eval_frequency"], training["max_steps"])
    if has_end:
        rates["total_steps"] = training["max_steps"]
