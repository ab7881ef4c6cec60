"""A folder whose work can be interrupted: its locks, the note of what it was begun with, and the
records of what is finished. All is written atomically."""

from spacy_npparse.workfolder.locks import FolderInUseError, claim, waiting_for
from spacy_npparse.workfolder.notes import FolderMismatchError, check_same
from spacy_npparse.workfolder.records import (
    DamagedFileError,
    check_file,
    read_json,
    write_json,
)

__all__ = [
    "DamagedFileError",
    "FolderInUseError",
    "FolderMismatchError",
    "check_file",
    "check_same",
    "claim",
    "read_json",
    "waiting_for",
    "write_json",
]
