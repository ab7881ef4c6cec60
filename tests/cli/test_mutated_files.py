"""Commands read mutated files completely, or name the file, the line or Doc, and the remedy."""

import re
import zlib
from pathlib import Path

import pytest
import spacy
import srsly
from awkward_treebank import AWKWARD
from mutations import OF_BYTES, OF_CONLLU, change_annotation
from spacy.tokens import DocBin
from spacy.vocab import Vocab
from treebank_checks import check_treebank

from spacy_npparse.cli import parse as parse_command
from spacy_npparse.treebank import docs_from_conllu, read_conllu

pytestmark = pytest.mark.fuzz


@pytest.fixture(scope="module")
def nlp(model):
    return spacy.load(model)


@pytest.fixture(scope="module")
def treebanks(dev):
    """Return two valid files: most of what the format allows, and two sentences of a treebank."""
    sentences = [str(sentence) for sentence in read_conllu(dev)]
    return [AWKWARD.encode(), "".join(f"{text}\n\n" for text in sentences[1:3]).encode()]


def check_result(result, path):
    """Check that the command succeeded, or failed with a message that names file and remedy."""
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    if result.exit_code:
        assert result.exit_code == 1 and f"✘ {path}" in result.output, result.output
        assert re.search(r"\. [A-Z].*\.$", result.output.strip(), re.DOTALL), result.output


@pytest.mark.parametrize("mutation", OF_CONLLU, ids=lambda mutation: mutation.__name__)
def test_treebanks(mutation, fuzz, treebanks, tmp_path, monkeypatch, run, nlp):
    monkeypatch.setattr(parse_command, "load_parser", lambda *arguments: nlp)
    path, binary, back = (tmp_path / name for name in ("in.conllu", "in.spacy", "back.conllu"))

    def test(random):
        path.write_bytes(mutation(random.choice(treebanks), random))
        error = check_treebank(path, nlp)
        for command in (["convert", path, binary], ["parse", "model", path, back]):
            result = run(*command)
            check_result(result, path)
            assert (result.exit_code == 1) == (error is not None)
            assert error is None or str(error) in result.output
        if error is not None:
            return "refused"
        assert run("convert", binary, back).exit_code == 0
        assert b"".join(f"{s}\n\n".encode() for s in read_conllu(path)) == back.read_bytes()
        return (
            "read" if back.read_bytes() == path.read_bytes() else "read with normalised blank lines"
        )

    fuzz(f"CoNLL-U: {mutation.__name__.replace('_', ' ')}", 4, test)


@pytest.fixture(scope="module")
def doc_bin(tmp_path_factory):
    """Return the bytes of a .spacy file."""
    path = tmp_path_factory.mktemp("doc_bin") / "in.conllu"
    path.write_text(AWKWARD, encoding="utf-8")
    attributes = ["ORTH", "TAG", "POS", "MORPH", "LEMMA", "HEAD", "DEP", "SENT_START"]
    docs = docs_from_conllu(path, Vocab())
    return DocBin(attrs=attributes, store_user_data=True, docs=docs).to_bytes()


def mutate_content(data, random):
    """Mutate the uncompressed bytes, so that the checksum does not reveal the change."""
    return zlib.compress(random.choice(OF_BYTES)(zlib.decompress(data), random))


def mutate_annotation(data, random):
    """Change values in the annotation of tokens."""
    content = srsly.msgpack_loads(zlib.decompress(data))
    content["tokens"] = change_annotation(content["tokens"], random)
    return zlib.compress(srsly.msgpack_dumps(content))


def mutate_bytes(data, random):
    """Mutate the bytes of the compressed file."""
    return random.choice(OF_BYTES)(data, random)


@pytest.mark.parametrize(
    "mutate, subject",
    [
        (mutate_bytes, ".spacy: bytes"),
        (mutate_content, ".spacy: uncompressed bytes"),
        (mutate_annotation, ".spacy: annotation"),
    ],
)
def test_doc_bins(mutate, subject, fuzz, doc_bin, tmp_path, run):
    path, target = tmp_path / "in.spacy", tmp_path / "out.conllu"

    def test(random):
        path.write_bytes(mutate(doc_bin, random))
        Path(target).unlink(missing_ok=True)
        result = run("convert", path, target)
        check_result(result, path)
        assert target.exists() == (result.exit_code == 0)
        if result.exit_code:
            return "refused"
        list(read_conllu(target))
        return "read"

    fuzz(subject, 15, test)
