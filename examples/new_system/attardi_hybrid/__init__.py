"""A transition system of your own: arc-hybrid with arcs between words that are not adjacent."""
