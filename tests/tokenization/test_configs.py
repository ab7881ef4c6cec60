"""The trained tokenizer is the default of the configs, and one setting replaces it."""

import pytest
from spacy.tokenizer import Tokenizer
from spacy.util import load_model_from_config
from thinc.api import Config

from spacy_npparse.laboratory.configs import complete_config, config_path
from spacy_npparse.tokenization import TrainedTokenizer

RULES = {"nlp.tokenizer.@tokenizers": "spacy.Tokenizer.v1"}


@pytest.mark.parametrize("is_complete", [False, True])
@pytest.mark.parametrize("name", ["accuracy", "fast"])
def test_the_default_is_replaced_by_one_setting(name, is_complete, tmp_path):
    config = Config().from_disk(config_path(name), interpolate=False)
    if is_complete:
        config = complete_config(name, "mh4", "xx")
    config.to_disk(tmp_path / "config.cfg", interpolate=False)
    for overrides, kind in (({}, TrainedTokenizer), (RULES, Tokenizer)):
        loaded = Config().from_disk(tmp_path / "config.cfg", overrides=overrides)
        assert type(load_model_from_config(loaded, auto_fill=True).tokenizer) is kind
