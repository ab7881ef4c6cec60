"""A folder whose work can be interrupted: its locks, the note of its settings, and the records of
finished work. All files are written atomically."""

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
