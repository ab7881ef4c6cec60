"""Records of finished runs. Without its record, a model or a file of predictions is incomplete.

A note in the folder of a model means that its training has finished. A record beside predictions
has their checksum. Both are written last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from spacy_npparse.files import checksum
from spacy_npparse.workfolder import DamagedFileError, check_file, read_json, write_json

_MINUTES = "minutes.json"


@dataclass(frozen=True)
class Measurements:
    """The measurements of a run.

    Attributes:
        words_per_second: The parsing speed, by CPU time on one thread.
        training_minutes: The CPU time of the training, on one thread.
        curve: The learning curve: pairs of a number of updates and LAS on the dev file in percent.
    """

    words_per_second: float
    training_minutes: float
    curve: Sequence[tuple[int, float]]


def write_minutes(minutes: float, model: Path) -> None:
    """Note that a training has finished.

    Args:
        minutes: The CPU time of the training in minutes.
        model: The folder of the model.
    """
    write_json(minutes, model / _MINUTES)


def read_minutes(model: Path) -> float:
    """Read the note that a training has finished.

    Args:
        model: The folder of the model.

    Returns:
        The CPU time of the training in minutes.

    Raises:
        DamagedFileError: The note is missing or damaged.
    """
    path = model / _MINUTES
    minutes = read_json(path)
    if not _is_number(minutes):
        raise DamagedFileError(f"{path} is not a number")
    return float(minutes)


def write_record(measured: Measurements, prediction: Path) -> None:
    """Record that a run has ended.

    Args:
        measured: The measurements of the run.
        prediction: The file with its predictions.
    """
    data = {"prediction": checksum(prediction), **asdict(measured)}
    write_json(data, prediction.with_suffix(".json"))


def read_record(prediction: Path) -> Measurements:
    """Read the measurements of a run that has ended.

    Args:
        prediction: The file with its predictions.

    Returns:
        The measurements of the run.

    Raises:
        DamagedFileError: The predictions or the record are incomplete.
    """
    path = prediction.with_suffix(".json")
    data = read_json(path)
    try:
        known = data.pop("prediction")
        record = Measurements(**data)
        curve = [(int(update), float(las)) for update, las in record.curve]
    except (AttributeError, KeyError, TypeError, ValueError):
        raise DamagedFileError(f"{path} is not the record of a run") from None
    if not (_is_number(record.words_per_second) and _is_number(record.training_minutes)):
        raise DamagedFileError(f"{path} is not the record of a run")
    check_file(prediction, known)
    return Measurements(record.words_per_second, record.training_minutes, curve)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
