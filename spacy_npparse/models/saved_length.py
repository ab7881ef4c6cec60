"""A length among the attributes of a model, which is checked when the model is loaded."""

from __future__ import annotations

from typing import Any

import srsly
from thinc.api import Model, deserialize_attr

from spacy_npparse.checks import check_range, check_type


class Length(int):
    """A number of units, at least 1."""


@deserialize_attr.register(Length)
def _load(default: Length, value: bytes, name: str, model: Model[Any, Any]) -> Length:
    length = srsly.msgpack_loads(value)
    try:
        check_type(name, length, int)
        check_range(name, length)
    except ValueError as error:
        raise ValueError(
            f"Cannot load {model.name}: its {error}. The model file is damaged; copy it again or "
            "retrain."
        ) from error
    return Length(length)
