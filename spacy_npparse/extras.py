"""Optional libraries, which are not installed with the package."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from spacy_npparse.errors import UserError

# The module for Zstandard, which is part of the standard library from 3.14 on.
ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
PARQUET, RAY, UDTOOLS = "pyarrow.parquet", "ray", "udtools"
STARLETTE, UVICORN = "starlette", "uvicorn"
# The names of modules, libraries and extras.
_EXTRAS = {
    "backports": ("backports.zstd", "corpora"),
    "pyarrow": ("pyarrow", "corpora"),
    "ray": ("ray", "ray"),
    "safetensors": ("safetensors", "encoder"),
    "starlette": ("starlette", "serve"),
    "tokenizers": ("tokenizers", "encoder"),
    "udtools": ("udtools", "validate"),
    "uvicorn": ("uvicorn", "serve"),
}


class MissingExtraError(UserError, ImportError):
    """A library that is not installed. The message has the command that installs it."""


def optional_module(name: str) -> Any:
    """Import a module of an optional library.

    Args:
        name: The name of the module, which begins with that of the library.

    Returns:
        The module.

    Raises:
        MissingExtraError: The library is not installed.
    """
    module = name.partition(".")[0]
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != module:
            raise
        raise _missing(module) from None


def optional_version(module: str) -> str:
    """Find the version of an optional library without importing it.

    Args:
        module: The name of the package.

    Raises:
        MissingExtraError: The library is not installed.
    """
    try:
        return version(_EXTRAS[module][0])
    except PackageNotFoundError:
        raise _missing(module) from None


def _missing(module: str) -> MissingExtraError:
    library, extra = _EXTRAS[module]
    return MissingExtraError(
        f"This needs {library}, which is not installed: python -m pip install "
        f"'spacy-npparse[{extra}]', in a clone '.[{extra}]'."
    )
