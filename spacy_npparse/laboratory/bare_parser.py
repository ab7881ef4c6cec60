"""Parsers without the rest of a pipeline, which train faster, for sentences with given words."""

from __future__ import annotations

from dataclasses import dataclass

from thinc.api import Config

from spacy_npparse.laboratory.component import COMPONENT, ComponentPipeline
from spacy_npparse.laboratory.contestants import Task

# The components that others listen to.
_ENCODERS = ("tok2vec", "transformer")
_TOKENIZER = {"@tokenizers": "spacy.Tokenizer.v1"}


@dataclass(frozen=True)
class BareParser(ComponentPipeline):
    """A parser with its encoder, but without a trained tokenizer or taggers."""

    def config(self, task: Task) -> Config:
        config = super().config(task)
        kept = [
            name
            for name in config["nlp"]["pipeline"]
            if name == COMPONENT or config["components"][name]["factory"] in _ENCODERS
        ]
        config["nlp"]["pipeline"] = kept
        config["components"] = {name: config["components"][name] for name in kept}
        config["nlp"]["tokenizer"] = _TOKENIZER
        initialize = config.get("initialize", {})
        initialize["tokenizer"] = {}
        initialize["components"] = {
            name: values
            for name, values in initialize.get("components", {}).items()
            if name in kept
        }
        config["training"]["score_weights"] = {"dep_las": 1.0}
        return config
