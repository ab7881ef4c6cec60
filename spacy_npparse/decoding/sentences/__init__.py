"""Sentence boundaries, found together with the heads of the words."""
