"""`python -m spacy_npparse`."""

from spacy_npparse.cli import main

main()
