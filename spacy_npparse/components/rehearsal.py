"""Rehearsal, in which a parser that is trained further practises its earlier predictions."""

from collections.abc import Iterable

from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Model

from spacy_npparse.components.docs import Parse, write_parse
from spacy_npparse.components.encoders import listeners


def check_rehearsable(model: Model, name: str) -> None:
    """Check that a copy of a model can encode Docs by itself.

    Args:
        model: The model of the component.
        name: The name of the component.

    Raises:
        NotImplementedError: The model listens to the encoder of another component, which rehearsal
            does not run.
    """
    if any(listeners(model)):
        raise NotImplementedError(
            f"{name}: rehearse needs a component with its own encoder, but this one listens to "
            "an encoder of the pipeline. Call nlp.replace_listeners before nlp.resume_training."
        )


def rehearsal_examples(docs: Iterable[Doc], parses: Iterable[Parse]) -> list[Example]:
    """Make examples from predictions.

    Args:
        docs: The Docs, which remain as they are.
        parses: The parses of the Docs.

    Returns:
        Examples with the parses as gold trees.
    """
    examples = []
    for doc, parse in zip(docs, parses, strict=True):
        parsed = doc.copy()
        write_parse(parsed, parse)
        examples.append(Example(doc, parsed))
    return examples
