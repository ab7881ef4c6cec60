"""The versions that constraints.txt pins."""

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
OLDEST = "3.10"


def pins():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if not line.startswith("#")]


@pytest.mark.parametrize("pin", pins(), ids=str)
def test_pins_are_for_all_pythons_that_are_supported(pin):
    """A pin for later versions of Python only says so in a marker."""
    try:
        known = distribution(pin.name)
    except PackageNotFoundError:
        pytest.skip("not installed here")
    if not pin.specifier.contains(known.version):
        pytest.skip("another version is installed here")
    needed = Requirement(f"python{known.metadata['Requires-Python'] or ''}").specifier
    marker = pin.marker
    applies = marker is None or marker.evaluate({"python_version": OLDEST})
    assert needed.contains(f"{OLDEST}.0") or not applies
