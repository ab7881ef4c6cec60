"""Work on more than one process: workers, and their clean end. Knows nothing of parsing."""

from spacy_npparse.scaling.termination import cleaning_up_on_termination
from spacy_npparse.scaling.workers import LostProcessError, Workers

__all__ = ["LostProcessError", "Workers", "cleaning_up_on_termination"]
