"""Tokenization: a tokenizer that is trained on the treebank, and splits multiword tokens."""

from spacy_npparse.tokenization.tokenizer import TrainedTokenizer

__all__ = ["TrainedTokenizer"]
