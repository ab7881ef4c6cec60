"""Addition of counts, for data that is too large to be counted at once."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any


def total(one: Any, other: Any) -> Any:
    """Add counts.

    Args:
        one: Numbers; lists, which are joined; or dictionaries and dataclasses of these, whose
            values are added. None counts as nothing.
        other: Counts of the same form. A dictionary may have other keys.

    Returns:
        The sum.

    Examples:
        >>> total({"a": 1, "b": [2]}, {"b": [3]})
        {'a': 1, 'b': [2, 3]}
    """
    if one is None or other is None:
        return other if one is None else one
    if isinstance(one, dict):
        keys = one if one.keys() == other.keys() else sorted(one | other)
        return {key: total(one.get(key), other.get(key)) for key in keys}
    if is_dataclass(one) and not isinstance(one, type):
        names = [field.name for field in fields(one)]
        return type(one)(*(total(getattr(one, name), getattr(other, name)) for name in names))
    return one + other
