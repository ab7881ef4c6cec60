"""Experiments: parsers trained on one treebank under one budget, and measured on another."""

from .contestants import Contestant, Task
from .experiment import Experiment, ExperimentMismatchError, FailedRun
from .names import contestant, trainable_parsers

__all__ = [
    "Contestant",
    "Experiment",
    "ExperimentMismatchError",
    "FailedRun",
    "Task",
    "contestant",
    "trainable_parsers",
]
