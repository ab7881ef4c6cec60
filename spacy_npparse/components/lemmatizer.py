"""spaCy's lemmatizer, of the forms of words.

Source: lemmatization by edit trees, Müller, Cotterell, Fraser and Schütze (2015).
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from spacy.attrs import LEMMA, SPACY
from spacy.language import Language
from spacy.pipeline.edit_tree_lemmatizer import (
    DEFAULT_EDIT_TREE_LEMMATIZER_MODEL,
    EditTreeLemmatizer,
)
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Model

from spacy_npparse.word_forms import has_multiword_tokens, word_forms


class FormLemmatizer(EditTreeLemmatizer):
    """Lemmatizes the words of multiword tokens by their forms: French "du" has the lemmas of "de"
    and "le". spaCy's `EditTreeLemmatizer` has the slices "d" and "u" instead.

    All else is as in the base class, files included: for "trainable_lemmatizer" in the config.cfg
    of a trained pipeline, "edit_tree_lemmatizer" may be written and the reverse.
    """

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: dict[str, Any] | None = None,
    ) -> None:
        """Collect the edit trees; see the base class."""
        super().initialize(lambda: map(_spelt, get_examples()), nlp=nlp, labels=labels)

    def get_loss(self, examples: Iterable[Example], scores: list[Any]) -> tuple[float, list[Any]]:
        """The loss of a batch, and its gradient; see the base class."""
        found: tuple[float, list[Any]] = super().get_loss(list(map(_spelt, examples)), scores)
        return found

    def _scores2guesses_top_k_equals_1(self, docs: Iterable[Doc], scores: list[Any]) -> Any:
        return super()._scores2guesses_top_k_equals_1(map(_form_doc, docs), scores)

    def _scores2guesses_top_k_greater_1(self, docs: Iterable[Doc], scores: list[Any]) -> Any:
        return super()._scores2guesses_top_k_greater_1(map(_form_doc, docs), scores)

    def _scores2guesses_top_k_guardrail(self, docs: Iterable[Doc], scores: list[Any]) -> Any:
        return super()._scores2guesses_top_k_guardrail(map(_form_doc, docs), scores)

    def set_annotations(self, docs: Iterable[Doc], batch_tree_ids: list[Any]) -> None:
        """Write the lemmas; see the base class."""
        docs = list(docs)
        spelt = list(map(_form_doc, docs))
        super().set_annotations(spelt, batch_tree_ids)
        for doc, with_forms in zip(docs, spelt, strict=True):
            if with_forms is not doc:
                doc.from_array([LEMMA], with_forms.to_array([LEMMA]).reshape(-1, 1))  # type: ignore[arg-type]

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> "FormLemmatizer":
        """Load the component; see the base class. Raises ValueError if edit trees are missing."""
        super().from_bytes(bytes_data, exclude=exclude)
        return self._checked()

    def from_disk(self, path: str | Path, exclude: Iterable[str] = ()) -> "FormLemmatizer":
        """Load the component; see the base class. Raises ValueError if edit trees are missing."""
        super().from_disk(path, exclude=exclude)
        return self._checked()

    def _checked(self) -> "FormLemmatizer":
        if max(self.labels, default=-1) >= len(self.trees):
            raise ValueError(
                f"Cannot load {self.name}: it has labels without edit trees. Copy the whole folder "
                "of the pipeline again from where it was trained, or train it again."
            )
        return self


def _form_doc(doc: Doc) -> Doc:
    """The same words as tokens, with the lemmas that they have; the Doc itself if its tokens are
    the words."""
    if not has_multiword_tokens(doc):
        return doc
    found = Doc(doc.vocab, words=word_forms(doc))
    return found.from_array([LEMMA, SPACY], doc.to_array([LEMMA, SPACY]))  # type: ignore[arg-type]


def _spelt(example: Example) -> Example:
    predicted, reference = map(_form_doc, (example.predicted, example.reference))
    if predicted is example.predicted and reference is example.reference:
        return example
    return Example(predicted, reference)


def make_edit_tree_lemmatizer(
    nlp: Language,
    name: str,
    model: Model,
    backoff: str | None,
    min_tree_freq: int,
    overwrite: bool,
    top_k: int,
    scorer: Callable[..., Any] | None,
) -> FormLemmatizer:
    """The factory of `edit_tree_lemmatizer`, with the settings of spaCy's `trainable_lemmatizer`.

    Args:
        nlp: The pipeline.
        name: Of the component in it.
        model: Scores the edit trees of each word.
        backoff: Attribute of a token that is its lemma where no edit tree applies; None for none.
        min_tree_freq: Edit trees that occur less often in training are not used.
        overwrite: Whether lemmas that a Doc has are replaced.
        top_k: The number of most probable edit trees that are tried.
        scorer: The scorer.

    Returns:
        The component.
    """
    return FormLemmatizer(
        nlp.vocab,
        model,
        name,
        backoff=backoff,
        min_tree_freq=min_tree_freq,
        overwrite=overwrite,
        top_k=top_k,
        scorer=scorer,
    )


Language.factory(
    "edit_tree_lemmatizer",
    assigns=["token.lemma"],
    default_config={
        "model": DEFAULT_EDIT_TREE_LEMMATIZER_MODEL,
        "backoff": "orth",
        "min_tree_freq": 3,
        "overwrite": False,
        "top_k": 1,
        "scorer": {"@scorers": "spacy.lemmatizer_scorer.v1"},
    },
    default_score_weights={"lemma_acc": 1.0},
    func=make_edit_tree_lemmatizer,
)
