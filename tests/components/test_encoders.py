"""Tests of parsers whose shared encoder is missing, disabled, replaced or changed."""

import copy
import shutil

import pytest
import spacy
import srsly
from parser_helpers import TINY_ENCODER, TINY_MODEL, check_trees, one_sentence
from spacy.language import Language
from thinc.api import Model

from spacy_npparse.components import round_to_half
from spacy_npparse.components.encoders import encoder_of, listeners

LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": TINY_ENCODER["width"]}
WORDS = ["Wir", "haben", "das", "Haus", "gesehen", "."]


class TransformerListener(Model):
    """A stand-in for the `TransformerListener` of spacy-transformers."""

    upstream_name = "shared"

    def __init__(self):
        super().__init__("transformer-listener", forward=lambda model, X, is_train: (X, None))


@pytest.fixture
def listening(sample):
    """Return a function that makes a pipeline of a shared encoder and a parser, untrained."""

    def make(parser="parser", encoder="tok2vec", **settings):
        nlp = spacy.blank("xx")
        nlp.add_pipe("tok2vec", name=encoder, config={"model": {**TINY_ENCODER, **settings}})
        listener = {**LISTENER, "width": settings.get("width", LISTENER["width"])}
        config = {"model": {**TINY_MODEL, "tok2vec": listener}}
        nlp.add_pipe("mst_parser", name=parser, config=config)
        nlp.initialize(lambda: sample(nlp, limit=2))
        return nlp

    return make


def test_without_any_encoder(listening):
    other = spacy.blank("xx")
    other.add_pipe("parser", source=listening())
    message = "parser listens to .* Docs do not have its vectors.*replace_listeners"
    with pytest.raises(ValueError, match=message):
        other(one_sentence(other, WORDS))
    check_trees(other(spacy.tokens.Doc(other.vocab)))


def test_with_a_disabled_encoder(listening):
    nlp = listening()
    with (
        nlp.select_pipes(disable="tok2vec"),
        pytest.raises(ValueError, match="the encoder is disabled"),
    ):
        nlp(one_sentence(nlp, WORDS))


def test_with_the_vectors_of_a_later_encoder(listening):
    """A Doc holds the vectors of the last encoder only."""
    nlp = listening()
    nlp.add_pipe("other", before="parser", source=listening(encoder="other"))
    message = "parser listens to 'tok2vec', but gets the vectors of 'other'.*replace_listeners"
    for layer in listeners(nlp.get_pipe("parser").model):
        layer.upstream_name = "tok2vec"
    with pytest.raises(ValueError, match=message):
        nlp(one_sentence(nlp, WORDS))
    with nlp.select_pipes(disable="other"):
        check_trees(nlp(one_sentence(nlp, WORDS)))


def test_with_tokens_that_were_split(listening):
    """spaCy leaves the vectors of the tokens that were split as they are."""

    @Language.component("splitter")
    def split(doc):
        with doc.retokenize() as retokenizer:
            retokenizer.split(doc[1], ["ha", "ben"], heads=[(doc[1], 1), doc[2]])
        return doc

    nlp = listening()
    nlp.add_pipe("splitter", before="parser")
    with pytest.raises(ValueError, match="a component after it has split tokens"):
        nlp(one_sentence(nlp, WORDS))


def test_with_an_encoder_of_another_width(listening):
    other = listening("second", width=32)
    other.add_pipe("parser", source=listening())
    with pytest.raises(
        ValueError, match="the vectors have a width of 32.*trained with 16.*replace_"
    ):
        other(one_sentence(other, WORDS))


WARNING = "parser was trained with another encoder than the one"


def test_with_another_encoder(listening, tmp_path, caplog):
    other = listening("second")
    other.add_pipe("parser", source=listening())
    other.to_disk(tmp_path)
    caplog.clear()
    loaded = spacy.load(tmp_path)
    assert WARNING in caplog.text and "second was trained" not in caplog.text
    caplog.clear()
    check_trees(loaded(one_sentence(loaded, WORDS)))
    assert not caplog.text
    # Saving the pipeline again does not resolve the mismatch.
    loaded.to_disk(tmp_path)
    spacy.load(tmp_path)
    assert WARNING in caplog.text


def test_an_encoder_of_another_training_in_the_folder(listening, tmp_path, caplog):
    for name, scale in (("one", 1.0), ("two", 1.1)):
        nlp = listening()
        nlp.get_pipe("tok2vec").model.shims[0].net.spelling.weight.data *= scale
        nlp.to_disk(tmp_path / name)
    caplog.clear()
    spacy.load(tmp_path / "one")
    assert not caplog.text
    shutil.copy(tmp_path / "two" / "tok2vec" / "model", tmp_path / "one" / "tok2vec" / "model")
    spacy.load(tmp_path / "one")
    assert WARNING in caplog.text


def test_in_half_precision(listening, tmp_path, caplog):
    """Encoder and parser are rounded in memory, and loading restores exactly these weights."""
    listening().to_disk(tmp_path / "single")
    nlp = spacy.load(tmp_path / "single")
    before = nlp.get_pipe("tok2vec").model.shims[0].net.spelling.weight.clone()
    round_to_half(nlp)
    nlp.to_disk(tmp_path / "half")
    loaded = spacy.load(tmp_path / "half")
    assert WARNING not in caplog.text
    for name in ("tok2vec", "parser"):
        states = [pipe.get_pipe(name).model.shims[0].net.state_dict() for pipe in (nlp, loaded)]
        assert all(value.equal(states[1][key]) for key, value in states[0].items())
        sizes = [(tmp_path / kind / name / "model").stat().st_size for kind in ("half", "single")]
        assert sizes[0] < 0.8 * sizes[1]
    after = loaded.get_pipe("tok2vec").model.shims[0].net.spelling.weight
    assert after.dtype == before.dtype and 0 < (after - before).abs().max() < 1e-3


