"""The HTTP server: parsing requests, and the editor for correcting a treebank."""
