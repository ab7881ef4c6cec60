"""Rows and sentences of CoNLL-U from the annotation of a Doc."""

from __future__ import annotations

from collections.abc import Sequence

from conllu import Metadata, TokenList
from conllu import Token as ConlluToken
from spacy.tokens import Doc, Token

from spacy_npparse.treebank.docs import SPACY_ROOT, UD_ROOT
from spacy_npparse.treebank.parsing import validated
from spacy_npparse.treebank.sentence import MISSING, Row, Sentence

# Warning of what is lost.
CUT_TOKENS = "%d multiword tokens cut by a sentence boundary are not written."


def boundaries(doc: Doc) -> list[tuple[int, int]]:
    """First token and end, exclusive, of each sentence of a Doc, which is one without boundaries.

    Args:
        doc: The Doc.
    """
    if not doc.has_annotation("SENT_START"):
        return [(0, len(doc))]
    return [(sentence.start, sentence.end) for sentence in doc.sents]


def annotated(token: Token) -> dict[str, str]:
    """The annotation of a token, by the fields of a `Row`, without its head.

    Args:
        token: The token.
    """
    dep = UD_ROOT if token.dep_ == SPACY_ROOT else token.dep_
    return {
        "lemma": token.lemma_ or MISSING,
        "upos": token.pos_ or MISSING,
        "xpos": token.tag_ or MISSING,
        "feats": str(token.morph) or MISSING,
        "deprel": dep or MISSING,
    }


def make_sentence(
    rows: Sequence[Row], metadata: Metadata, comments: Sequence[str] | None = None
) -> Sentence:
    """A sentence of these rows; validated, since spaCy allows any heads.

    Args:
        rows: The rows.
        metadata: The comments as `conllu` reads them.
        comments: Those of a treebank as they stand, which `conllu` cannot write; else they are made
            from the metadata.

    Raises:
        ConlluError: If the rows are not valid CoNLL-U: if the heads form a cycle, for example.
        ValueError: If an annotation has a tab or a line end.
    """
    tokens = [ConlluToken(row._asdict()) for row in rows]
    text = TokenList(tokens).serialize().removesuffix("\n\n")
    if text.count("\t") != len(rows) * (len(Row._fields) - 1) or text.count("\n") >= len(rows):
        raise ValueError(_separator_problem(rows))
    if comments is None:
        comments = TokenList(metadata=metadata).serialize().removesuffix("\n\n").split("\n")
    return validated(
        rows, comments, metadata, "\n".join([*comments, text]), first_row=len(comments) + 1
    )


def _separator_problem(rows: Sequence[Row]) -> str:
    row, column = next(
        (row, column) for row in rows for column in row if "\t" in column or "\n" in column
    )
    return (
        f"word {row.id} ({row.form!r}) of a Doc has a tab or line end in its annotation "
        f"{column!r}, which CoNLL-U cannot represent. Remove it."
    )
