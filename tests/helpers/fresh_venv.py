"""New virtual environments that see the dependencies of the running interpreter."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path


class FreshVenv:
    """A virtual environment with nothing installed, and a way to run commands in it."""

    def __init__(self, folder: Path, visible: Sequence[Path] = ()) -> None:
        """Create the environment.

        Args:
            folder: The folder to create.
            visible: Folders to put on its path, besides the running interpreter's site-packages.
        """
        venv.create(folder)
        self.bin = folder / ("Scripts" if os.name == "nt" else "bin")
        site = [path for path in sys.path if Path(path).name == "site-packages"]
        # .pth files append to the path, so packages installed in the environment come first.
        [own] = folder.glob("[Ll]ib/**/site-packages")
        (own / "dependencies.pth").write_text("".join(f"{path}\n" for path in [*visible, *site]))

    def run(
        self, *command: object, cwd: Path, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Run a command, or a line of shell, with the environment activated.

        Args:
            command: Program and arguments, or one string for the shell.
            cwd: The working directory.
            check: Whether the command has to succeed.

        Returns:
            The completed process.
        """
        environment = {**os.environ, "PATH": f"{self.bin}{os.pathsep}{os.environ['PATH']}"}
        environment.pop("PYTHONPATH", None)
        shell = len(command) == 1
        arguments = str(command[0]) if shell else list(map(str, command))
        result = subprocess.run(
            arguments, cwd=cwd, env=environment, shell=shell, capture_output=True, text=True
        )
        if check:
            assert result.returncode == 0, f"{arguments}\n{result.stdout}{result.stderr}"
        return result
