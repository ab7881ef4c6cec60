"""Non-projective, transition-based dependency parsing for spaCy."""

from pathlib import Path

from spacy_npparse.systems import get_transition_system

__version__ = "0.1.0"
__all__ = ["get_include", "get_transition_system"]


def get_include() -> str:
    """The folder in which Cython finds this package's declarations: an `include_path` of
    `cythonize` for packages that add a transition system."""
    return str(Path(__file__).resolve().parents[1])
