"""A server: pipelines that answer over HTTP, and the desk where a treebank is corrected."""
