"""The spaCy components: one base component, one factory for each transition system."""
