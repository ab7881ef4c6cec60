"""Experiments: training configs, and parsers that are trained under one budget and compared."""

from spacy_npparse.laboratory.bare_parser import BareParser
from spacy_npparse.laboratory.commands import FailedCommandError
from spacy_npparse.laboratory.configs import complete_config, config_path
from spacy_npparse.laboratory.contestants import Contestant, Task
from spacy_npparse.laboratory.contradictions import contradictions_by_fold
from spacy_npparse.laboratory.experiment import Experiment
from spacy_npparse.laboratory.names import contestant, trainable_parsers
from spacy_npparse.laboratory.runs import Run
from spacy_npparse.laboratory.schedule import complete_runs

__all__ = [
    "BareParser",
    "Contestant",
    "Experiment",
    "FailedCommandError",
    "Run",
    "Task",
    "complete_config",
    "complete_runs",
    "config_path",
    "contestant",
    "contradictions_by_fold",
    "trainable_parsers",
]
