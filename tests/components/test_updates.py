"""The number of updates follows the size of the treebank."""

from copy import deepcopy

import pytest
import spacy
from spacy.training.initialize import init_nlp
from spacy.training.loop import train as spacy_train
from spacy.util import load_config
from thinc.api import Config
from tiny import tiny_config, write_part

from spacy_npparse.components import scale_updates
from spacy_npparse.laboratory import config_path
from spacy_npparse.treebank import read_conllu


def _config(train, **training):
    """Make a config of a training on a file, without a tokenizer that is trained."""
    config = tiny_config()
    config["paths"].update(train=str(train), dev=str(train))
    config["nlp"]["tokenizer"] = {"@tokenizers": "spacy.Tokenizer.v1"}
    del config["initialize"]["tokenizer"]
    config["training"].update(max_steps=0, **training)
    return config


@pytest.fixture(scope="module")
def train(tmp_path_factory):
    return write_part("train", tmp_path_factory.mktemp("updates") / "train.conllu", 40)


@pytest.fixture(scope="module")
def initialized(train):
    nlp = init_nlp(_config(train))
    assert nlp.config["training"]["max_steps"] == 3600
    nlp.config["training"]["max_steps"] = 0
    return nlp


@pytest.fixture
def scaled(initialized):
    """Return a function that calls the callback, and returns the settings of the training."""
    before = deepcopy(initialized.config["training"])

    def scale(words, **settings):
        training = initialized.config["training"]
        training.update(deepcopy(before) | settings)
        scale_updates(words)(initialized)
        return training

    yield scale
    initialized.config["training"].update(before)


@pytest.fixture(scope="module")
def n_words(train):
    return sum(sentence.n_words for sentence in read_conllu(train))


@pytest.mark.parametrize(
    "times, eval_frequency, expected",
    [
        (0.5, 450, 3600),
        (1, 450, 3600),
        (4, 450, 7200),
        (9, 1000, 11000),
        # 3600 * sqrt(2) = 5091.
        (2, 450, 4950),
        (2, 50, 5100),
        # At least one evaluation.
        (1, 9000, 9000),
    ],
)
def test_updates_grow_with_the_square_root(scaled, n_words, times, eval_frequency, expected):
    training = scaled(round(n_words / times), eval_frequency=eval_frequency)
    assert training["max_steps"] == expected
    assert training["optimizer"]["learn_rate"]["total_steps"] == expected


def test_a_given_number_is_kept(scaled):
    training = scaled(1, max_steps=7)
    assert training["max_steps"] == 7
    assert training["optimizer"]["learn_rate"]["total_steps"] == 7


@pytest.mark.parametrize("max_steps, expected", [(300, 300), (450, 450), (1000, 450)])
def test_the_model_is_evaluated(scaled, max_steps, expected):
    assert scaled(1, max_steps=max_steps, eval_frequency=450)["eval_frequency"] == expected


def test_a_constant_learning_rate_needs_a_number(scaled):
    optimizer = {"@optimizers": "Adam.v1", "learn_rate": 0.001}
    assert scaled(1, max_steps=5, optimizer=optimizer)["max_steps"] == 5
    with pytest.raises(ValueError, match="learn_rate has no total_steps. Set max_steps"):
        scaled(1, optimizer=optimizer)


def test_the_size_of_a_stream_is_unknown(scaled):
    with pytest.raises(ValueError, match="max_epochs is -1: .* Set max_steps"):
        scaled(100, max_epochs=-1)
    assert scaled(100, max_epochs=-1, max_steps=7)["max_steps"] == 7


def test_training_makes_this_number_of_updates(train):
    config = _config(train, eval_frequency=1)
    config["training"]["optimizer"]["learn_rate"]["total_steps"] = 2
    config["initialize"]["after_init"]["words"] = 150
    nlp = init_nlp(config)
    steps = []
    nlp.config["training"]["logger"] = {"@loggers": "spacy_npparse.test_steps.v1"}

    @spacy.registry.loggers("spacy_npparse.test_steps.v1")
    def logger():
        return lambda *_: (lambda info: steps.append(info["step"]), lambda: None)

    spacy_train(nlp)
    expected = round(2 * (nlp.get_pipe("parser").n_training_words / 150) ** 0.5)
    assert expected > 2 and steps == [*range(expected + 1)]


def test_only_words_with_heads_count(train, tmp_path):
    rows = [line.split("\t") for line in train.read_text(encoding="utf-8").splitlines()]
    known = 0
    for row in rows:
        if len(row) == 10 and row[0].isdigit():
            if int(row[0]) % 2:
                known += 1
            else:
                row[6] = row[7] = "_"
    path = tmp_path / "train.conllu"
    path.write_text("\n".join(map("\t".join, rows)) + "\n", encoding="utf-8")
    assert init_nlp(_config(path)).get_pipe("parser").n_training_words == known


def test_parsers_read_the_same_words(scaled, initialized, n_words):
    initialized.add_pipe("mst_parser").n_training_words = n_words
    try:
        assert scaled(n_words)["max_steps"] == 3600
    finally:
        initialized.remove_pipe("mst_parser")


def test_a_sourced_parser_has_no_training_words(initialized, train, tmp_path):
    initialized.to_disk(tmp_path)
    config = _config(train)
    config["nlp"]["pipeline"] = [*initialized.pipe_names]
    config["components"] = {name: {"source": str(tmp_path)} for name in initialized.pipe_names}
    config["initialize"]["after_init"]["words"] = 1
    assert init_nlp(config).config["training"]["max_steps"] == 3600


@pytest.mark.parametrize("words", [0, -1])
def test_wrong_sizes(words):
    with pytest.raises(ValueError, match="scale_updates.v1: words"):
        scale_updates(words)


@pytest.mark.parametrize("name", ["accuracy", "fast", "transformer"])
def test_configs(name):
    """The learning rate ends with the training, and the last weights are evaluated."""
    config = load_config(config_path(name), interpolate=False)
    assert isinstance(config, Config)
    training = config["training"]
    total = training["optimizer"]["learn_rate"]["total_steps"]
    assert training["max_steps"] in (0, total)
    assert total % training["eval_frequency"] == 0
    assert config["initialize"]["after_init"]["@callbacks"] == "spacy_npparse.scale_updates.v1"
