"""Tests of how settings are read from a config."""

from dataclasses import replace
from typing import get_args

import pytest
import spacy
from parser_helpers import TINY_ENCODER

from spacy_npparse.components.settings import EnsembleSettings, read_settings
from spacy_npparse.models.losses import LOSSES
from spacy_npparse.parsing.settings import (
    MAX_VIOLATION,
    ConfidenceSettings,
    DecoderSettings,
    ExplorationSettings,
    TransitionLoss,
    TransitionSettings,
    TreeLoss,
)


def test_choices_are_those_of_the_rooms_below():
    assert get_args(TransitionLoss) == (*LOSSES, MAX_VIOLATION)
    assert set(get_args(TreeLoss)) < set(get_args(TransitionLoss))


def test_sections_are_read_with_their_defaults():
    exploration = {"margin": 2, "warm_up": 3}
    config = {"oracle": "static", "loss": "margin", "exploration": exploration, "decoder": {}}
    settings = read_settings(TransitionSettings, "parser", config)
    assert settings.exploration == ExplorationSettings(margin=2, warm_up=3)
    assert settings.exploration_at(2) is None
    assert settings.exploration_at(3).probability == 0.1
    assert read_settings(DecoderSettings, "parser", {}).n_trees == 1


@pytest.mark.parametrize(
    "config, message",
    [
        ({"members": "first"}, r"parser: members is 'first', but must be of type list"),
        ({"members": ["a", 1]}, r"parser: members: an item is 1, but must be of type str"),
        ({"decoder": True}, r"parser: decoder is True, but must be of type ConfidenceSettings"),
        ({"decoder": {"confidence": 1}}, r"parser: decoder.confidence is 1, but .* type bool"),
        ({"scorer": "las"}, r"parser: scorer is 'las', but must be of type Callable"),
    ],
)
def test_values_of_another_type_are_named(config, message):
    valid = {"members": ["a"], "combine": "votes", "sentences": "joint", "decoder": {}}
    valid |= {"scorer": None, "keep": "none"}
    assert read_settings(EnsembleSettings, "parser", valid).members == ["a"]
    with pytest.raises(ValueError, match=message):
        read_settings(EnsembleSettings, "parser", {**valid, **config})


def test_the_decoder_is_made_of_settings(make_parser):
    parser = make_parser("arc_hybrid_swap").get_pipe("parser")
    # ConfidenceSettings have no beam_width.
    for other in (8, ConfidenceSettings()):
        with pytest.raises(ValueError, match="parser: decoder is .*, but must be of type Decoder"):
            parser.decoder = other
    with pytest.raises(ValueError, match="k_best is 3, but must be between 0 and beam_width = 1"):
        parser.decoder = replace(parser.decoder, k_best=3)
    parser.decoder = replace(parser.decoder, beam_width=8)
    assert parser.decoder.beam_width == 8


def test_attributes_of_another_type_change_nothing(make_parser):
    parser = make_parser("arc_hybrid_swap").get_pipe("parser")
    for name, value in (("temperatures", 2.0), ("label_rules", [{"kind": "before"}])):
        before = getattr(parser, name)
        with pytest.raises(ValueError, match=f"parser: {name}"):
            setattr(parser, name, value)
        assert getattr(parser, name) == before
    with pytest.raises(ValueError, match="not a label"):
        parser.add_label(" ")


def test_a_model_of_another_kind_is_named():
    tagger = {"@architectures": "spacy.HashEmbedCNN.v2", "width": 8, "depth": 1, "embed_size": 10}
    tagger |= {"window_size": 1, "maxout_pieces": 2, "subword_features": True}
    tagger["pretrained_vectors"] = None
    for model in (tagger, TINY_ENCODER):
        message = r"mst_parser: .* no network of this package.* spacy_npparse\.Parser\.v1"
        with pytest.raises(ValueError, match=message):
            spacy.blank("xx").add_pipe("mst_parser", config={"model": model})
