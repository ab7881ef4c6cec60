"""Locks, notes and records in folders of work that can be interrupted."""

import os
import subprocess
import sys

import pytest

from spacy_npparse.files import checksum
from spacy_npparse.workfolder import (
    DamagedFileError,
    FolderMismatchError,
    check_file,
    check_same,
    claim,
    read_json,
    waiting_for,
    write_json,
)

HOLDER = """
import sys, time
from pathlib import Path
from spacy_npparse.workfolder import claim
claimed = claim(Path(sys.argv[1]))
print("claimed", flush=True)
time.sleep(1000)
"""


def test_what_is_claimed_is_free_again_when_its_process_is_killed(tmp_path):
    lock = tmp_path / "locks" / "one"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, lock],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout.readline() == b"claimed\n"
        assert claim(lock) is None
        other = claim(lock.with_name("other"))
        holder.kill()
    assert claim(lock) is not None
    assert claim(lock.with_name("other")) is None
    other.release()
    with waiting_for(lock.with_name("other")):
        assert claim(lock.with_name("other")) is None
    assert claim(lock.with_name("other")) is not None


def test_what_differs_is_named(tmp_path):
    known = {"updates": 5, "code": None, "seed": 1}
    check_same(known, {"updates": 5, "new": None}, tmp_path)
    with pytest.raises(FolderMismatchError) as caught:
        check_same(known, {"updates": 6, "code": "ab", "seed": 1}, tmp_path)
    assert str(caught.value) == (
        f"{tmp_path} was started with other settings (updates: 5 before, 6 now; code: None before, "
        "ab now). Give the same ones, or another folder."
    )


def test_records(tmp_path):
    path = tmp_path / "records" / "a.json"
    with pytest.raises(DamagedFileError, match=r"a\.json is missing"):
        read_json(path)
    write_json({"ä": [1, None]}, path)
    assert read_json(path) == {"ä": [1, None]}
    for damaged in (b"", b"{", b"\xff"):
        path.write_bytes(damaged)
        with pytest.raises(DamagedFileError, match=r"a\.json cannot be read"):
            read_json(path)


def test_files_are_compared_with_their_checksums(tmp_path):
    path = tmp_path / "a"
    path.write_text("one")
    known = checksum(path)
    check_file(path, known)
    path.write_text("two")
    with pytest.raises(DamagedFileError, match="a has changed since it was written"):
        check_file(path, known)
    path.unlink()
    with pytest.raises(DamagedFileError, match="a is missing"):
        check_file(path, known)
