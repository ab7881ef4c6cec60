"""The classes of the package, and the files that a call passes through."""

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import spacy_npparse

PACKAGE = str(Path(spacy_npparse.__file__).parent)


def calls_between_files(function: Callable[[], Any]) -> list[tuple[str, str]]:
    """Record the calls of Python functions from one file of the package to another. Calls between
    files of `models` do not count, because nearly all of them are in the encoder.

    Args:
        function: The function to call.

    Returns:
        File and name of caller and callee, in the order of the calls.
    """
    found: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        caller = frame.f_back
        if event != "call" or caller is None:
            return
        files = [one.f_code.co_filename for one in (caller, frame)]
        if not all(file.startswith(PACKAGE) for file in files) or files[0] == files[1]:
            return
        names = [
            f"{Path(file).relative_to(PACKAGE)}:{one.f_code.co_name}"
            for file, one in zip(files, (caller, frame), strict=True)
        ]
        if not all(name.startswith("models/") for name in names):
            found.append((names[0], names[1]))

    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    return found


def own_classes(of: type) -> list[type]:
    """Return a class and its base classes, as far as they are in the package."""
    return [one for one in of.__mro__ if one.__module__.startswith("spacy_npparse")]


def all_classes() -> Iterator[type]:
    """Yield all classes that the Python modules of the package define."""
    for module in pkgutil.walk_packages([PACKAGE], "spacy_npparse."):
        if module.name.endswith("__main__"):
            continue
        for _, one in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if one.__module__ == module.name:
                yield one
