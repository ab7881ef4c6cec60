"""Checks of settings, for every room that has some: a wrong one is refused with its name.

Where a setting has a name, that is the whole of it: "parser: decoder.beam_width".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

# Units of a layer, words, derivations on a beam: more of them is a mistake that would end, minutes
# later, with too little memory.
MOST = 2**16
# Rows of a table, updates, words of a corpus.
MOST_ROWS = 2**30


def check_arguments(owner: str, function: Callable[..., Any], values: Mapping[str, Any]) -> None:
    """Check arguments against the annotations of a function.

    Args:
        owner: The name that the function has in a config.
        function: Has an annotation for each of the arguments.
        values: Of the arguments, by name.

    Raises:
        ValueError: If a value is of another type.
    """
    hints = get_type_hints(function)
    for name, value in values.items():
        check_type(f"{owner}: {name}", value, hints[name])


def check_type(setting: str, value: Any, hint: Any) -> None:
    """Check the type of a setting.

    Args:
        setting: Its name.
        value: Its value.
        hint: A class, `Literal`, `list`, or a union of these.

    Raises:
        ValueError: If the value is of another type.
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
    """Check that a setting has one of some values.

    Args:
        setting: Its name.
        value: Its value.
        choices: The values that it may have.

    Raises:
        ValueError: If it has another one.
    """
    if value not in choices:
        raise ValueError(f"{setting} is {value!r}, but must be one of: {', '.join(choices)}")


def check_range(setting: str, value: float, least: float = 1, most: float = MOST) -> None:
    """Check that a setting is neither too small nor too large.

    Args:
        setting: Its name.
        value: Its value, a number.
        least: The smallest value that it may have.
        most: The largest one.

    Raises:
        ValueError: If it has another one.
    """
    if not value >= least:
        raise ValueError(f"{setting} is {value!r}, but must be {least} or more")
    if value > most:
        raise ValueError(f"{setting} is {value!r}, but must be {most} or less")


def check_dropout(setting: str, rate: float) -> None:
    """Check that a setting is a rate of dropout.

    Args:
        setting: Its name.
        rate: Its value, a number.

    Raises:
        ValueError: If it is not.
    """
    if not 0.0 <= rate < 1.0:
        raise ValueError(f"{setting} is {rate!r}, but must be in [0, 1)")


def _has_type(value: Any, hint: Any) -> bool:
    origin = get_origin(hint) or hint
    accepted = (int, float) if origin is float else origin
    # bool is an int in Python, but no number in a config.
    return isinstance(value, accepted) and isinstance(value, bool) == (origin is bool)
