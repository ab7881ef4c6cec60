"""Constraints from treebanks whose trees are partial."""

from __future__ import annotations

from spacy_npparse.components.constraints.given import DependencyConstraints
from spacy_npparse.treebank import Sentence
from spacy_npparse.treebank.sentence import MISSING


def constraints_of_sentence(sentence: Sentence) -> DependencyConstraints:
    """What a sentence of a treebank says of its tree: heads and labels, where they are not `_`.

    Args:
        sentence: The sentence.

    Returns:
        Constraints on a Doc of this sentence.

    Examples:
        >>> from spacy_npparse.treebank import parse_sentence
        >>> partial = constraints_of_sentence(
        ...     parse_sentence(["1\\tGo\\t_\\t_\\t_\\t_\\t0\\t_\\t_\\t_", "2\\t!" + "\\t_" * 8])
        ... )
        >>> partial.heads
        {0: [0]}
    """
    known_heads = enumerate(sentence.heads[1:])
    return DependencyConstraints(
        heads={i: [head - 1 if head else i] for i, head in known_heads if head is not None},
        labels={i: [row.deprel] for i, row in enumerate(sentence.words) if row.deprel != MISSING},
    )
