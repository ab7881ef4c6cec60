"""Encoders and scorers: networks that compute vectors, scores and losses, without parsing logic."""

from spacy_npparse.models.char_bilstm import CharBiLSTM
from spacy_npparse.models.mh_net import MHNet
from spacy_npparse.models.one_endpoint_crossing_net import OneEndpointCrossingNet
from spacy_npparse.models.pair_net import PairNet
from spacy_npparse.models.parser import ParserModel
from spacy_npparse.models.parser_net import ParserNet
from spacy_npparse.models.scaled_gradient import ScaledGradient
from spacy_npparse.models.shim import TorchShim, torch_shim
from spacy_npparse.models.spanning_tree_net import SpanningTreeNet
from spacy_npparse.models.speller import SpellerModel
from spacy_npparse.models.speller_net import SpellerNet
from spacy_npparse.models.tagger import LinearTagger, TaggerModel
from spacy_npparse.models.transformer import Transformer, check_encoder
from spacy_npparse.models.transition_net import TransitionNet
from spacy_npparse.models.treebank_embedding import (
    UnknownTreebankError,
    assume_treebank,
    known_treebanks,
    use_treebank,
)

__all__ = [
    "CharBiLSTM",
    "LinearTagger",
    "MHNet",
    "OneEndpointCrossingNet",
    "PairNet",
    "ParserModel",
    "ParserNet",
    "ScaledGradient",
    "SpanningTreeNet",
    "SpellerModel",
    "SpellerNet",
    "TaggerModel",
    "TorchShim",
    "Transformer",
    "TransitionNet",
    "UnknownTreebankError",
    "assume_treebank",
    "check_encoder",
    "known_treebanks",
    "torch_shim",
    "use_treebank",
]
