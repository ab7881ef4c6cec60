"""What Python imports first in programs that tests start: it hides spacy-transformers from them.

spaCy imports all of its plugins, and the import of this one takes longer than that of spaCy.
"""

from importlib import metadata

_distributions = metadata.distributions


def _without_transformers(**where):
    return (one for one in _distributions(**where) if one.name != "spacy-transformers")


metadata.distributions = _without_transformers
