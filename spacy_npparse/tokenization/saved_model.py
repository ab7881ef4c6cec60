"""The model of a tokenizer as it is saved: behind a checksum, since damaged ones may be models."""

from __future__ import annotations

from hashlib import sha256

_MARK = b"spacy_npparse tokenizer model, SHA-256 "
_LENGTH_OF_CHECKSUM = 64


def seal(model: bytes) -> bytes:
    """Put a checksum before a model.

    Args:
        model: The model in UDPipe's format, empty if the tokenizer has not been trained.

    Returns:
        What is saved.
    """
    return _MARK + _checksum(model) + b"\n" + model


def unseal(saved: bytes) -> bytes:
    """Check that a saved model is as it was saved.

    Models that were saved without a checksum, as early ones of version 0.2 were, are returned as
    they are.

    Args:
        saved: What `seal` returned.

    Returns:
        The model.

    Raises:
        ValueError: It is not.
    """
    if not saved:
        raise ValueError("its model is empty")
    if not saved.startswith(_MARK):
        return saved
    known, _, model = saved[len(_MARK) :].partition(b"\n")
    if len(known) != _LENGTH_OF_CHECKSUM:
        raise ValueError("its model has lost its checksum")
    if known != _checksum(model):
        raise ValueError("its model is not as it was saved")
    return model


def _checksum(model: bytes) -> bytes:
    return sha256(model).hexdigest().encode()
