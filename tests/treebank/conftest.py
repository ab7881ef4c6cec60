import pytest
from awkward_treebank import AWKWARD
from spacy.vocab import Vocab


@pytest.fixture
def awkward(tmp_path):
    """A file with most of what the format allows; the second document has several roots."""
    path = tmp_path / "awkward.conllu"
    path.write_bytes(AWKWARD.encode())
    return path


@pytest.fixture
def vocab():
    return Vocab()
