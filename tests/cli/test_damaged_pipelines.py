"""`parse` names a pipeline with a damaged file in an error, or builds valid trees with it."""

from functools import partial
from itertools import cycle

import pytest
import spacy
from mutations import OF_FILES
from tokenizer_helpers import TRAINED, sample_examples

from spacy_npparse.tokenization import make_trained_tokenizer
from spacy_npparse.treebank import read_conllu

pytestmark = pytest.mark.fuzz


def files_of(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)


@pytest.fixture
def folder(model, tmp_path):
    """Save a pipeline with a trained tokenizer and a lemmatizer, and return its folder."""
    nlp = spacy.load(model)
    nlp.add_pipe("character_lemmatizer", config={"model": {"hidden_size": 16}})
    nlp.get_pipe("character_lemmatizer").initialize(lambda: sample_examples(nlp), nlp=nlp)
    nlp.config["nlp"]["tokenizer"] = TRAINED["nlp"]["tokenizer"]
    nlp.tokenizer = make_trained_tokenizer()(nlp)
    nlp.tokenizer.initialize(lambda: sample_examples(nlp), nlp=nlp)
    nlp.to_disk(tmp_path / "pipeline")
    return tmp_path / "pipeline"


def test_damaged_files(fuzz, folder, tmp_path, run):
    text = tmp_path / "in.txt"
    text.write_text("Wir sahen das Haus am See. Wer sah es im Mai?", encoding="utf-8")
    target = tmp_path / "out.conllu"

    def test(path, mutations, random):
        content = path.read_bytes()
        path.write_bytes(next(mutations)(content, random))
        target.unlink(missing_ok=True)
        try:
            result = run("parse", folder, text, target)
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

    for path in files_of(folder):
        name = path.relative_to(folder).as_posix()
        fuzz(f"pipeline: {name}", len(OF_FILES), partial(test, path, cycle(OF_FILES)))
