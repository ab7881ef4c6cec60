"""Non-projective dependency parsing for spaCy."""

from pathlib import Path

_FOLDER = Path(__file__).resolve().parents[1]

try:
    from spacy_npparse.systems import get_transition_system
except ModuleNotFoundError as error:
    # A clone whose extension modules have not been built hides an installed package.
    if not _FOLDER.joinpath(*(error.name or "").split(".")).with_suffix(".pyx").is_file():
        raise
    raise ImportError(
        f"The Cython modules of spacy_npparse in {_FOLDER} are not compiled (no {error.name}): "
        "run `pip install -e .` there, or, if the package is installed, work in another folder."
    ) from None

__version__ = "0.3.0"
__all__ = ["get_include", "get_transition_system"]


def get_include() -> str:
    """The folder with this package's Cython declarations.

    Returns:
        An `include_path` of `cythonize`, for packages that add a transition system.
    """
    return str(_FOLDER)
