"""The REST interface of UDPipe 2. Without the parameter `tagger`, tags remain as they are in the
input. Without `parser`, trees do.

Source: https://lindat.mff.cuni.cz/services/udpipe/api-reference.php
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from pydantic import BaseModel, Field
from spacy.language import Language
from spacy.tokens import Doc
from ufal import udpipe

from spacy_npparse.serving.pipelines import Piece, RequestError, ServedPipeline
from spacy_npparse.treebank import (
    Kept,
    Paragraph,
    Row,
    Sentence,
    keep_annotation,
    paragraphs_of_text,
    sentences_from_doc,
    unannotated_doc,
)
from spacy_npparse.treebank.annotating import Prepared
from spacy_npparse.treebank.docs import set_sentence_starts
from spacy_npparse.treebank.reading import conllu_blocks
from spacy_npparse.treebank.rows import make_sentence
from spacy_npparse.treebank.sentence import EMPTY, conllu_text

_CONLLU = "conllu"
_OPTIONS = {"presegmented", "ranges"}
_KEPT = (Kept.DEPS, Kept.MISC, Kept.COMMENTS)
_NOTHING = Row(*[EMPTY] * len(Row._fields))
# The columns that each parameter predicts, and what components assign that can do so.
_COLUMNS = {"tagger": ("lemma", "upos", "xpos", "feats"), "parser": ("head", "deprel")}
_ASSIGNED = {"tagger": {"token.tag", "token.pos", "token.morph"}, "parser": {"token.dep"}}


def capabilities(pipeline: ServedPipeline) -> list[str]:
    """List the tasks of a pipeline by UDPipe's names: tokenizer, tagger and parser."""
    nlp = pipeline.nlp
    assigned = {what for name in nlp.pipe_names for what in nlp.get_pipe_meta(name).assigns}
    return ["tokenizer", *(name for name, kinds in _ASSIGNED.items() if assigned & kinds)]


def find_model(pipelines: Sequence[ServedPipeline], name: str | None) -> ServedPipeline:
    """Find the pipeline of a request.

    Args:
        pipelines: The served pipelines. The first one is the default.
        name: The name, or otherwise its beginning up to a hyphen, as in UDPipe; "" or None for the
            default.

    Raises:
        RequestError: There is no such pipeline.
    """
    for one in sorted(pipelines, key=lambda one: one.name != name):
        if not name or f"{one.name}-".startswith(f"{name}-"):
            return one
    known = ", ".join(one.name for one in pipelines)
    raise RequestError(f"The requested model {name!r} does not exist. Take one of: {known}.")


class ProcessRequest(BaseModel):
    """Annotate text or words, with the parameters of UDPipe 2."""

    data: str
    model: str | None = Field(None, description="The name of the model; by default the first one.")
    tokenizer: str | None = Field(
        None,
        description="If given, data is text. Options, separated by semicolons: presegmented (each "
        "line is a sentence), ranges (TokenRange in MISC).",
    )
    tagger: str | None = Field(None, description="If given, LEMMA, UPOS, XPOS, FEATS are predicted")
    parser: str | None = Field(None, description="If given, HEAD and DEPREL are predicted.")
    input: str = Field(_CONLLU, description="conllu, generic_tokenizer, horizontal or vertical.")
    output: str = Field(_CONLLU, description="conllu, epe, horizontal, matxin, plaintext, vertical")

    def pieces(self, model: Sequence[str]) -> list[Piece]:
        """Make the pieces for the pipeline.

        Args:
            model: The tasks of the pipeline, from `capabilities`.

        Raises:
            RequestError: A task or format is not supported, or the data are not in the format.
            ConlluError: The data are malformed CoNLL-U.
        """
        for name in _COLUMNS:
            if getattr(self, name) is not None and name not in model:
                raise RequestError(f"The model has no {name}. Leave out the parameter {name!r}.")
        _convert("", _CONLLU, self.output)
        if self.tokenizer is None:
            data = _convert(self.data, self.input, _CONLLU)
            file = io.BytesIO(data.encode())
            return [self._of_words(one.parse()) for one in conllu_blocks(file, Path("data"))]
        options = {*self.tokenizer.split(";")} - {""}
        if unknown := options - _OPTIONS:
            names = [", ".join(sorted(one)) for one in (unknown, _OPTIONS)]
            raise RequestError("Unknown tokenizer options: {}. Known ones: {}.".format(*names))
        paragraphs = paragraphs_of_text(self.data, lines="presegmented" in options)
        seen: list[Sentence] = []
        return [self._of_text(one, options, seen) for one in paragraphs]

    def _of_words(self, sentence: Sentence) -> Piece:
        def prepare(nlp: Language) -> Doc:
            return unannotated_doc([sentence], nlp.vocab)

        def read(doc: Doc) -> list[Sentence]:
            [found] = sentences_from_doc(keep_annotation(doc, [sentence], _KEPT))
            return [self._asked(found, sentence.rows)]

        return Piece(len(sentence.text), prepare, read, is_sentence=True)

    def _of_text(self, paragraph: Paragraph, options: set[str], seen: list[Sentence]) -> Piece:
        """seen: the sentences of the paragraphs before this one."""

        def prepare(nlp: Language) -> Prepared:
            if "presegmented" not in options:
                return paragraph
            doc = nlp.make_doc(paragraph.text)
            set_sentence_starts(doc, [len(doc)])
            return doc

        def read(doc: Doc) -> list[Sentence]:
            paragraph.mark(doc)
            first, ranges = 1 + len(seen), "ranges" in options
            found = sentences_from_doc(doc, first_id=first, token_ranges=ranges)
            seen.extend(found)
            return [self._asked(one, [_NOTHING] * len(one.rows)) for one in found]

        return Piece(len(paragraph.original), prepare, read, "presegmented" in options)

    def _asked(self, found: Sentence, given: Sequence[Row]) -> Sentence:
        """Take the requested columns from a parsed sentence, and the others from the input."""
        tasks = (name for name in _COLUMNS if getattr(self, name) is None)
        kept = [column for name in tasks for column in _COLUMNS[name]]
        rows = [
            new._replace(**{column: getattr(old, column) for column in kept})
            for new, old in zip(found.rows, given, strict=True)
        ]
        return make_sentence(rows, found.metadata, found.comments)

    def result(self, found: Iterable[Sequence[Sentence]]) -> str:
        """Write the sentences of all pieces in the output format."""
        text = conllu_text(chain.from_iterable(found))
        return _convert(text, _CONLLU, self.output)


def _convert(data: str, source: str, target: str) -> str:
    """Convert data from one of UDPipe's formats to another."""
    if source == target:
        return data
    error, nothing = udpipe.ProcessingError(), udpipe.Pipeline.NONE
    found: str = udpipe.Pipeline(None, source, nothing, nothing, target).process(data, error)
    if error.occurred():
        raise RequestError(error.message)
    return found
