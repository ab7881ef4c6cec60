"""What a reader of the code has to open: the classes of an object, the files that a call goes
through."""

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
    """The calls of Python functions of the package whose caller is in another file of it. Those of
    one file of `models` by another do not count: nearly all of them are the encoder's.

    Args:
        function: What is called.

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
    """The classes of the package that make up the objects of a class."""
    return [one for one in of.__mro__ if one.__module__.startswith("spacy_npparse")]


def all_classes() -> Iterator[type]:
    """All classes that the Python modules of the package define."""
    for module in pkgutil.walk_packages([PACKAGE], "spacy_npparse."):
        if module.name.endswith("__main__"):
            continue
        for _, one in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if one.__module__ == module.name:
                yield one
