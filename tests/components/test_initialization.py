"""Components without training data leave the pipeline before it is initialized."""

import pytest
import spacy
from spacy.training.initialize import init_nlp
from spacy.training.loop import train
from tiny import SAMPLE, tiny_config

from spacy_npparse.treebank import Kept, read_conllu, without_annotation

COMPONENTS = ["tagger", "morphologizer", "lemmatizer"]


@pytest.fixture
def config(tmp_path):
    """Make the config of a treebank whose annotation consists of trees and the given columns."""

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
        result["paths"].update(train=str(path), dev=str(path))
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
    # Model selection remains that of the config.
    weights = nlp.config["training"]["score_weights"]
    assert {name: weight for name, weight in weights.items() if weight} == {"dep_las": 1.0}
    assert ("lemma_acc" in weights) == ("lemmatizer" in kept)
    assert ("tag_acc" in weights) == ("tagger" in kept)


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
