"""Tokenization: a tokenizer that is trained on the treebank and splits multiword tokens."""

from spacy_npparse.tokenization.tokenizer import TrainedTokenizer, make_trained_tokenizer

__all__ = ["TrainedTokenizer", "make_trained_tokenizer"]
