"""`/parse`: trees of a text, or of words, under constraints, as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, Span, Token

from spacy_npparse.components import CONSTRAINTS_KEY, DependencyConstraints
from spacy_npparse.serving.pipelines import RequestError
from spacy_npparse.treebank import Paragraph, sentences_from_doc
from spacy_npparse.treebank.raw_text import character_spans
from spacy_npparse.treebank.sentence import SPACY_ROOT, UD_ROOT
from spacy_npparse.visualisation.trees.drawing import draw_tree
from spacy_npparse.visualisation.trees.picture import tree_arcs

_KINDS = frozenset(one.name for one in fields(DependencyConstraints))
_LEAST_WIDTH = 100


@dataclass(frozen=True)
class ParseRequest:
    """A request to `/parse`, which the pipeline gets as one Doc.

    Attributes:
        text: The text, in which sentences are found; empty if words are given.
        tokens: The words of a sentence.
        spaces: Whether white space follows each of them.
        constraints: As `DependencyConstraints` writes them to a Doc. Those that do not fit are an
            error of the parser.
        svg_width: Width of the rows of drawings in px; None for no drawings.
    """

    text: str = ""
    tokens: tuple[str, ...] = ()
    spaces: tuple[bool, ...] = ()
    constraints: Mapping[str, Any] = field(default_factory=dict)
    svg_width: float | None = None

    @classmethod
    def of(cls, given: Any) -> ParseRequest:
        """Read a request.

        Args:
            given: The JSON, without the name of the model.

        Raises:
            RequestError: It is no such request.
        """
        names = [one.name for one in fields(cls)]
        if not isinstance(given, dict) or not given.keys() <= {*names}:
            raise RequestError(f"Send a JSON object with some of: model, {', '.join(names)}.")
        if ("text" in given) == ("tokens" in given):
            raise RequestError("Give either a text or tokens.")
        text, tokens = given.get("text", ""), given.get("tokens", [])
        if not isinstance(text, str):
            raise RequestError("The text has to be a string.")
        if not _is_list(tokens, str) or not all(one.strip() for one in tokens):
            raise RequestError("Tokens have to be strings that are not blank.")
        spaces = given.get("spaces", [True] * len(tokens))
        if not _is_list(spaces, bool) or len(spaces) != len(tokens):
            raise RequestError("Give true or false for each token: whether white space follows.")
        width = given.get("svg_width")
        if width is not None and not (isinstance(width, (int, float)) and width >= _LEAST_WIDTH):
            raise RequestError(f"svg_width has to be a number, at least {_LEAST_WIDTH}.")
        constraints = _constraints(given.get("constraints", {}))
        return cls(text, tuple(tokens), tuple(spaces), constraints, width)

    @property
    def size(self) -> int:
        return len(self.text) + sum(len(one) + 1 for one in self.tokens)

    def prepare(self, nlp: Language) -> Doc:
        if self.tokens:
            starts = [True] + [False] * (len(self.tokens) - 1)
            doc = Doc(nlp.vocab, list(self.tokens), list(self.spaces), sent_starts=starts)  # type: ignore[arg-type]
        else:
            doc = Paragraph(self.text).mark(nlp.make_doc(Paragraph(self.text).text))
        if self.constraints:
            doc.user_data[CONSTRAINTS_KEY] = dict(self.constraints)
        return doc

    def read(self, doc: Doc) -> list[dict[str, Any]]:
        places = character_spans(self.text or doc.text, [token.text for token in doc])
        written = sentences_from_doc(doc)
        found = []
        for sentence, conllu in zip(doc.sents if len(doc) else (), written, strict=True):
            tokens = [_token(token, *places[token.i]) for token in sentence]
            svg = {} if self.svg_width is None else {"svg": _draw(sentence, self.svg_width)}
            found.append({"conllu": f"{conllu}\n\n", "tokens": tokens, **svg})
        return found


def _is_list(given: Any, kind: type) -> bool:
    return isinstance(given, list) and all(isinstance(one, kind) for one in given)


def _constraints(given: Any) -> dict[str, Any]:
    """The constraints, by tokens that are numbers: the keys of JSON are texts."""
    if not isinstance(given, dict) or not given.keys() <= _KINDS:
        raise RequestError(f"Constraints are an object with some of: {', '.join(sorted(_KINDS))}.")
    found: dict[str, Any] = {}
    for kind, values in given.items():
        if isinstance(values, dict):
            try:
                found[kind] = {int(token): options for token, options in values.items()}
            except ValueError:
                raise RequestError(f"Constraints, {kind}: give tokens by their numbers.") from None
        else:
            found[kind] = values
    return found


def _token(token: Token, start: int, end: int) -> dict[str, Any]:
    """A word as the answer has it."""
    return {
        "id": token.i,
        "start": start,
        "end": end,
        "form": token._.form,
        "lemma": token.lemma_,
        "upos": token.pos_,
        "xpos": token.tag_,
        "feats": str(token.morph),
        "head": token.head.i,
        "deprel": _label(token),
        "head_probability": _rounded(token._.head_probability),
        "label_probability": _rounded(token._.label_probability),
    }


def _label(token: Token) -> str:
    return UD_ROOT if token.dep_ == SPACY_ROOT else token.dep_


def _rounded(probability: float | None) -> float | None:
    return None if probability is None else round(probability, 4)


def _draw(sentence: Span, width: float) -> str:
    heads = [0 if t.head.i == t.i else t.head.i - sentence.start + 1 for t in sentence]
    labels = [_label(token) for token in sentence]
    tags = [token.pos_ for token in sentence] if sentence.doc.has_annotation("POS") else None
    return draw([token._.form for token in sentence], heads, labels, tags, width)


def draw(
    words: Sequence[str],
    heads: Sequence[int],
    labels: Sequence[str],
    tags: Sequence[str] | None,
    width: float,
) -> str:
    """Draw a tree for the page.

    Args:
        words: The n words.
        heads: Of each, 1..n, 0 for the root.
        labels: Of the arcs.
        tags: Parts of speech, shown under the words.
        width: Of a row, in px.

    Returns:
        An SVG element, for a page with `tree.css`.
    """
    above, _ = tree_arcs(words, heads, labels, None, None)
    return str(draw_tree(words, above, tags=tags, width=width))
