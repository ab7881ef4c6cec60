"""Build sdist and wheel from a clean clone, and use them as users would: `make wheel-test`.

The wheel is installed in a new environment, where the user-facing tests run from an empty folder.
Then the clone itself is installed with `-e`, as the README says, and runs its commands.
Dependencies are those of the running interpreter; nothing is downloaded.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "helpers"))

from fresh_venv import FreshVenv  # noqa: E402

USER_FACING = ("cli", "laboratory", "project")
SMALL = "--vars.config configs/fast.cfg --vars.sample_steps 3"


def main() -> None:
    """Build, install and test; end with an error at the first failure."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        clone, dist, empty = folder / "clone", folder / "dist", folder / "empty"
        empty.mkdir()
        call("git", "clone", "--quiet", ROOT, clone)
        call(sys.executable, "-m", "build", "--no-isolation", "--outdir", dist, clone)
        [wheel] = dist.glob("*.whl")
        [sdist] = dist.glob("*.tar.gz")
        print(f"\nBuilt {sdist.name} ({sdist.stat().st_size:,} bytes)")
        print(f"and {wheel.name} ({wheel.stat().st_size:,} bytes).\n", flush=True)

        environment = FreshVenv(folder / "installed")
        pip = "python -m pip --quiet install --no-deps --ignore-installed"
        environment.run(f"{pip} --no-index {wheel}", cwd=empty)
        tests = " ".join(str(clone / "tests" / name) for name in USER_FACING)
        # What is compared there with the sources is the wheel of this environment.
        options = f"-q -p no:cacheprovider --ignore {clone / 'tests' / 'project' / 'test_wheel.py'}"
        show(environment, f"python -m pytest {tests} {options}", empty)
        show(environment, "npparse --version", clone)

        editable = FreshVenv(folder / "editable")
        editable.run(f"{pip} --no-build-isolation -e .", cwd=clone)
        show(editable, "python -m spacy_npparse --version", clone)
        show(editable, f"python -m spacy project run sample . {SMALL}", clone)


def call(*command: object) -> None:
    """Run a command whose output is not interesting."""
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)


def show(environment: FreshVenv, command: str, cwd: Path) -> None:
    """Run a command in an environment and print the end of its output."""
    print(f"$ {command}   (in {cwd.name})", flush=True)
    output = environment.run(command, cwd=cwd).stdout
    print("\n".join(output.rstrip().splitlines()[-5:]), "\n", flush=True)


if __name__ == "__main__":
    main()
