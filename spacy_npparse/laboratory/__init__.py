"""Experiments: parsers trained on one treebank under one budget, and measured on another."""

from spacy_npparse.laboratory.contestants import Contestant, Task
from spacy_npparse.laboratory.experiment import Experiment, ExperimentMismatchError, FailedRun
from spacy_npparse.laboratory.names import contestant, trainable_parsers

__all__ = [
    "Contestant",
    "Experiment",
    "ExperimentMismatchError",
    "FailedRun",
    "Task",
    "contestant",
    "trainable_parsers",
]
