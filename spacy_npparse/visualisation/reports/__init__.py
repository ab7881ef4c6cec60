"""Reports as HTML pages: comparisons of parsers, leaderboards, statistics of treebanks."""
