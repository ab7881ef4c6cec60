"""Packages of trained pipelines: scores, model cards, wheels and trial installations."""

from spacy_npparse.packaging.build import KINDS, Package, build_packages
from spacy_npparse.packaging.card import index_page
from spacy_npparse.packaging.sources import TreebankSource, read_source

__all__ = ["KINDS", "Package", "TreebankSource", "build_packages", "index_page", "read_source"]
