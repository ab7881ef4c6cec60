"""Encoders and scorers: networks that compute vectors, scores and losses, without parsing logic."""

from spacy_npparse.models.char_bilstm import CharBiLSTM
from spacy_npparse.models.parser import ParserModel
from spacy_npparse.models.scaled_gradient import ScaledGradient
from spacy_npparse.models.tagger import TaggerModel
from spacy_npparse.models.transformer import check_encoder
from spacy_npparse.models.treebank_embedding import (
    assume_treebank,
    known_treebanks,
    use_treebank,
)

__all__ = [
    "CharBiLSTM",
    "ParserModel",
    "ScaledGradient",
    "TaggerModel",
    "assume_treebank",
    "check_encoder",
    "known_treebanks",
    "use_treebank",
]
