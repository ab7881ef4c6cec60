"""Arc-hybrid with arcs between words that are not adjacent: an example of a new system."""
