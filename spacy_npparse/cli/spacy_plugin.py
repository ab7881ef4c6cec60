"""The commands inside spaCy's own program: `python -m spacy npparse`.

The entry point `spacy_cli` names this module. Only spaCy's command line imports it.
"""

from spacy.cli import app as spacy_app

from spacy_npparse.cli import app

spacy_app.add_typer(app, name="npparse")
