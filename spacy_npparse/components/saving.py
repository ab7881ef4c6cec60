"""Saving and loading: labels, settings and weights that belong together, or a refusal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Generic, TypeVar

import srsly
from spacy.pipeline import TrainablePipe

from spacy_npparse.components.calibrated_pipe import TEMPERATURES, CalibratedPipe, Temperatures
from spacy_npparse.components.network_pipe import NetT
from spacy_npparse.models.shim import torch_shim

_CFG, _MODEL, _VOCAB = "cfg", "model", "vocab"
_REMEDY = (
    "Copy the whole folder of the pipeline again from where it was trained, with its config.cfg, "
    "or train it again."
)
# What the saved settings of every parser have.
_KEYS: dict[str, type] = {"labels": list, "decorated": list, "system": str}
SavedT = TypeVar("SavedT", bound="SavedPipe[Any]")


class MismatchError(ValueError):
    """A component that cannot be loaded; the message says why, and what to do."""


class SavedPipe(CalibratedPipe[NetT], TrainablePipe, Generic[NetT]):
    """A component that is saved and loaded as a whole.

    The weights are saved with a checksum of the settings: the labels are positions in the output
    layer, and those of another file would be other labels.

    Attributes:
        cfg: What is saved as settings: "labels" and "decorated", see `Labels`; "system"; the
            temperatures; and the fixed settings.
        system_name: Of the component's factory, without `_parser`.
    """

    cfg: dict[str, Any]
    system_name: str
    _fixed: Mapping[str, Any]

    def _net_sizes(self) -> dict[str, int]:
        """Sizes of the network that only this kind of parser has."""
        return {}

    def _settings_loaded(self) -> None:
        """Take over what has been loaded to `cfg`."""

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Save the component.

        Args:
            path: The folder to write.
            exclude: Names of files that are not written.
        """
        self.model.attrs["settings"] = self._checksum()
        super().to_disk(path, exclude=exclude)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize the component.

        Args:
            exclude: Names of parts that are left out.

        Returns:
            What `from_bytes` takes.
        """
        self.model.attrs["settings"] = self._checksum()
        data: bytes = super().to_bytes(exclude=exclude)
        return data

    def from_disk(self: SavedT, path: str | Path, *, exclude: Iterable[str] = ()) -> SavedT:
        """Load the component.

        Args:
            path: The folder of the component.
            exclude: Names of files that are not loaded.

        Returns:
            The component itself.

        Raises:
            ValueError: Naming the folder and what to do, if a file is missing or damaged, belongs
                to a parser with another transition system or other settings, or if the files do
                not belong together.
        """
        exclude = set(exclude)
        with self._loading(str(path)):
            found = [name for name in (_CFG, _MODEL) if Path(path, name).is_file()]
            self._check_files(found, exclude)
            self._forget(exclude)
            # The settings first: the weights of another parser are those of another network.
            super().from_disk(path, exclude=[*exclude, _MODEL])
            self._check_settings()
            super().from_disk(path, exclude=[*exclude, _CFG, _VOCAB])
            self._check_network(exclude)
        return self

    def from_bytes(self: SavedT, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> SavedT:
        """Load the component.

        Args:
            bytes_data: What `to_bytes` returned.
            exclude: Names of parts that are not loaded.

        Returns:
            The component itself.

        Raises:
            ValueError: As `from_disk` does.
        """
        exclude = set(exclude)
        with self._loading(f"{len(bytes_data)} bytes"):
            # Unlike a file, what is not there has been left out by `to_bytes`.
            exclude |= {_CFG, _MODEL}.difference(srsly.msgpack_loads(bytes_data))
            self._forget(exclude)
            super().from_bytes(bytes_data, exclude=[*exclude, _MODEL])
            self._check_settings()
            super().from_bytes(bytes_data, exclude=[*exclude, _CFG, _VOCAB])
            self._check_network(exclude)
        return self

    @contextmanager
    def _loading(self, source: str) -> Iterator[None]:
        where = f"Cannot load component {self.name!r} from {source}"
        try:
            yield
        except MismatchError as error:
            raise ValueError(f"{where}: {error}") from error
        except Exception as error:  # damaged files raise almost any kind
            reason = f"{error}".rstrip(".") or type(error).__name__
            raise ValueError(f"{where}: {reason}. {_REMEDY}") from error

    def _check_files(self, found: Iterable[str], exclude: set[str]) -> None:
        missing = [name for name in (_CFG, _MODEL) if name not in {*found, *exclude}]
        if missing:
            raise MismatchError(f"there is no {' and no '.join(missing)}. {_REMEDY}")

    def _forget(self, exclude: set[str]) -> None:
        """What is not in the parts that are loaded must not remain as it was. The order of the
        settings does, so that saving gives the same bytes."""
        if _CFG not in exclude:
            self.cfg.update(dict.fromkeys(_KEYS))
            # Earlier versions saved none.
            self.temperatures = Temperatures()
        if _MODEL not in exclude:
            self.model.attrs["settings"] = ""

    def _check_settings(self) -> None:
        # Earlier versions may have saved none.
        self.cfg["decorated"] = self.cfg["decorated"] or []
        for key, kind in _KEYS.items():
            if not isinstance(self.cfg.get(key), kind):
                raise MismatchError(f"its cfg has no {key!r}. {_REMEDY}")
        if self.cfg["system"] != self.system_name:
            raise MismatchError(
                f"it was trained as {self.cfg['system']!r} and cannot be used as "
                f"{self.system_name!r}: use the factory {self.cfg['system']}_parser."
            )
        for setting, value in self._fixed.items():
            if self.cfg[setting] != value:
                raise MismatchError(
                    f"it was trained with {setting} = {self.cfg[setting]!r} and cannot be used "
                    f"with {value!r}: change the setting."
                )
        try:
            Temperatures(**self.cfg[TEMPERATURES])
        except (TypeError, ValueError) as error:
            raise MismatchError(f"its cfg has wrong temperatures: {error}. {_REMEDY}") from error
        self._settings_loaded()

    def _check_network(self, exclude: set[str]) -> None:
        shim = torch_shim(self.model, self.net_class)
        if not shim.is_initialized:
            return
        n_labels = len(self.cfg["labels"]) + len(self.cfg["decorated"])
        for size, value in {"n_labels": n_labels, **self._net_sizes()}.items():
            if shim.cfg.get(size, value) != value:
                raise MismatchError(
                    f"its cfg and the factory {self.system_name}_parser ask for a network with "
                    f"{size} = {value}, but that of its model has {shim.cfg[size]}: the files are "
                    f"not of the same training. {_REMEDY}"
                )
        checksum = self.model.attrs["settings"]
        if checksum and not exclude & {_CFG, _MODEL} and checksum != self._checksum():
            raise MismatchError(
                f"its cfg has other labels or settings than its model was saved with. {_REMEDY}"
            )

    def _checksum(self) -> str:
        """Of the settings that the weights depend on."""
        settings = {key: self.cfg[key] for key in (*_KEYS, *self._fixed)}
        return sha256(srsly.json_dumps(settings, sort_keys=True).encode("utf8")).hexdigest()
