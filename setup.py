"""Compile the Cython modules and add the configs; all else is in pyproject.toml."""

import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_py import build_py

# Without -fno-trapping-math GCC does not vectorise selections; the results are the same. Debugging
# information, which most builds of Python ask for (-g), would take most of the size of a wheel.
OPTIMISE = ["/O2"] if sys.platform == "win32" else ["-O3", "-fno-trapping-math", "-g0"]
DIRECTIVES = {"language_level": 3, "boundscheck": False, "wraparound": False, "cdivision": True}


class BuildWithConfigs(build_py):
    """A build whose package has the configs of the top-level folder, where clones read them."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            for source, target in self._configs():
                self.mkpath(str(Path(target).parent))
                self.copy_file(source, target)

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        outputs = super().get_outputs(include_bytecode)
        return outputs + ([] if self.editable_mode else [target for _, target in self._configs()])

    def get_source_files(self) -> list[str]:
        return super().get_source_files() + [source for source, _ in self._configs()]

    def _configs(self) -> list[tuple[str, str]]:
        folder = Path(self.build_lib, "spacy_npparse", "configs")
        sources = sorted(Path("configs").glob("*.cfg"))
        return [(str(source), str(folder / source.name)) for source in sources]


modules = [
    Extension(
        ".".join(source.with_suffix("").parts),
        [source.as_posix()],
        # Cython finds the headers that a module includes, but not what these include.
        depends=[path.as_posix() for room in source.parents[:2] for path in room.glob("*.h")],
        language="c++",
        extra_compile_args=OPTIMISE,
    )
    for source in sorted(Path("spacy_npparse").rglob("*.pyx"))
]

setup(
    cmdclass={"build_py": BuildWithConfigs},
    ext_modules=cythonize(modules, build_dir="build/cython", compiler_directives=DIRECTIVES),
    options={"build_ext": {"parallel": True}},
)
