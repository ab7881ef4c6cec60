import pytest
from awkward_treebank import AWKWARD
from spacy.vocab import Vocab


@pytest.fixture
def awkward(tmp_path):
    """Write a file that uses most features of CoNLL-U. Its last sentence has several roots."""
    path = tmp_path / "awkward.conllu"
    path.write_bytes(AWKWARD.encode())
    return path


@pytest.fixture
def vocab():
    return Vocab()
