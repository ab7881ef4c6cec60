"""Non-projective, transition-based dependency parsing for spaCy."""

from spacy_npparse.transitions import get_transition_system

__version__ = "0.1.0"
__all__ = ["get_transition_system"]
