"""The transition systems of the literature, one file for each paper, and their registry."""

from spacy_npparse.systems.registry import get_transition_system, transition_systems

__all__ = ["get_transition_system", "transition_systems"]
