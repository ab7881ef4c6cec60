"""Notes of the texts that are being annotated, which the next process reads after a kill."""

import pytest
from small_corpora import Killed

from spacy_npparse.scaling.attempts import Attempt, DeadlyTextError, killed_with


@pytest.fixture
def note(tmp_path):
    return tmp_path / "notes" / "0.attempt"


def attempt(note, *batches, end=Killed):
    """Make an attempt that ends in the last of these batches."""
    begun = Attempt(note)
    for batch in batches[:-1]:
        with begun.watching(batch):
            pass
    with pytest.raises(end), begun.watching(batches[-1]):
        raise end


def test_first_together_then_alone_then_not_at_all(note):
    for _ in range(2):
        attempt(note, [0, 1], [2, 3, 4])
    with pytest.raises(DeadlyTextError), Attempt(note).watching([1, 2]):
        pass
    for _ in range(2):
        attempt(note, [0, 1], [2], [3])
    with (
        pytest.raises(DeadlyTextError, match="tried to annotate it was killed"),
        Attempt(note).watching([3]),
    ):
        pass
    attempt(note, [0, 1], [2], [4])
    assert killed_with(note) == {2: 2, 3: 4, 4: 3}
    Attempt(note).finish()
    assert not killed_with(note) and not note.exists()


@pytest.mark.parametrize("end", [KeyError, KeyboardInterrupt])
def test_who_ends_otherwise_blames_nobody(note, end):
    attempt(note, [0, 1])
    for _ in range(3):
        attempt(note, [2], [0, 1], end=end)
    assert killed_with(note) == {0: 1, 1: 1}
