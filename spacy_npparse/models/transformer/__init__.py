"""Pretrained encoders: BERT, RoBERTa and their like, frozen, under a learnt projection."""

from spacy_npparse.models.transformer.architecture import Transformer

__all__ = ["Transformer"]
