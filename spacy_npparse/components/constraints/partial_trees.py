"""Constraints from the partial trees of a treebank."""

from __future__ import annotations

from collections.abc import Collection

from spacy.tokens import Doc

from spacy_npparse.components.constraints.given import (
    ConstraintError,
    DependencyConstraints,
    quoted,
)
from spacy_npparse.treebank import Sentence
from spacy_npparse.treebank.contraction import contracted, uncut_tokens
from spacy_npparse.treebank.docs import CONLLU_KEY
from spacy_npparse.treebank.sentence import EMPTY, SPACY_ROOT, UD_ROOT
from spacy_npparse.trees.missing import NO_HEAD


def constraints_of_sentence(
    sentence: Sentence, labels: Collection[str] | None = None
) -> DependencyConstraints:
    """Make constraints from the heads and labels of a sentence, where they are not `_`.

    Args:
        sentence: The sentence.
        labels: The labels that the parser knows; None if it knows all. If a head is given with an
            unknown label or that of a root, the label is left out, as those of roots are.
            `set_given_labels` sets it after parsing.

    Returns:
        The constraints on a Doc of this sentence.

    Raises:
        ConstraintError: The tree is incomplete, and a multiword token is one token of the Doc.

    Examples:
        >>> from spacy_npparse.treebank import parse_sentence
        >>> partial = constraints_of_sentence(
        ...     parse_sentence(["1\\tGo\\t_\\t_\\t_\\t_\\t0\\t_\\t_\\t_", "2\\t!" + "\\t_" * 8])
        ... )
        >>> partial.heads
        {0: [0]}
    """
    is_complete = all(EMPTY not in (row.head, row.deprel) for row in sentence.words)
    for token in () if is_complete else uncut_tokens(sentence):
        name = sentence.sent_id or token.row.form
        raise ConstraintError(
            f"sentence {name}: the multiword token {token.row.form!r} has fewer characters than "
            "words, of which a Doc has only one. Complete its tree by hand, or leave it out."
        )
    sentence = contracted(sentence)
    heads = sentence.heads[1:]
    return DependencyConstraints(
        heads={i: [head - 1 if head else i] for i, head in enumerate(heads) if head != NO_HEAD},
        labels={
            i: [row.deprel]
            for i, (row, head) in enumerate(zip(sentence.words, heads, strict=True))
            if row.deprel != EMPTY
            and head != 0
            and (
                head == NO_HEAD
                or (row.deprel != UD_ROOT and (labels is None or row.deprel in labels))
            )
        },
    )


def set_given_labels(doc: Doc, sentence: Sentence) -> Doc:
    """Set the labels of arcs whose head and label the sentence gives, including labels that the
    parser does not know, and labels of roots other than `root`.

    Args:
        doc: A parsed Doc of this sentence.
        sentence: The sentence.

    Returns:
        The same Doc.

    Raises:
        ConstraintError: A component after the parser has merged or split tokens, split the
            sentence, or changed a given head.
    """
    contraction = contracted(sentence)
    if contraction is not sentence:
        # The Doc does not have all arcs of the sentence, whose tree is complete.
        doc.user_data[CONLLU_KEY] = [str(sentence)]
        sentence = contraction
    heads = sentence.heads[1:]
    if (
        len(doc) != len(heads)
        or any(token.is_sent_start for token in doc[1:])
        or any(
            head not in (NO_HEAD, token.head.i + 1 if token.head.i != token.i else 0)
            for token, head in zip(doc, heads, strict=True)
        )
    ):
        raise ConstraintError(
            f"sentence {sentence.sent_id or quoted(doc.text)}: a component after the parser has "
            "changed its tokens, its boundaries or a given head. Remove the component, such as "
            "merge_entities or sentencizer, from the pipeline."
        )
    for token, row, head in zip(doc, sentence.words, heads, strict=True):
        if head != NO_HEAD and row.deprel != EMPTY:
            token.dep_ = SPACY_ROOT if row.deprel == UD_ROOT else row.deprel
    return doc
