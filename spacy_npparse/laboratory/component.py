"""Parsers of this package and its extensions, as components of a training config's pipeline."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import spacy
from spacy.util import dot_to_dict, load_config
from thinc.api import Config, ConfigValidationError

from spacy_npparse.laboratory.contestants import Task
from spacy_npparse.laboratory.pipeline import TrainedPipeline
from spacy_npparse.parsing.settings import MAX_VIOLATION

# The name of the component that is replaced in a config.
COMPONENT = "parser"
_DECODER = "decoder."


@dataclass(frozen=True)
class ComponentPipeline(TrainedPipeline):
    """A parser and settings of its component; see `contestant`.

    Parsers with different settings of the decoder share a model, unless the loss makes these
    settings part of the training.

    Attributes:
        name: The factory without `_parser`, and settings: "attardi,decoder.beam_width=4".
    """

    name: str
    is_peer = False

    @property
    def model_name(self) -> str:
        return ",".join([self._system, *(f"{n}={v}" for n, v in self._trained_settings())])

    def config(self, task: Task) -> Config:
        config = load_config(task.config, interpolate=False)
        component = config.get("components", {}).get(COMPONENT)
        if component is None:
            raise ValueError(
                f"{task.config}: there is no component {COMPONENT!r} to replace. Give a config "
                "like those of `npparse init-config`."
            )
        missing = [name for name in ("paths", "system", "training") if name not in config]
        if missing:
            raise ValueError(f"{task.config}: there is no section [{missing[0]}]. Add it.")
        if component.get("loss") == MAX_VIOLATION:
            raise ValueError(
                f"{task.config}: with the loss {MAX_VIOLATION} the decoder is part of training. "
                f"Give it with the parser instead: {self._system},loss={MAX_VIOLATION}."
            )
        drop_defaults(component)
        component["factory"] = f"{self._system}_parser"
        for name, value in self._trained_settings():
            *sections, key = name.split(".")
            place = component
            for section in sections:
                place = place.setdefault(section, {})
                if not isinstance(place, dict):
                    raise ValueError(
                        f"{self.name!r}: the setting {section} has no settings of its own. "
                        f"Give {section}=VALUE."
                    )
            place[key] = _parsed(value)
        return config

    def check(self, task: Task) -> None:
        config = self.config(task).merge(dot_to_dict(self.overrides())).interpolate()
        component = config["components"][COMPONENT]
        factory = component.pop("factory")
        try:
            spacy.blank("xx").add_pipe(factory, config=component)
        except ConfigValidationError as error:
            reasons = "; ".join(
                f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors
            )
            raise ValueError(
                f"{self.name!r}: {reasons}. Give settings of {factory} or of its model."
            ) from error

    def overrides(self) -> dict[str, Any]:
        kept = dict(self._trained_settings())
        return {
            f"components.{COMPONENT}.{name}": _parsed(value)
            for name, value in self._settings()
            if name not in kept
        }

    @property
    def _system(self) -> str:
        return self.name.split(",")[0]

    def _settings(self) -> list[tuple[str, str]]:
        pairs = [setting.partition("=") for setting in self.name.split(",")[1:]]
        return [(name, value) for name, _, value in pairs]

    def _trained_settings(self) -> list[tuple[str, str]]:
        settings = self._settings()
        if ("loss", MAX_VIOLATION) in settings:
            return settings
        return [(name, value) for name, value in settings if not name.startswith(_DECODER)]


def drop_defaults(component: dict[str, Any]) -> None:
    """Remove the settings that equal the factory's defaults, because another factory has other
    settings and defaults.

    Args:
        component: The section of a component in a config, which is changed except for its model.
    """
    factory = component.get("factory")
    nlp = spacy.blank("xx")
    if factory in nlp.factory_names:
        defaults = nlp.get_factory_meta(factory).default_config or {}
        for name, default in defaults.items():
            if name in component and name != "model" and component[name] == default:
                del component[name]


def _parsed(value: str) -> Any:
    """Parse the value of a setting as `spacy train` does on the command line."""
    try:
        return json.loads(value)
    except ValueError:
        return value
