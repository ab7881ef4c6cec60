"""Rehearsal: a parser that is trained further practises what it predicted before."""

from collections.abc import Iterable

from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Model

from spacy_npparse.components.docs import Parse, write_parse
from spacy_npparse.components.encoders import listeners


def check_rehearsable(model: Model, name: str) -> None:
    """Check that a copy of a model encodes Docs by itself.

    Args:
        model: Of the component.
        name: Of the component.

    Raises:
        NotImplementedError: If it listens to the encoder of another component, as that one is not
            run in rehearsal.
    """
    if any(listeners(model)):
        raise NotImplementedError(
            f"{name}: rehearse needs an encoder of the component's own, but it listens to that of "
            "another one. Call nlp.replace_listeners before nlp.resume_training."
        )


def rehearsal_examples(docs: Iterable[Doc], parses: Iterable[Parse]) -> list[Example]:
    """Make examples of predictions.

    Args:
        docs: The Docs, which remain as they are.
        parses: Their parses.

    Returns:
        Examples with the parses as gold trees.
    """
    examples = []
    for doc, parse in zip(docs, parses, strict=True):
        parsed = doc.copy()
        # Distributions of heads, if confidence is asked for, would be learnt instead.
        write_parse(parsed, parse._replace(head_distributions=None))
        examples.append(Example(doc, parsed))
    return examples
