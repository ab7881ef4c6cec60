"""The spaCy components: one class for each kind of search, one factory for each parser.

The factories are in `spacy_npparse.components.factories`: spaCy finds them by their names.
"""

from spacy_npparse.components.assembly import add_other_components
from spacy_npparse.components.chart_parser import ChartParser
from spacy_npparse.components.constraints import (
    CONSTRAINTS_KEY,
    ConstraintError,
    DependencyConstraints,
    constraints_of_sentence,
    set_given_labels,
)
from spacy_npparse.components.dependency_parser import DependencyParser
from spacy_npparse.components.ensemble_parser import EnsembleParser
from spacy_npparse.components.exact_parser import ExactParser
from spacy_npparse.components.initialization import drop_unannotated_components
from spacy_npparse.components.mh_parser import MHParser
from spacy_npparse.components.one_endpoint_crossing_parser import OneEndpointCrossingParser
from spacy_npparse.components.settings import (
    DecoderSettings,
    EnsembleSettings,
    ExplorationSettings,
    MHParserSettings,
    OneEndpointCrossingSettings,
    SpanningTreeSettings,
    TransitionParserSettings,
)
from spacy_npparse.components.spanning_tree_parser import SpanningTreeParser
from spacy_npparse.components.transition_parser import TransitionParser

__all__ = [
    "CONSTRAINTS_KEY",
    "ChartParser",
    "ConstraintError",
    "DecoderSettings",
    "DependencyConstraints",
    "DependencyParser",
    "EnsembleParser",
    "EnsembleSettings",
    "ExactParser",
    "ExplorationSettings",
    "MHParser",
    "MHParserSettings",
    "OneEndpointCrossingParser",
    "OneEndpointCrossingSettings",
    "SpanningTreeParser",
    "SpanningTreeSettings",
    "TransitionParser",
    "TransitionParserSettings",
    "add_other_components",
    "constraints_of_sentence",
    "drop_unannotated_components",
    "set_given_labels",
]
