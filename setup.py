"""Compile the Cython kernel; everything else about the package is in pyproject.toml."""

import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

# Without traps GCC makes vectors of choices between numbers; the results are the same.
OPTIMISE = ["/O2"] if sys.platform == "win32" else ["-O3", "-fno-trapping-math"]
DIRECTIVES = {"language_level": 3, "boundscheck": False, "wraparound": False, "cdivision": True}

modules = [
    Extension(
        ".".join(source.with_suffix("").parts),
        [source.as_posix()],
        # Cython finds the headers that a module includes, but not what these include.
        depends=[path.as_posix() for room in source.parents[:2] for path in room.glob("*.h")],
        extra_compile_args=OPTIMISE,
    )
    for source in sorted(Path("spacy_npparse").rglob("*.pyx"))
]
for module in modules:
    module.language = "c++"

setup(
    ext_modules=cythonize(modules, build_dir="build/cython", compiler_directives=DIRECTIVES),
    options={"build_ext": {"parallel": True}},
)
