"""The first and the last token of subtrees, right for non-projective trees too.

spaCy derives `token.left_edge` and `token.right_edge` with a bounded number of passes over the
tokens, made for projective trees, and does so again whenever a Doc is loaded; heads, children and
subtrees are right. These functions look at the heads alone.
"""

from __future__ import annotations

from spacy.tokens import Doc, Token


def subtree_edges(doc: Doc) -> list[tuple[int, int]]:
    """For each token, the numbers of the first and the last token of its subtree.

    `doc[first : last + 1]` is the shortest span that holds the subtree; where the tree is not
    projective, it can hold other tokens as well.

    raises: ValueError if the heads form a cycle.
    """
    heads = [token.head.i for token in doc]
    edges = [(i, i) for i in range(len(heads))]
    waiting_for = [0] * len(heads)
    for token, head in enumerate(heads):
        waiting_for[head] += head != token
    done = [token for token, n_children in enumerate(waiting_for) if n_children == 0]
    for token in done:
        head = heads[token]
        if head != token:
            first, last = edges[token]
            edges[head] = min(edges[head][0], first), max(edges[head][1], last)
            waiting_for[head] -= 1
            if waiting_for[head] == 0:
                done.append(head)
    if len(done) < len(heads):
        cycle = ", ".join(f"{doc[i].text!r}" for i, n in enumerate(waiting_for) if n)
        raise ValueError(f"the heads of the Doc form a cycle, among: {cycle}. Correct these heads.")
    return edges


def left_edge(token: Token) -> Token:
    """The first token of a token's subtree. Raises ValueError if the heads form a cycle."""
    return token.doc[subtree_edges(token.doc)[token.i][0]]


def right_edge(token: Token) -> Token:
    """The last token of a token's subtree. Raises ValueError if the heads form a cycle."""
    return token.doc[subtree_edges(token.doc)[token.i][1]]
