"""Constraints from the partial trees of a treebank."""

from __future__ import annotations

from collections.abc import Collection

from spacy.tokens import Doc

from spacy_npparse.components.constraints.given import ConstraintError, DependencyConstraints
from spacy_npparse.treebank import Sentence
from spacy_npparse.treebank.contraction import uncut_tokens
from spacy_npparse.treebank.sentence import EMPTY, UD_ROOT
from spacy_npparse.trees.missing import NO_HEAD


def constraints_of_sentence(
    sentence: Sentence, labels: Collection[str] | None = None
) -> DependencyConstraints:
    """Make constraints from the heads and labels of a sentence, where they are not `_`.

    Args:
        sentence: The sentence.
        labels: The labels that the parser knows; None if it knows all. If a head is given with an
            unknown label, the label is left out. `set_given_labels` sets it after parsing.

    Returns:
        The constraints on a Doc of this sentence.

    Examples:
        >>> from spacy_npparse.treebank import parse_sentence
        >>> partial = constraints_of_sentence(
        ...     parse_sentence(["1\\tGo\\t_\\t_\\t_\\t_\\t0\\t_\\t_\\t_", "2\\t!" + "\\t_" * 8])
        ... )
        >>> partial.heads
        {0: [0]}
    """
    for token in uncut_tokens(sentence):
        name = sentence.sent_id or token.row.form
        raise ConstraintError(
            f"sentence {name}: the multiword token {token.row.form!r} has fewer characters than "
            "words, of which a Doc has only one. Complete its tree by hand, or leave it out."
        )
    heads = sentence.heads[1:]
    return DependencyConstraints(
        heads={i: [head - 1 if head else i] for i, head in enumerate(heads) if head != NO_HEAD},
        labels={
            i: [row.deprel]
            for i, (row, head) in enumerate(zip(sentence.words, heads, strict=True))
            if row.deprel != EMPTY
            and (head < 1 or labels is None or row.deprel in (*labels, UD_ROOT))
        },
    )


def set_given_labels(doc: Doc, sentence: Sentence) -> Doc:
    """Set the labels of arcs whose head and label the sentence gives, including labels that the
    parser does not know.

    Args:
        doc: A parsed Doc of this sentence, in which the given heads were kept.
        sentence: The sentence.

    Returns:
        The same Doc.
    """
    for token, row, head in zip(doc, sentence.words, sentence.heads[1:], strict=True):
        if head > 0 and row.deprel != EMPTY:
            token.dep_ = row.deprel
    return doc
