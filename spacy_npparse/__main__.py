"""`python -m spacy_npparse`."""

from .cli import main

main()
