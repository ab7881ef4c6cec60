"""Reports as HTML pages: comparisons of parsers, leaderboards and statistics of treebanks."""
