"""A pipeline with a damaged file is refused by name, or gives valid trees."""

import pytest
import spacy
from mutations import OF_BYTES

from spacy_npparse.treebank import read_conllu

pytestmark = pytest.mark.fuzz


def files_of(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)


@pytest.fixture
def treebank(dev, tmp_path):
    path = tmp_path / "in.conllu"
    sentences = [str(sentence) for sentence in read_conllu(dev)][:2]
    path.write_text("".join(f"{sentence}\n\n" for sentence in sentences), encoding="utf-8")
    return path


def test_damaged_files(fuzz, model, treebank, tmp_path, run):
    folder = tmp_path / "pipeline"
    spacy.load(model).to_disk(folder)
    target = tmp_path / "out.conllu"

    def test(random):
        path = random.choice(files_of(folder))
        content = path.read_bytes()
        path.write_bytes(random.choice(OF_BYTES)(content, random))
        target.unlink(missing_ok=True)
        try:
            result = run("parse", folder, treebank, target)
        finally:
            path.write_bytes(content)
        name = path.relative_to(folder)
        assert result.exception is None or isinstance(result.exception, SystemExit), (
            name,
            result.exception,
        )
        if result.exit_code:
            assert result.exit_code == 1 and f"✘ {folder}: " in result.output, (name, result.output)
            return "refused"
        assert all(sentence.n_roots == 1 for sentence in read_conllu(target))
        return "loaded, trees are valid"

    fuzz("pipeline folder: damaged files", 4, test)
