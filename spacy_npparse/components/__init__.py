"""The spaCy components: one class for each kind of search, one factory for each parser."""
