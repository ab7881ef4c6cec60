"""The component `attardi_hybrid_parser`."""

from spacy_npparse.components.factories import transition_factory

attardi_hybrid_parser = transition_factory("attardi_hybrid", oracle="static")
