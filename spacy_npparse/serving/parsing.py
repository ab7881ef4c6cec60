"""`/parse`: parsing a text or tokens under constraints, in JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pydantic import BaseModel, Field, model_validator
from pydantic.dataclasses import dataclass
from spacy.language import Language
from spacy.tokens import Doc, Token

from spacy_npparse.components import CONSTRAINTS_KEY, DependencyConstraints
from spacy_npparse.serving.pipelines import Piece, RequestError
from spacy_npparse.treebank import Paragraph, Sentence, sentences_from_doc
from spacy_npparse.treebank.docs import set_sentence_starts
from spacy_npparse.treebank.raw_text import character_spans
from spacy_npparse.treebank.sentence import SPACY_ROOT, UD_ROOT
from spacy_npparse.visualisation.trees.picture import render_sentence_svg
from spacy_npparse.word_forms import word_forms

# The maximum number of words in a drawing. Its size grows with the square of their number.
MOST_DRAWN = 500
_SEPARATORS = frozenset("\t\r\n")


@dataclass(config={"extra": "forbid"}, frozen=True)
class Constraints(DependencyConstraints):
    """Constraints by token ids. The head of a root is the token itself, and its label is root."""


class ParseRequest(BaseModel, extra="forbid"):
    """Parse a text, in which the pipeline finds the sentences, or the tokens of one sentence."""

    model: str | None = Field(None, description="The name of the model; by default the first one.")
    text: str = ""
    tokens: list[str] = []
    spaces: list[bool] = Field([], description="Whether white space follows each token.")
    constraints: Constraints = Constraints()
    svg_width: float | None = Field(None, ge=100, description="Add drawings of this width in px.")

    @model_validator(mode="after")
    def _fits(self) -> ParseRequest:
        if len(self.model_fields_set & {"text", "tokens"}) != 1:
            raise ValueError("Give either a text or tokens.")
        if not all(one.strip() and _SEPARATORS.isdisjoint(one) for one in self.tokens):
            raise ValueError("Tokens must not be blank, and not contain tabs or line ends.")
        if "spaces" in self.model_fields_set and len(self.spaces) != len(self.tokens):
            raise ValueError("Give spaces for each token: whether white space follows it.")
        return self

    def piece(self) -> Piece:
        """Make the piece for the pipeline."""
        size = len(self.text) + sum(len(one) + 1 for one in self.tokens)
        return Piece(size, self._prepare, self._read, is_sentence=bool(self.tokens))

    def _prepare(self, nlp: Language) -> Doc:
        if self.tokens:
            doc = Doc(nlp.vocab, self.tokens, self.spaces or None)
            set_sentence_starts(doc, [len(doc)])
        else:
            paragraph = Paragraph(self.text)
            doc = paragraph.mark(nlp.make_doc(paragraph.text))
        doc.user_data[CONSTRAINTS_KEY] = asdict(self.constraints)
        return doc

    def _read(self, doc: Doc) -> list[tuple[Sentence, list[dict[str, Any]]]]:
        places = character_spans(self.text or doc.text, [token.text for token in doc])
        forms = word_forms(doc)
        return [
            (sentence, [_token(token, forms[token.i], *places[token.i]) for token in span])
            for span, sentence in zip(doc.sents, sentences_from_doc(doc), strict=True)
        ]

    def result(
        self, found: Sequence[tuple[Sentence, list[dict[str, Any]]]]
    ) -> list[dict[str, Any]]:
        """Describe the sentences for the response, with drawings if the request asks for them.

        Args:
            found: The sentences and the descriptions of their tokens, from the piece.

        Raises:
            RequestError: A sentence is too long to be drawn.
        """
        return [self._described(sentence, tokens) for sentence, tokens in found]

    def _described(self, sentence: Sentence, tokens: list[dict[str, Any]]) -> dict[str, Any]:
        described = {"conllu": f"{sentence}\n\n", "tokens": tokens}
        if self.svg_width is None:
            return described
        if len(tokens) > MOST_DRAWN:
            raise RequestError(
                f"Leave out svg_width: drawings have at most {MOST_DRAWN} words, and a sentence "
                f"has {len(tokens):,}."
            )
        probabilities = [token["head_probability"] for token in tokens]
        svg = render_sentence_svg(sentence, self.svg_width, probabilities=probabilities)
        return {**described, "svg": svg}


def _token(token: Token, form: str, start: int, end: int) -> dict[str, Any]:
    """Describe a token for the response."""
    return {
        "id": token.i,
        "start": start,
        "end": end,
        "form": form,
        "lemma": token.lemma_,
        "upos": token.pos_,
        "xpos": token.tag_,
        "feats": str(token.morph),
        "head": token.head.i,
        "deprel": UD_ROOT if token.dep_ == SPACY_ROOT else token.dep_,
        "head_probability": token._.head_probability,
        "label_probability": token._.label_probability,
    }
