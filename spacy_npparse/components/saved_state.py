"""The saved state of a component: labels, settings and weights that must fit together."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import srsly

from spacy_npparse.errors import REMEDY_FOR_FILES, MismatchError
from spacy_npparse.parsing import Temperatures
from spacy_npparse.trees.label_rules import LabelRule, read_rules
from spacy_npparse.trees.pseudo_projective import Decorated

CFG, MODEL, VOCAB = "cfg", "model", "vocab"


@dataclass(frozen=True)
class SavedState:
    """Everything that is saved of a component except its weights.

    The weights are saved with a checksum of the settings and labels, because labels are positions
    in the output layer.

    Attributes:
        labels: The plain labels, see `Labels`.
        decorated: The decorated labels, see `Labels`.
        system: The name of the component's factory, without `_parser`.
        settings: The settings, by name, that the weights depend on.
        temperatures: The temperatures of the probabilities, on which trees do not depend.
        encoder: The checksum of the shared encoders that the component was trained with, empty if
            there are none; see `SharedEncoders`.
        label_rules: The label rules.
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
        """The checksum of everything that the weights depend on."""
        settings = self._required()
        return sha256(srsly.json_dumps(settings, sort_keys=True).encode("utf8")).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """Convert the state to the content of the component's file."""
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
            data: The content that `to_json` returned, in this or an earlier version.
            expected: The state of the component that loads it.

        Returns:
            The state.

        Raises:
            MismatchError: Something is missing, or the state belongs to a component with another
                factory or other settings.
        """
        # Earlier versions did not save all of these.
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


def check_files(folder: Path, exclude: Collection[str]) -> None:
    """Check that the files of a component exist.

    Args:
        folder: The folder of the component.
        exclude: The names of files that are not needed.

    Raises:
        MismatchError: A file is missing.
    """
    missing = [
        name for name in (CFG, MODEL) if name not in exclude and not (folder / name).is_file()
    ]
    if missing:
        raise MismatchError(f"there is no {' and no '.join(missing)}. {REMEDY_FOR_FILES}")
