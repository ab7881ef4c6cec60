"""The left and right edges of subtrees, which may be non-projective.

spaCy computes `token.left_edge` and `token.right_edge` in a bounded number of passes, which suffice
only for projective trees, and does so again whenever a Doc is loaded. Its heads, children and
subtrees are correct. The functions of this module use only the heads.
"""

from __future__ import annotations

import numpy as np
from spacy.attrs import HEAD
from spacy.tokens import Doc, Token


def subtree_edges(doc: Doc) -> list[tuple[int, int]]:
    """Find the edges of all subtrees of a Doc.

    Args:
        doc: A Doc with heads.

    Returns:
        The indices of the first and the last token of each token's subtree. `doc[first : last + 1]`
        is the shortest span that contains the subtree. If the tree is non-projective, it may
        contain other tokens as well.

    Raises:
        ValueError: The heads form a cycle.
    """
    return [(first, last) for first, last, _ in subtrees(doc)]


def subtrees(doc: Doc) -> list[tuple[int, int, int]]:
    """Find the edges and the sizes of all subtrees of a Doc.

    Args:
        doc: A Doc with heads.

    Returns:
        The edges of each token's subtree, as `subtree_edges` returns them, and the number of its
        tokens.

    Raises:
        ValueError: The heads form a cycle.
    """
    heads = (np.arange(len(doc)) + doc.to_array(HEAD).astype(np.int64)).tolist()
    first, last, size = [*range(len(heads))], [*range(len(heads))], [1] * len(heads)
    waiting_for = [0] * len(heads)
    for token, head in enumerate(heads):
        waiting_for[head] += head != token
    done = [token for token, n_children in enumerate(waiting_for) if n_children == 0]
    for token in done:
        head = heads[token]
        if head != token:
            first[head] = min(first[head], first[token])
            last[head] = max(last[head], last[token])
            size[head] += size[token]
            waiting_for[head] -= 1
            if waiting_for[head] == 0:
                done.append(head)
    if len(done) < len(heads):
        cycle = ", ".join(f"{doc[i].text!r}" for i, n in enumerate(waiting_for) if n)
        raise ValueError(f"the heads of the Doc form a cycle, among: {cycle}. Correct these heads.")
    return list(zip(first, last, size, strict=True))


def left_edge(token: Token) -> Token:
    """Find the first token of a token's subtree.

    Args:
        token: A token of a Doc with heads.

    Raises:
        ValueError: The heads form a cycle.
    """
    return token.doc[subtree_edges(token.doc)[token.i][0]]


def right_edge(token: Token) -> Token:
    """Find the last token of a token's subtree.

    Args:
        token: A token of a Doc with heads.

    Raises:
        ValueError: The heads form a cycle.
    """
    return token.doc[subtree_edges(token.doc)[token.i][1]]
