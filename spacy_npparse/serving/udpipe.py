"""The REST interface of UDPipe 2: `/models` and `/process`.

Formats other than CoNLL-U are read and written by UDPipe itself. As there, what is not asked for
stays as it is in the input: tags without `tagger`, trees without `parser`.

Source: https://lindat.mff.cuni.cz/services/udpipe/api-reference.php
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ufal.udpipe
from spacy.language import Language
from spacy.tokens import Doc

from spacy_npparse.serving.pipelines import Piece, RequestError, ServedPipeline
from spacy_npparse.treebank import (
    Kept,
    Paragraph,
    Sentence,
    keep_annotation,
    paragraphs_of_text,
    sentences_from_doc,
    unannotated_doc,
)
from spacy_npparse.treebank.annotating import Prepared
from spacy_npparse.treebank.reading import conllu_blocks
from spacy_npparse.treebank.rows import make_sentence
from spacy_npparse.treebank.sentence import EMPTY

_CONLLU = "conllu"
_INPUTS = "conllu, generic_tokenizer, horizontal, vertical"
_OUTPUTS = "conllu, epe, horizontal, matxin, plaintext, vertical"
_OPTIONS = ("presegmented", "ranges")
_KEPT = (Kept.DEPS, Kept.MISC, Kept.COMMENTS)
_TAGS = ("lemma", "upos", "xpos", "feats")
_TREE = ("head", "deprel")
# What a component assigns that makes the pipeline a tagger or a parser.
_ASSIGNED = {"tagger": ("token.tag", "token.pos", "token.morph"), "parser": ("token.dep",)}


def capabilities(pipeline: ServedPipeline) -> list[str]:
    """What a pipeline does, in UDPipe's terms.

    Args:
        pipeline: The pipeline.
    """
    nlp = pipeline.nlp
    assigned = {what for name in nlp.pipe_names for what in nlp.get_pipe_meta(name).assigns}
    return ["tokenizer", *(name for name, kinds in _ASSIGNED.items() if assigned & {*kinds})]


def models(pipelines: Sequence[ServedPipeline]) -> dict[str, Any]:
    """The answer to `/models`.

    Args:
        pipelines: All, that by default first.
    """
    return {
        "models": {one.name: capabilities(one) for one in pipelines},
        "default_model": pipelines[0].name,
    }


def find_model(pipelines: Sequence[ServedPipeline], name: str | None) -> ServedPipeline:
    """Find the pipeline of a request.

    Args:
        pipelines: All, that by default first.
        name: Its name, or the beginning up to a hyphen, as UDPipe takes it; None for the default.

    Raises:
        RequestError: There is no such pipeline.
    """
    found = [one for one in pipelines if name is None or f"{one.name}-".startswith(f"{name}-")]
    if not found:
        known = ", ".join(one.name for one in pipelines)
        raise RequestError(f"The requested model {name!r} does not exist. Take one of: {known}.")
    return found[0]


@dataclass(frozen=True)
class Request:
    """A request to `/process`.

    Attributes:
        data: Text, or words in the format `input`.
        tokenizer: Options, if `data` is text; None if it has words already.
        columns: Of CoNLL-U, that are predicted.
        input: The format of `data`.
        output: The format of the result.
    """

    data: str
    tokenizer: frozenset[str] | None
    columns: tuple[str, ...]
    input: str
    output: str

    @classmethod
    def of(cls, parameters: Mapping[str, str], model: Sequence[str]) -> Request:
        """Read the parameters of a request.

        Args:
            parameters: By name; others than those of UDPipe do not count.
            model: See `capabilities`.

        Raises:
            RequestError: One is missing, or asks for what is not supported.
        """
        if "data" not in parameters:
            raise RequestError("The parameter 'data' is required.")
        for name in _ASSIGNED:
            if name in parameters and name not in model:
                raise RequestError(f"The model has no {name}. Leave out the parameter {name!r}.")
        output = parameters.get("output", _CONLLU)
        if ufal.udpipe.OutputFormat.newOutputFormat(output) is None:
            raise RequestError(f"Unknown output format {output!r}. Take one of: {_OUTPUTS}.")
        tokenizer = None
        if "tokenizer" in parameters:
            tokenizer = frozenset(filter(None, parameters["tokenizer"].split(";")))
            for option in tokenizer.difference(_OPTIONS):
                known = ", ".join(_OPTIONS)
                raise RequestError(f"Unknown tokenizer option {option!r}. Take of: {known}.")
        columns: tuple[str, ...] = ()
        columns += _TAGS if "tagger" in parameters else ()
        columns += _TREE if "parser" in parameters else ()
        given = parameters.get("input", _CONLLU)
        return cls(parameters["data"], tokenizer, columns, given, output)

    def pieces(self) -> list[Piece]:
        """What the pipeline gets.

        Raises:
            RequestError: The data are not in the format.
            ConlluError: They are malformed CoNLL-U.
        """
        if self.tokenizer is None:
            return [_Words(one, self.columns) for one in _read(self.data, self.input)]
        lines = "presegmented" in self.tokenizer
        ranges, counts = "ranges" in self.tokenizer, list[int]()
        return [
            _Text(one, self.columns, lines, ranges, counts)
            for one in paragraphs_of_text(self.data, lines=lines)
        ]

    def result(self, found: Iterable[Sequence[Sentence]]) -> str:
        """What is sent.

        Args:
            found: The sentences of each piece.
        """
        text = "".join(f"{sentence}\n\n" for sentences in found for sentence in sentences)
        if self.output == _CONLLU:
            return text
        writer = ufal.udpipe.OutputFormat.newOutputFormat(self.output)
        written = [writer.writeSentence(one) for one in _udpipe_sentences(text, _CONLLU)]
        return "".join([*written, writer.finishDocument()])


@dataclass(frozen=True)
class _Words:
    """A sentence whose words are given."""

    sentence: Sentence
    columns: tuple[str, ...]

    @property
    def size(self) -> int:
        return sum(len(word.form) + 1 for word in self.sentence.words)

    def prepare(self, nlp: Language) -> Doc:
        return unannotated_doc([self.sentence], nlp.vocab, sentence_starts=True)

    def read(self, doc: Doc) -> list[Sentence]:
        keep_annotation(doc, [self.sentence], _KEPT)
        found = sentences_from_doc(doc)
        return [_only(one, self.columns, self.sentence) for one in found]


@dataclass(frozen=True)
class _Text:
    """A paragraph of text. counts: the sentences of those before it."""

    paragraph: Paragraph
    columns: tuple[str, ...]
    is_sentence: bool
    ranges: bool
    counts: list[int]

    @property
    def size(self) -> int:
        return len(self.paragraph.original)

    def prepare(self, nlp: Language) -> Prepared:
        if not self.is_sentence:
            return self.paragraph
        doc = nlp.make_doc(self.paragraph.text)
        for token in doc:
            token.is_sent_start = token.i == 0
        return doc

    def read(self, doc: Doc) -> list[Sentence]:
        self.paragraph.mark(doc)
        first = 1 + sum(self.counts)
        found = sentences_from_doc(doc, first_id=first, token_ranges=self.ranges)
        self.counts.append(len(found))
        return [_only(one, self.columns) for one in found]


def _only(found: Sentence, columns: Sequence[str], given: Sentence | None = None) -> Sentence:
    """A sentence with some columns as they are predicted, and the others as they were given."""
    kept = [name for name in _TAGS + _TREE if name not in columns]
    if not kept:
        return found
    old = found.rows if given is None else given.rows
    rows = [
        new._replace(**{name: EMPTY if given is None else getattr(row, name) for name in kept})
        for new, row in zip(found.rows, old, strict=True)
    ]
    return make_sentence(rows, found.metadata, found.comments)


def _read(data: str, given: str) -> list[Sentence]:
    """The sentences of data in a format."""
    if given != _CONLLU:
        if ufal.udpipe.InputFormat.newInputFormat(given) is None:
            raise RequestError(f"Unknown input format {given!r}. Take one of: {_INPUTS}.")
        writer = ufal.udpipe.OutputFormat.newOutputFormat(_CONLLU)
        data = "".join(map(writer.writeSentence, _udpipe_sentences(data, given)))
    # Clients that send a form may have written its line ends.
    lines = io.BytesIO(data.replace("\r\n", "\n").encode())
    return [block.parse() for block in conllu_blocks(lines, Path("data"))]


def _udpipe_sentences(data: str, given: str) -> list[Any]:
    reader = ufal.udpipe.InputFormat.newInputFormat(given)
    reader.setText(data)
    error = ufal.udpipe.ProcessingError()
    found, sentence = [], ufal.udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        found.append(sentence)
        sentence = ufal.udpipe.Sentence()
    if error.occurred():
        raise RequestError(f"Cannot read the data in the format {given!r}: {error.message}.")
    return found
