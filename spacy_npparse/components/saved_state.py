"""The saved state of a component: labels, settings and weights that belong together, or a
refusal."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import srsly

from spacy_npparse.parsing import Temperatures
from spacy_npparse.trees.label_rules import LabelRule, read_rules
from spacy_npparse.trees.pseudo_projective import Decorated

CFG, MODEL, VOCAB = "cfg", "model", "vocab"
REMEDY_FOR_FILES = (
    "Copy the whole folder of the pipeline again from where it was trained, with its config.cfg, "
    "or train it again."
)


class MismatchError(ValueError):
    """A component that cannot be loaded; the message says why, and what to do."""


@dataclass(frozen=True)
class SavedState:
    """What is saved of a component beside its weights.

    The weights are saved with a checksum of the settings: the labels are positions in the output
    layer, and those of another file would be other labels.

    Attributes:
        labels: See `Labels`.
        decorated: Likewise.
        system: Of the component's factory, without `_parser`.
        settings: Those, by name, that a trained model cannot be loaded without.
        temperatures: What scores are divided by before they become probabilities; no tree depends
            on them.
        encoder: Checksum of the shared encoders that the component was trained with, empty for
            none; see `SharedEncoders`.
        label_rules: The rules that labels keep.
    """

    labels: list[str]
    decorated: list[Decorated]
    system: str
    settings: Mapping[str, Any]
    temperatures: Temperatures = field(default_factory=Temperatures)
    encoder: str = ""
    label_rules: tuple[LabelRule, ...] = ()

    @property
    def checksum(self) -> str:
        """Of what the weights depend on."""
        settings = self._required()
        return sha256(srsly.json_dumps(settings, sort_keys=True).encode("utf8")).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """The state as the file of the component has it."""
        return {
            **self._required(),
            "temperatures": asdict(self.temperatures),
            "encoder": self.encoder,
            "label_rules": [rule.to_json() for rule in self.label_rules],
        }

    def _required(self) -> dict[str, Any]:
        decorated = [list(map(int, label)) for label in self.decorated]
        return {
            "labels": self.labels,
            "system": self.system,
            "decorated": decorated,
            **self.settings,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any], expected: SavedState) -> SavedState:
        """Read a saved state.

        Args:
            data: What `to_json` has returned, in this or an earlier version.
            expected: The state of the component that it is loaded into.

        Returns:
            The state.

        Raises:
            MismatchError: If something is missing, or if it is that of a component with another
                factory or other settings.
        """
        # Earlier versions may have saved none.
        data = {
            "temperatures": {},
            "label_rules": [],
            **data,
            "decorated": data.get("decorated") or [],
        }
        for key, kind in {"labels": list, "decorated": list, "system": str}.items():
            if not isinstance(data.get(key), kind):
                raise MismatchError(f"its cfg has no {key!r}. {REMEDY_FOR_FILES}")
        if data["system"] != expected.system:
            raise MismatchError(
                f"it was trained as {data['system']!r} and cannot be used as "
                f"{expected.system!r}: use the factory {data['system']}_parser."
            )
        for setting, value in expected.settings.items():
            if setting in data and data[setting] != value:
                raise MismatchError(
                    f"it was trained with {setting} = {data[setting]!r} and cannot be used "
                    f"with {value!r}: change the setting."
                )
        try:
            temperatures = Temperatures(**data["temperatures"])
        except (TypeError, ValueError) as error:
            raise MismatchError(
                f"its cfg has wrong temperatures: {error}. {REMEDY_FOR_FILES}"
            ) from error
        decorated = [
            Decorated(label, bool(lifted), head_label, bool(passed))
            for label, lifted, head_label, passed in data["decorated"]
        ]
        try:
            rules = read_rules("label_rules", data["label_rules"])
        except ValueError as error:
            raise MismatchError(f"its cfg has wrong rules: {error} {REMEDY_FOR_FILES}") from error
        return cls(
            data["labels"],
            decorated,
            data["system"],
            expected.settings,
            temperatures,
            str(data.get("encoder", "")),
            tuple(rules),
        )


@contextmanager
def loading(name: str, source: str) -> Iterator[None]:
    """Tell which component cannot be loaded, from where, and what to do.

    Args:
        name: Of the component.
        source: What it is loaded from.

    Raises:
        ValueError: Instead of any exception.
    """
    where = f"Cannot load component {name!r} from {source}"
    try:
        yield
    except MismatchError as error:
        raise ValueError(f"{where}: {error}") from error
    except Exception as error:  # damaged files raise almost any kind
        reason = f"{error}".rstrip(".") or type(error).__name__
        raise ValueError(f"{where}: {reason}. {REMEDY_FOR_FILES}") from error


def check_files(folder: Path, exclude: Collection[str]) -> None:
    """Check that the files of a component are there.

    Args:
        folder: Of the component.
        exclude: Names of files that are not needed.

    Raises:
        MismatchError: If one is missing.
    """
    missing = [
        name for name in (CFG, MODEL) if name not in exclude and not (folder / name).is_file()
    ]
    if missing:
        raise MismatchError(f"there is no {' and no '.join(missing)}. {REMEDY_FOR_FILES}")
