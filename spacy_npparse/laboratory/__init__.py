"""Experiments: training configs, and parsers trained under one budget and compared."""

from spacy_npparse.laboratory.code import CodeError, import_code
from spacy_npparse.laboratory.configs import complete_config, config_path
from spacy_npparse.laboratory.contestants import Contestant, Task
from spacy_npparse.laboratory.experiment import (
    Experiment,
    ExperimentMismatchError,
    FolderInUseError,
)
from spacy_npparse.laboratory.names import contestant, trainable_parsers
from spacy_npparse.laboratory.runs import Run
from spacy_npparse.laboratory.schedule import complete_runs

__all__ = [
    "CodeError",
    "Contestant",
    "Experiment",
    "ExperimentMismatchError",
    "FolderInUseError",
    "Run",
    "Task",
    "complete_config",
    "complete_runs",
    "config_path",
    "contestant",
    "import_code",
    "trainable_parsers",
]
