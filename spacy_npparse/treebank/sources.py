"""The treebanks of a corpus: their files, names and weights."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import TypeAlias

from spacy_npparse.treebank_names import treebank_name

# A path, a list of paths, or weights by path.
Paths: TypeAlias = str | Path | list[str] | dict[str, float]

_MOST_PARTS = 100
_HEAVIEST = 100
# The beginning of a list or a table whose quotes JSON does not accept, so that it is a string.
_NOT_JSON = re.compile(r"['\"]?[\[{]")
# The config parser would change a key like this.
_NO_KEY = re.compile(r"[#;\[].*|.*[=:].*", re.DOTALL)


@dataclass(frozen=True)
class Source:
    """A treebank, a part of a treebank, or a folder of several, in a corpus.

    Attributes:
        path: A .conllu file, or a folder whose .conllu files are read in alphabetical order.
        name: The name of the treebank; None to take it from the names of the files.
        copies: The number of times that a pass sees each sentence.
    """

    path: Path
    name: str | None
    copies: int

    @property
    def files(self) -> list[Path]:
        """List the files of the source.

        Raises:
            FileNotFoundError: The folder has no .conllu file.
        """
        if not self.path.is_dir():
            return [self.path]
        # macOS adds hidden files to archives.
        files = sorted(self.path.glob("[!.]*.conllu"))
        if not files:
            raise FileNotFoundError(f"{self.path}: no .conllu file in this folder.")
        return files

    def treebank(self, file: Path) -> str:
        """Find the name of the treebank that a file belongs to."""
        if self.name is not None:
            return self.name
        return treebank_name(file, self.path if self.path.is_dir() else None)


def find_sources(setting: str, paths: Paths, name: str | None) -> list[Source]:
    """Find the treebanks that paths name.

    Weights that are not whole are multiplied by the smallest number that makes all of them whole.
    `spacy train` reads a corpus once, so it would never see a part of a treebank that this pass had
    left out.

    Args:
        setting: The name of the setting with the paths, for messages.
        paths: A path, a list of paths, or weights by path.
        name: The name of the treebank that all paths belong to; None to take names from the paths.

    Returns:
        The treebanks.

    Raises:
        ValueError: There are no paths; a path is invalid, repeated or not allowed in a table; or a
            weight is not allowed.
    """
    listed = paths if isinstance(paths, (list, dict)) else [paths]
    if isinstance(paths, str) and _NOT_JSON.match(paths) and not Path(paths).exists():
        raise ValueError(
            f"{setting} is {paths}, which is not valid JSON. Write file names in double quotes, as "
            'in ["a.conllu", "b.conllu"].'
        )
    if not listed:
        raise ValueError(f"{setting} is {paths!r}. Give at least one file.")
    for path in listed:
        if not isinstance(path, (str, Path)) or str(path) == "":
            raise ValueError(f"{setting}: {path!r} is not a path. Give .conllu files.")
        if isinstance(paths, dict) and _NO_KEY.fullmatch(str(path)):
            raise ValueError(
                f"{setting}: {path!r} cannot have a weight, because keys of a config must not "
                "contain = or : and must not begin with #, ; or [. Give a relative path, or "
                "rename the file."
            )
    found = [Path(path) for path in listed]
    real = [Path(os.path.abspath(path)) for path in found]
    for path, place in zip(found, real, strict=True):
        n_times = real.count(place) + real.count(place.parent)
        if n_times > 1:
            raise ValueError(
                f"{setting}: {path} occurs {n_times} times. Give it once, with a weight for the "
                f'number of times that it is seen: {{"{path}": {n_times}}}.'
            )
    weights = list(paths.values()) if isinstance(paths, dict) else [1] * len(found)
    copies = _copies(setting, found, weights)
    return [Source(*source) for source in zip(found, [name] * len(found), copies, strict=True)]


def _copies(setting: str, paths: Sequence[Path], weights: Sequence[float]) -> list[int]:
    fractions = []
    for path, weight in zip(paths, weights, strict=True):
        is_number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
        fraction = Fraction(str(weight)) if is_number and 0 < weight <= _HEAVIEST else Fraction(0)
        if not fraction or _MOST_PARTS % fraction.denominator:
            raise ValueError(
                f"{setting}: the weight of {path} is {weight!r}, but must be a number from 0.01 to "
                f"{_HEAVIEST} with at most two decimals"
            )
        fractions.append(fraction)
    factor = lcm(*(fraction.denominator for fraction in fractions))
    return [int(fraction * factor) for fraction in fractions]
