"""CoNLL-U rows and sentences from the annotation of a Doc."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

import numpy as np
from conllu import Metadata, TokenList
from spacy.attrs import DEP, HEAD, LEMMA, MORPH, POS, SENT_START, TAG
from spacy.tokens import Doc

from spacy_npparse.errors import DocError
from spacy_npparse.treebank.heads import heads_and_spans
from spacy_npparse.treebank.parsing import validated
from spacy_npparse.treebank.sentence import (
    EMPTY,
    SPACY_ROOT,
    UD_ROOT,
    ConlluError,
    Row,
    Sentence,
    comment_key,
    shortened,
)

# A warning of what is lost.
CUT_TOKENS = "%d multiword tokens cut by a sentence boundary are not written."
UNCUT_TOKENS = "%d multiword tokens with fewer characters than words are written as one word."


def boundaries(doc: Doc) -> list[tuple[int, int]]:
    """Find the first token and the end (exclusive) of each sentence of a Doc. A Doc without
    boundaries is one sentence.

    No sentence begins where an arc leads from before a token to it or beyond: spaCy derives such
    boundaries from the heads of non-projective trees when they are set one by one.

    Args:
        doc: The Doc.
    """
    if not len(doc):
        return []
    values = doc.to_array([HEAD, DEP, SENT_START])
    _, spanned = heads_and_spans(values[:, 0], values[:, 1])
    starts = np.flatnonzero((values[1:, 2] == 1) & ~spanned[1:]) + 1
    return list(pairwise([0, *starts.tolist(), len(doc)]))


def annotation_columns(doc: Doc) -> list[list[str]]:
    """Write LEMMA, UPOS, XPOS, FEATS and DEPREL of all tokens as in CoNLL-U.

    Args:
        doc: The Doc.
    """
    strings = doc.vocab.strings
    # Most values occur many times, and Token objects with their properties would be slower.
    spelt = {0: EMPTY}
    columns = []
    for attribute in (LEMMA, POS, TAG, MORPH, DEP):
        ids = doc.to_array(attribute).tolist()
        spelt.update((value, strings[value] or EMPTY) for value in {*ids} - spelt.keys())
        columns.append([spelt[value] for value in ids])
    columns[-1] = [UD_ROOT if label == SPACY_ROOT else label for label in columns[-1]]
    return columns


def with_misc(row: Row, attributes: Mapping[str, str]) -> Row:
    """Add attributes to MISC, after the others, and replace those of the same name.

    Args:
        row: The row.
        attributes: The values of attributes by name.

    Returns:
        The row with the attributes.
    """
    others = without_misc(row, attributes).misc
    parts = [] if others in ("", EMPTY) else [others]
    parts += [f"{name}={value}" for name, value in attributes.items()]
    return row._replace(misc="|".join(parts) or EMPTY)


def without_misc(row: Row, names: Collection[str]) -> Row:
    """Remove attributes from MISC.

    Args:
        row: The row.
        names: The names of the attributes.

    Returns:
        The row without the attributes; the same row if it has none of them.
    """
    parts = row.misc.split("|")
    kept = [part for part in parts if part.partition("=")[0] not in names]
    return row if kept == parts else row._replace(misc="|".join(kept) or EMPTY)


def make_sentence(
    rows: Sequence[Row], metadata: Metadata, comments: Sequence[str] | None = None
) -> Sentence:
    """Make a sentence of rows and check it, because spaCy allows any heads.

    Args:
        rows: The rows.
        metadata: The comments by key, as `conllu` reads them.
        comments: The comment lines of a treebank, some of which `conllu` cannot write; None to make
            them from the metadata.

    Raises:
        DocError: The heads form a cycle, or an annotation contains a tab or a line end.
    """
    text = "\n".join(map("\t".join, rows))
    if text.count("\t") != len(rows) * (len(Row._fields) - 1) or text.count("\n") >= len(rows):
        raise DocError(f"{_name(rows, metadata)}, {_separator_problem(rows)}")
    if comments is None:
        comments = TokenList(metadata=metadata).serialize().removesuffix("\n\n").split("\n")
    try:
        return validated(rows, comments, metadata, "\n".join([*comments, text]))
    except ConlluError as error:
        raise DocError(f"{_name(rows, metadata)}: {error.problem}. {error.remedy}.") from error


def with_comments(sentence: Sentence, added: Mapping[str, str | None]) -> Sentence:
    """Add comments before the others, and replace those of the same name.

    Args:
        sentence: The sentence.
        added: The values of comments by name, None for comments without a value.

    Returns:
        The sentence with the comments.
    """
    others = [comment for comment in sentence.comments if comment_key(comment) not in added]
    comments = [
        f"# {name}" if value is None else f"# {name} = {value}" for name, value in added.items()
    ]
    metadata = Metadata({**added, **sentence.metadata, **added})
    return make_sentence(sentence.rows, metadata, [*comments, *others])


def _name(rows: Sequence[Row], metadata: Metadata) -> str:
    """Name a sentence for a message."""
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
