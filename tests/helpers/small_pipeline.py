"""Settings with which the pipeline of configs/accuracy.cfg is trained within a second."""

from collections.abc import Mapping
from typing import Any

TINY = {
    "training.max_steps": 1,
    "training.eval_frequency": 1,
    "components.tok2vec.model.width": 16,
    "components.tok2vec.model.word_width": 8,
    "components.tok2vec.model.word_rows": 50,
    "components.parser.model.hidden_size": 8,
    "components.parser.model.arc_size": 8,
    "components.parser.model.label_size": 8,
}


def smallest(config: Mapping[str, Any]) -> dict[str, int]:
    """Return the settings of TINY that a config has."""
    return {name: value for name, value in TINY.items() if _has(config, name.split("."))}


def overrides(settings: Mapping[str, Any]) -> list[str]:
    """Convert settings to command-line arguments of `spacy train`."""
    return [str(word) for name, value in settings.items() for word in (f"--{name}", value)]


def _has(config: Mapping[str, Any], path: list[str]) -> bool:
    first, *rest = path
    return first in config and (not rest or _has(config[first], rest))