def test_an_encoder_that_was_trained_further_without_the_parser(
    listening, sample, tmp_path, caplog
):
    listening().to_disk(tmp_path)
    nlp = spacy.load(tmp_path)
    nlp.get_pipe("tok2vec").model.shims[0].net.spelling.weight.data *= 1.1
    nlp.to_disk(tmp_path)
    caplog.clear()
    nlp = spacy.load(tmp_path)
    assert WARNING in caplog.text
    # After an update, the parser has been trained with the vectors of this encoder.
    nlp.update(sample(nlp, limit=2), sgd=nlp.create_optimizer())
    nlp.to_disk(tmp_path)
    caplog.clear()
    spacy.load(tmp_path)
    assert not caplog.text


def test_weights_that_are_loaded_after_a_training_have_their_encoder(listening, sample):
    nlp = listening()
    saved = nlp.to_bytes()
    nlp.update(sample(nlp, limit=2), sgd=nlp.create_optimizer())
    nlp.from_bytes(saved)
    assert nlp.to_bytes() == saved


def test_a_copy_knows_the_encoder(listening, tmp_path, caplog):
    listening().to_disk(tmp_path / "one")
    nlp = copy.deepcopy(spacy.load(tmp_path / "one"))
    nlp.get_pipe("tok2vec").model.shims[0].net.spelling.weight.data *= 1.1
    nlp.to_disk(tmp_path / "two")
    caplog.clear()
    spacy.load(tmp_path / "two")
    assert WARNING in caplog.text


def test_pipelines_of_version_0_2_have_no_checksum_of_the_encoder(listening, tmp_path, caplog):
    listening().to_disk(tmp_path)
    path = tmp_path / "parser" / "cfg"
    cfg = srsly.read_json(path)
    assert cfg.pop("encoder")
    srsly.write_json(path, cfg)
    caplog.clear()
    nlp = spacy.load(tmp_path)
    nlp.get_pipe("tok2vec").model.shims[0].net.spelling.weight.data *= 1.1
    nlp.to_disk(tmp_path)
    assert not caplog.text
    spacy.load(tmp_path)
    assert WARNING in caplog.text


def test_with_its_own_encoder(listening, caplog):
    source = listening()
    expected = [token.head.i for token in source(one_sentence(source, WORDS))]
    other = spacy.blank("xx", vocab=source.vocab)
    for name in source.pipe_names:
        other.add_pipe(name, source=source)
    caplog.clear()
    found = [token.head.i for token in other(one_sentence(other, WORDS))]
    assert found == expected and not caplog.text


def test_training_with_another_encoder_is_no_mistake(listening, sample, tmp_path, caplog):
    listening().to_disk(tmp_path)
    other = listening("second")
    other.add_pipe("parser", source=spacy.load(tmp_path))
    caplog.clear()
    other.update(sample(other, limit=2), sgd=other.create_optimizer())
    other(one_sentence(other, WORDS))
    other.to_disk(tmp_path)
    spacy.load(tmp_path)
    assert not caplog.text


def test_an_ensemble_recognises_another_encoder_of_the_same_name(listening, tmp_path):
    nlp = listening("first")
    source = listening("second")
    nlp.add_pipe("second", source=source)
    config = {"members": ["first", "second"]}
    ensemble = nlp.add_pipe("ensemble_parser", config=config)
    message = "'second' listens to .* was trained with another encoder.*replace_listeners"
    for use in (ensemble.parsers, lambda: nlp.to_disk(tmp_path)):
        with pytest.raises(ValueError, match=message):
            use()
    nlp.remove_pipe("second")
    source.replace_listeners("tok2vec", "second", ["model.tok2vec"])
    nlp.add_pipe("second", source=source)
    assert len(ensemble.parsers()) == 2
    nlp.to_disk(tmp_path)


def test_encoders_are_those_of_the_listeners_kind(listening):
    """A transformer stores its vectors in another place than a tok2vec component."""
    nlp = listening(encoder="shared")
    assert encoder_of(TransformerListener(), nlp) is None
    tok2vec = nlp.get_pipe("parser").model.get_ref("tok2vec")
    assert encoder_of(tok2vec, nlp) is nlp.get_pipe("shared")
    tok2vec.upstream_name = "other"
    assert encoder_of(tok2vec, nlp) is None


def test_an_ensemble_in_another_pipeline(listening, caplog):
    source = listening()
    source.add_pipe("ensemble_parser", config={"members": ["parser"]})
    source.disable_pipe("parser")
    other = listening()
    other.remove_pipe("parser")
    other.add_pipe("ensemble_parser", source=source)
    caplog.clear()
    check_trees(other(one_sentence(other, WORDS)))
    assert "ensemble_parser is sourced from another pipeline" in caplog.text
    caplog.clear()
    other(one_sentence(other, WORDS))
    source(one_sentence(source, WORDS))
    assert not caplog.text
