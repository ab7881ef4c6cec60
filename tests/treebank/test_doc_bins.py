"""Files of spaCy's binary format that are written and read Doc by Doc."""

import errno
import io
import tempfile

import pytest
import spacy
from parser_helpers import SAMPLE
from spacy.tokens import Doc, DocBin, Span
from spacy.vocab import Vocab

from spacy_npparse.files import WriteError
from spacy_npparse.treebank import doc_bins, docs_from_conllu
from spacy_npparse.treebank.doc_bins import ATTRIBUTES, DocBinReader, DocBinWriter


def odd_docs():
    """Return a Doc with all parts of the format besides tokens, and Docs without them."""
    doc = spacy.blank("xx")("Ann saw  Bob")
    doc.cats = {"x": 0.5}
    doc.spans["names"] = [Span(doc, 0, 1, label="PER")]
    doc.user_data["n"] = 300 * "long "
    unknown = Doc(Vocab(), ["no", "spaces"])
    return [doc, Doc(Vocab()), unknown]


@pytest.mark.parametrize("source", [lambda: docs_from_conllu(SAMPLE, Vocab()), odd_docs, list])
def test_files_and_docs_are_those_of_spacy(source, tmp_path):
    doc_bin = DocBin(attrs=ATTRIBUTES, store_user_data=True, docs=source())
    file = io.BytesIO()
    writer = DocBinWriter(file)
    for doc in source():
        writer.add(doc)
    writer.close()
    assert file.getvalue() == doc_bin.to_bytes()
    path = tmp_path / "docs.spacy"
    path.write_bytes(file.getvalue())
    reader = DocBinReader(path)
    expected = list(doc_bin.get_docs(Vocab()))
    found = list(reader.docs(Vocab()))
    assert [doc.to_bytes() for doc in found] == [doc.to_bytes() for doc in expected]
    assert reader.n_docs == writer.n_docs == len(expected)
    assert reader.n_tokens == writer.n_tokens == sum(map(len, expected))


def test_a_full_disk_for_temporary_files_is_named(monkeypatch):
    class Full(io.BytesIO):
        def __init__(self, _):
            super().__init__()

        def write(self, data):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(doc_bins, "SpooledTemporaryFile", Full)
    with pytest.raises(WriteError, match=f"{tempfile.gettempdir()}: cannot be written: No space"):
        DocBinWriter(io.BytesIO()).add(odd_docs()[0])


def test_other_attributes_and_earlier_files(tmp_path):
    (doc,) = DocBin(attrs=["LEMMA"], docs=odd_docs()[:1]).get_docs(Vocab())
    DocBin(attrs=["LEMMA"], docs=[doc]).to_disk(tmp_path / "docs.spacy")
    (found,) = DocBinReader(tmp_path / "docs.spacy").docs(Vocab())
    assert found.text == doc.text and "n" not in found.user_data
