"""Rows and sentences of CoNLL-U from the annotation of a Doc."""

from __future__ import annotations

from collections.abc import Sequence

from conllu import Metadata, TokenList
from conllu import Token as ConlluToken
from spacy.tokens import Doc, Token

from spacy_npparse.treebank.docs import SPACY_ROOT, UD_ROOT
from spacy_npparse.treebank.parsing import validated
from spacy_npparse.treebank.sentence import (
    MISSING,
    ConlluError,
    DocError,
    Row,
    Sentence,
    shortened,
)

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
        DocError: If the heads form a cycle, or an annotation has a tab or a line end.
    """
    tokens = [ConlluToken(row._asdict()) for row in rows]
    text = TokenList(tokens).serialize().removesuffix("\n\n")
    if text.count("\t") != len(rows) * (len(Row._fields) - 1) or text.count("\n") >= len(rows):
        raise DocError(f"{_name(rows, metadata)}, {_separator_problem(rows)}")
    if comments is None:
        comments = TokenList(metadata=metadata).serialize().removesuffix("\n\n").split("\n")
    try:
        return validated(rows, comments, metadata, "\n".join([*comments, text]))
    except ConlluError as error:
        raise DocError(f"{_name(rows, metadata)}: {error.problem}. {error.remedy}.") from error


def _name(rows: Sequence[Row], metadata: Metadata) -> str:
    """How a message names a sentence."""
    if metadata.get("sent_id"):
        return f"sentence {shortened(metadata['sent_id'])}"
    words = " ".join(row.form for row in rows if row.id.isdigit())
    return f"sentence {shortened(words)!r}"


def _separator_problem(rows: Sequence[Row]) -> str:
    row, field = next(
        (row, field)
        for row in rows
        for field, column in row._asdict().items()
        if "\t" in column or "\n" in column
    )
    return (
        f"word {row.id} ({row.form!r}): {field.upper()} {getattr(row, field)!r} has a tab or a "
        "line end, which CoNLL-U cannot represent. Remove it."
    )
