"""Exact search among allowed trees: arcs that are given or forbidden, spans that are subtrees."""
