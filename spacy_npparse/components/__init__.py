"""The spaCy components: one class for all trained parsers, one for ensembles, a factory for each
parser, and a lemmatizer.

The factories are in `spacy_npparse.components.factories`. spaCy finds them by their names.
"""

from spacy_npparse.components.assembly import add_other_components
from spacy_npparse.components.constraints import (
    CONSTRAINTS_KEY,
    ConstraintError,
    DependencyConstraints,
    constraints_of_sentence,
    set_given_labels,
)
from spacy_npparse.components.dependency_parser import DependencyParser
from spacy_npparse.components.ensemble_parser import EnsembleParser
from spacy_npparse.components.half_precision import round_to_half
from spacy_npparse.components.lemmatizer import CharacterLemmatizer
from spacy_npparse.components.prediction import ParserPipe
from spacy_npparse.components.unannotated import drop_unannotated_components
from spacy_npparse.components.updates import scale_updates

__all__ = [
    "CONSTRAINTS_KEY",
    "CharacterLemmatizer",
    "ConstraintError",
    "DependencyConstraints",
    "DependencyParser",
    "EnsembleParser",
    "ParserPipe",
    "add_other_components",
    "constraints_of_sentence",
    "drop_unannotated_components",
    "round_to_half",
    "scale_updates",
    "set_given_labels",
]
