"""Exact search with multi-headed items: MH3 and MH4."""
