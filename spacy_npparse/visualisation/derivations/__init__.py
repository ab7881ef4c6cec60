"""Derivations step by step, as an HTML page and as a table for the terminal."""
