"""The saved model of a tokenizer, after a checksum, because a damaged model may still be
readable."""

from __future__ import annotations

from hashlib import sha256

_MARK = b"spacy_npparse tokenizer model, SHA-256 "
_LENGTH_OF_CHECKSUM = 64


def seal(model: bytes) -> bytes:
    """Put a checksum before a model.

    Args:
        model: The model in UDPipe's format; empty if the tokenizer has not been trained.

    Returns:
        The bytes to save.
    """
    return _MARK + _checksum(model) + b"\n" + model


def unseal(saved: bytes) -> bytes:
    """Check that a saved model is intact.

    Models without a checksum, which early versions of 0.2 saved, are returned unchanged.

    Args:
        saved: The bytes that `seal` returned.

    Returns:
        The model.

    Raises:
        ValueError: The model is damaged.
    """
    if not saved:
        raise ValueError("its model is empty")
    if not saved.startswith(_MARK):
        return saved
    known, _, model = saved[len(_MARK) :].partition(b"\n")
    if len(known) != _LENGTH_OF_CHECKSUM:
        raise ValueError("its model has no checksum")
    if known != _checksum(model):
        raise ValueError("its model has changed since it was saved")
    return model


def _checksum(model: bytes) -> bytes:
    return sha256(model).hexdigest().encode()
