"""What a run leaves behind when it has ended. Without it, a model or predictions are not complete.

A note in the folder of a model says that its training has finished; a record beside predictions has
their checksum. Both are written last.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from spacy_npparse.files import checksum, replacing

_MINUTES = "minutes.json"


class DamagedFileError(ValueError):
    """A file is missing or not as it was written; the message names it."""


@dataclass(frozen=True)
class Record:
    """Measurements of a run.

    Attributes:
        words_per_second: Parsing speed, CPU time on one thread.
        training_minutes: CPU time on one thread.
        curve: Learning curve: number of updates, and LAS on the dev file in percent.
    """

    words_per_second: float
    training_minutes: float
    curve: Sequence[tuple[int, float]]


def write_minutes(minutes: float, model: Path) -> None:
    """Note that a training has finished.

    Args:
        minutes: Its CPU time.
        model: The folder of the model.
    """
    _write(minutes, model / _MINUTES)


def read_minutes(model: Path) -> float:
    """Read the note that a training has finished.

    Args:
        model: The folder of the model.

    Returns:
        Its CPU time in minutes.

    Raises:
        DamagedFileError: There is no such note.
    """
    path = model / _MINUTES
    minutes = _read(path)
    if not _is_number(minutes):
        raise DamagedFileError(f"{path} is not a number")
    return float(minutes)


def write_record(record: Record, prediction: Path) -> None:
    """Note that a run has ended.

    Args:
        record: Its measurements.
        prediction: The file with its predictions.
    """
    data = {"prediction": checksum(prediction), **asdict(record)}
    _write(data, prediction.with_suffix(".json"))


def read_record(prediction: Path) -> Record:
    """Read the measurements of a run that has ended.

    Args:
        prediction: The file with its predictions.

    Returns:
        Its measurements.

    Raises:
        DamagedFileError: The predictions or the record are not complete.
    """
    path = prediction.with_suffix(".json")
    data = _read(path)
    try:
        known = data.pop("prediction")
        record = Record(**data)
        curve = [(int(update), float(las)) for update, las in record.curve]
    except (AttributeError, KeyError, TypeError, ValueError):
        raise DamagedFileError(f"{path} is not the record of a run") from None
    if not (_is_number(record.words_per_second) and _is_number(record.training_minutes)):
        raise DamagedFileError(f"{path} is not the record of a run")
    if not prediction.exists():
        raise DamagedFileError(f"{prediction} is missing")
    if checksum(prediction) != known:
        raise DamagedFileError(f"{prediction} is not as it was written")
    return Record(record.words_per_second, record.training_minutes, curve)


def _write(data: object, path: Path) -> None:
    with replacing(path) as file:
        file.write(json.dumps(data).encode())


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DamagedFileError(f"{path} is missing") from None
    except ValueError as error:
        raise DamagedFileError(f"{path} cannot be read ({error})") from None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
