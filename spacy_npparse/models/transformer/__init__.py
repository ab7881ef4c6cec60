"""Pretrained encoders, such as BERT and RoBERTa, with a learnt projection."""

from spacy_npparse.models.transformer.architecture import Transformer
from spacy_npparse.models.transformer.folder import check_encoder

__all__ = ["Transformer", "check_encoder"]
