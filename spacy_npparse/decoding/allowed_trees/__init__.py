"""Exact search among allowed trees, for given or forbidden arcs and for spans that are subtrees."""
