"""Experiments: parsers trained on one treebank under one budget, and measured on another."""

from .contestants import Contestant, Task, contestant, trainable_parsers
from .experiment import Experiment, ExperimentMismatchError, FailedRun

__all__ = [
    "Contestant",
    "Experiment",
    "ExperimentMismatchError",
    "FailedRun",
    "Task",
    "contestant",
    "trainable_parsers",
]
