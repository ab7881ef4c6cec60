"""The reader `CorpusShards` of annotated corpora as training data."""

import pytest
import spacy
from small_corpora import annotate_missing, content, corpus_of, small_pipeline, write_corpus
from spacy.training.initialize import init_nlp
from spacy.util import registry
from tiny import SAMPLE, tiny_config

from spacy_npparse.scaling.reader import CorpusShards
from spacy_npparse.treebank import ConlluCorpus, doc_to_conllu
from spacy_npparse.workfolder import DamagedFileError

NLP = spacy.blank("xx")
LONG = dict(sentences_per_doc=0, max_length=500)


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    """Annotate the same corpus in all formats, and return the corpora by the names of formats."""
    folder = tmp_path_factory.mktemp("corpora")
    pipeline = small_pipeline(folder / "model")
    source = write_corpus(folder / "source", 6)
    found = {}
    for name in ("conllu", "conllu.zst", "docbin", "parquet"):
        found[name] = corpus_of(pipeline, [source], folder / name, format=name)
        annotate_missing(found[name])
    return found


@pytest.mark.parametrize("name", ["conllu", "conllu.zst", "docbin", "parquet"])
@pytest.mark.parametrize(
    "settings",
    [{}, dict(sentences_per_doc=1), dict(sentences_per_doc=3, max_length=7, gold_sentences=False)],
)
def test_all_formats_give_the_examples_of_one_file(corpora, tmp_path, name, settings):
    path = tmp_path / "all.conllu"
    path.write_text(content(corpora["conllu"].job.files.folder))
    # The defaults of the reader are long Docs.
    expected = list(ConlluCorpus(path, **{**LONG, **settings})(NLP))
    make = registry.readers.get("spacy_npparse.CorpusShards.v1")
    found = list(make(str(corpora[name].job.files.folder), **settings)(NLP))
    assert len(found) == len(expected) > 10
    for one, other in zip(found, expected, strict=True):
        assert doc_to_conllu(one.reference) == doc_to_conllu(other.reference)
        starts = [[t.is_sent_start for t in eg.predicted] for eg in (one, other)]
        assert starts[0] == starts[1] and not one.predicted.has_annotation("DEP")


def test_damaged_and_missing_shards_are_refused(corpora):
    corpus = corpora["conllu"]
    folder = corpus.job.files.folder
    shard = corpus.job.files.shard(corpus.shards[2])
    known = shard.read_bytes()
    shard.write_bytes(known.replace(b"begins", b"ended"))
    with pytest.raises(
        DamagedFileError, match=f"{shard.name} has changed since it was.*`annotate` again"
    ):
        list(CorpusShards(folder)(NLP))
    # Only shards that are read are checked.
    assert len(list(CorpusShards(folder, limit=1)(NLP))) == 1
    shard.write_bytes(known)
    record = corpus.job.files.record(corpus.shards[2])
    record.rename(record.with_suffix(".old"))
    with pytest.raises(DamagedFileError, match=r"1 of \d+ shards are missing"):
        list(CorpusShards(folder)(NLP))
    record.with_suffix(".old").rename(record)
    assert list(CorpusShards(folder)(NLP))


def test_a_parser_that_is_trained_on_them_learns_where_sentences_end(corpora, caplog):
    """The config has the reader of the documentation instead of `ConlluCorpus`."""
    path = str(corpora["conllu"].job.files.folder)
    config = tiny_config()
    config["corpora"]["train"] = {"@readers": "spacy_npparse.CorpusShards.v1", "path": path}
    config["paths"]["dev"] = str(SAMPLE / "sample-ud-dev.conllu")
    init_nlp(config)
    assert "without tagger" in caplog.text and "several sentences" not in caplog.text
    n_within = [len(list(eg.reference.sents)) - 1 for eg in CorpusShards(path)(NLP)]
    assert sum(n_within) > len(n_within)


def test_other_folders_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="Give the folder that `annotate` wrote"):
        list(CorpusShards(tmp_path)(NLP))
    with pytest.raises(ValueError, match="CorpusShards.v1 reader is not set"):
        CorpusShards(None)
