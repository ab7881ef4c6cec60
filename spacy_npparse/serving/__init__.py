"""The HTTP server: parsing requests, and the desk for correcting a treebank."""
