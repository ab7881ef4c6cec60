"""Search for sentence boundaries together with the heads of words."""
