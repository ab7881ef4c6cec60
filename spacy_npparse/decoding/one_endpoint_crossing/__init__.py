"""Exact search for one-endpoint-crossing trees."""
