"""Checks of settings, which all packages share. An error names the setting.

The name of a setting is complete, as in "parser: decoder.beam_width".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

# The maximum number of units in a layer, of words, or of derivations on a beam. A larger number is
# a mistake that would exhaust the memory minutes later.
MOST = 2**16
# The maximum number of rows in a table, of updates, or of words in a corpus.
MOST_ROWS = 2**30


def check_arguments(owner: str, function: Callable[..., Any], values: Mapping[str, Any]) -> None:
    """Check arguments against the annotations of a function.

    Args:
        owner: The name of the function in a config.
        function: A function with an annotation for each argument.
        values: The values of the arguments, by name.

    Raises:
        ValueError: A value has the wrong type.
    """
    hints = get_type_hints(function)
    for name, value in values.items():
        check_type(f"{owner}: {name}", value, hints[name])


def check_type(setting: str, value: Any, hint: Any) -> None:
    """Check the type of a setting.

    Args:
        setting: The name of the setting.
        value: The value of the setting.
        hint: A class, `Literal`, `list`, or a union of these.

    Raises:
        ValueError: The value has the wrong type.
    """
    if get_origin(hint) in (Union, UnionType):
        others = [option for option in get_args(hint) if option is not type(None)]
        if (value is None and len(others) < len(get_args(hint))) or any(
            _has_type(value, option) for option in others[1:]
        ):
            return
        hint = others[0]
    if get_origin(hint) is Literal:
        return check_choice(setting, value, get_args(hint))
    if not _has_type(value, hint):
        name = (get_origin(hint) or hint).__name__
        raise ValueError(f"{setting} is {value!r}, but must be of type {name}")
    for item in value if isinstance(value, list) else ():
        check_type(f"{setting}: an item", item, *get_args(hint))


def check_choice(setting: str, value: Any, choices: Collection[str]) -> None:
    """Check that the value of a setting is one of several choices.

    Args:
        setting: The name of the setting.
        value: The value of the setting.
        choices: The values that are allowed.

    Raises:
        ValueError: The value is not allowed.
    """
    if value not in choices:
        raise ValueError(f"{setting} is {value!r}, but must be one of: {', '.join(choices)}")


def check_range(setting: str, value: float, least: float = 1, most: float = MOST) -> None:
    """Check that the value of a setting is within a range.

    Args:
        setting: The name of the setting.
        value: The value of the setting, a number.
        least: The lowest value that is allowed.
        most: The highest value that is allowed.

    Raises:
        ValueError: The value is outside the range.
    """
    if not value >= least:
        raise ValueError(f"{setting} is {value!r}, but must be {least} or more")
    if value > most:
        raise ValueError(f"{setting} is {value!r}, but must be {most} or less")


def check_dropout(setting: str, rate: float) -> None:
    """Check that the value of a setting is a dropout rate.

    Args:
        setting: The name of the setting.
        rate: The value of the setting, a number.

    Raises:
        ValueError: The value is not a dropout rate.
    """
    if not 0.0 <= rate < 1.0:
        raise ValueError(f"{setting} is {rate!r}, but must be in [0, 1)")


def _has_type(value: Any, hint: Any) -> bool:
    origin = get_origin(hint) or hint
    accepted = (int, float) if origin is float else origin
    # In Python, a bool is an int, but in a config it is not a number.
    return isinstance(value, accepted) and isinstance(value, bool) == (origin is bool)
