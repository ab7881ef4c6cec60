"""Encoders and scorers: vectors in, scores and losses out; no parsing logic."""
