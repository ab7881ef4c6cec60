"""Compile the system against the declarations of spacy_npparse."""

from Cython.Build import cythonize
from setuptools import Extension, setup

import spacy_npparse

system = Extension("attardi_hybrid.system", ["attardi_hybrid/system.pyx"], language="c++")
setup(
    ext_modules=cythonize(
        [system],
        include_path=[spacy_npparse.get_include()],
        compiler_directives={"language_level": 3},
    )
)
