"""Components without training data leave the pipeline before it is initialized."""

from itertools import chain, repeat
from pathlib import Path

import pytest
import spacy
from spacy.tokens import DocBin
from spacy.training.initialize import init_nlp
from spacy.training.loop import train
from spacy.vocab import Vocab
from thinc.api import Config
from tiny import SAMPLE, tiny_config

from spacy_npparse.components.unannotated import drop_unannotated_components
from spacy_npparse.treebank import (
    ConlluCorpus,
    Kept,
    docs_from_conllu,
    read_conllu,
    without_annotation,
)

COMPONENTS = ["tagger", "morphologizer", "lemmatizer"]


@pytest.fixture
def config(tmp_path):
    """Return a function that makes a config for a treebank with trees and the given columns."""

    def make(*columns):
        keep = [Kept(column) for column in columns]
        path = tmp_path / "train.conllu"
        with path.open("w", encoding="utf-8") as file:
            for sentence in list(read_conllu(SAMPLE / "sample-ud-train.conllu"))[:30]:
                rows = without_annotation(sentence, keep).split("\n")
                lines = [row.split("\t") for row in rows if row[0] != "#"]
                for line, row in zip(lines, sentence.rows, strict=True):
                    line[6:8] = row.head, row.deprel
                    # The sample treebank has no XPOS.
                    line[4] = row.upos if "XPOS" in columns else "_"
                file.write("\n".join(map("\t".join, lines)) + "\n\n")
        result = tiny_config()
        result["paths"].update(train=str(path), dev=str(SAMPLE / "sample-ud-dev.conllu"))
        result["training"].update(max_steps=2, eval_frequency=1)
        return result

    return make


@pytest.mark.parametrize(
    "columns, kept, dropped",
    [
        (("UPOS", "XPOS", "FEATS", "LEMMA"), COMPONENTS, ""),
        (("UPOS", "LEMMA"), ["morphologizer", "lemmatizer"], "without tagger: the training corpus"),
        (("FEATS",), ["morphologizer"], "without lemmatizer: the training corpus has no LEMMA"),
        (("XPOS",), ["tagger"], "morphologizer: the training corpus has no FEATS and no UPOS"),
        ((), [], "without tagger"),
    ],
)
def test_components_without_column_are_dropped(config, columns, kept, dropped, caplog):
    nlp = init_nlp(config(*columns))
    assert [name for name in nlp.pipe_names if name in COMPONENTS] == kept
    assert nlp.pipe_names[0] == "tok2vec" and nlp.pipe_names[-1] == "parser"
    assert dropped in caplog.text and len(caplog.records) == len(COMPONENTS) - len(kept)
    # The config's scores still select the model.
    weights = nlp.config["training"]["score_weights"]
    assert {name: weight for name, weight in weights.items() if weight} == {"dep_las": 1.0}
    assert ("lemma_acc" in weights) == ("lemmatizer" in kept)
    assert ("tag_acc" in weights) == ("tagger" in kept)


def test_lemmatizers_that_are_not_trained_stay(config):
    settings = config("UPOS", "XPOS")
    settings["components"]["lemmatizer"] = {"factory": "lemmatizer", "mode": "lookup"}
    settings["initialize"]["components"]["lemmatizer"] = {"lookups": None}
    nlp = spacy.util.load_model_from_config(Config(settings), auto_fill=True)
    drop_unannotated_components()(nlp)
    assert "lemmatizer" in nlp.pipe_names and "tagger" in nlp.pipe_names


def test_docs_in_the_format_of_spacy(config, tmp_path):
    """spaCy's reader tokenizes texts before the tokenizer is trained."""
    settings = config("UPOS", "XPOS", "FEATS", "LEMMA")
    docs = DocBin(docs=docs_from_conllu(settings["paths"]["train"], Vocab()))
    docs.to_disk(tmp_path / "train.spacy")
    reader = {"@readers": "spacy.Corpus.v1", "path": str(tmp_path / "train.spacy")}
    settings["corpora"].update(train=reader, dev=dict(reader))
    settings["nlp"]["tokenizer"] = {"@tokenizers": "spacy_npparse.TrainedTokenizer.v1"}
    nlp = init_nlp(settings)
    assert nlp.get_pipe("parser").labels and nlp("Ein Haus.")[0].text == "Ein"


@pytest.mark.parametrize(("part", "corpus"), [("train", "training"), ("dev", "dev")])
def test_a_treebank_without_trees_is_refused(config, tmp_path, part, corpus):
    settings = config("UPOS")
    lines = Path(settings["paths"][part]).read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line[:1] != "#"]
    without = [[*row[:6], "_", "_", *row[8:]] if len(row) > 1 else row for row in rows]
    path = tmp_path / "without.conllu"
    path.write_text("".join("\t".join(row) + "\n" for row in without), "utf-8")
    settings["paths"][part] = str(path)
    with pytest.raises(
        ValueError, match=f"^parser cannot be trained: the {corpus} corpus has no HEAD"
    ):
        init_nlp(settings)


def test_a_stream_is_not_read_to_its_end(config):
    @spacy.registry.readers("endless.v1")
    def endless(path):
        return lambda nlp: chain.from_iterable(repeat([*ConlluCorpus(path)(nlp)]))

    made = config("UPOS")
    made["corpora"]["train"] = {"@readers": "endless.v1", "path": "${paths.train}"}
    made["training"]["max_epochs"] = -1
    nlp = init_nlp(made)
    assert [name for name in nlp.pipe_names if name in COMPONENTS] == ["morphologizer"]


def test_warnings_of_the_corpus_come_once(config, caplog):
    settings = config("UPOS", "XPOS", "FEATS", "LEMMA")
    settings["corpora"]["train"]["max_length"] = 9
    path = Path(settings["paths"]["train"])
    path.write_text("\n" + path.read_text("utf-8"), "utf-8")
    init_nlp(settings)
    assert caplog.text.count("missing or superfluous blank lines (first at line 1)") == 1
    assert caplog.text.count("sentences of more than 9 words (max_length) left out") == 1


def test_the_pipeline_is_trained_saved_and_trained_on(config, tmp_path):
    nlp = init_nlp(config("UPOS", "LEMMA"))
    train(nlp, tmp_path)
    folder = tmp_path / "model-last"
    doc = spacy.load(folder)("Die Frau schläft.")
    assert all(word.lemma_ and word.pos_ and not word.tag_ for word in doc)
    again = init_nlp(spacy.util.load_config(folder / "config.cfg", interpolate=False))
    assert again.pipe_names == nlp.pipe_names
    resumed = spacy.util.load_config(folder / "config.cfg", interpolate=False)
    resumed["components"] = {name: {"source": str(folder)} for name in nlp.pipe_names}
    assert init_nlp(resumed).pipe_names == nlp.pipe_names
