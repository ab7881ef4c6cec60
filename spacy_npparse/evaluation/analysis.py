"""Analyses of a whole file, by which gold annotation and predictions are compared."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD, LEMMA, MORPH, POS, SENT_START, TAG
from spacy.parts_of_speech import NAMES as POS_NAMES
from spacy.tokens import Doc

from spacy_npparse.treebank import Sentence
from spacy_npparse.treebank.heads import heads_and_spans
from spacy_npparse.treebank.sentence import EMPTY
from spacy_npparse.trees.missing import NO_HEAD
from spacy_npparse.word_forms import surface_tokens, word_forms

Span = tuple[int, int]


@dataclass
class Analysis:
    """The analysis of a text, gold or predicted, as parallel lists over all its words.

    Character offsets ignore white space, so that analyses of the same text are comparable whatever
    their tokens.

    Attributes:
        text: The characters, without white space.
        tokens: The character span of each surface token.
        sentences: The character span of each sentence.
        sentence_words: The first word, and the word after the last, of each sentence.
        spans: The character span of each word. The words of a multiword token share its span.
        multiword: Whether each word is part of a multiword token.
        forms: The word forms.
        upos: Universal tags, `_` where missing.
        xpos: Language-specific tags, `_` where missing.
        feats: Morphological features, `_` where missing.
        lemmas: Lemmas, `_` where missing.
        heads: The index of each word's head among all words, the word itself for a root, NO_HEAD
            where missing.
        deprels: The universal relations without subtypes, None where missing.
        deps: The enhanced dependencies as in CoNLL-U, `_` where missing.
    """

    text: str = ""
    tokens: list[Span] = field(default_factory=list)
    sentences: list[Span] = field(default_factory=list)
    sentence_words: list[Span] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    multiword: list[bool] = field(default_factory=list)
    forms: list[str] = field(default_factory=list)
    upos: list[str] = field(default_factory=list)
    xpos: list[str] = field(default_factory=list)
    feats: list[str] = field(default_factory=list)
    lemmas: list[str] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)
    deprels: list[str | None] = field(default_factory=list)
    deps: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.forms)

    def part(self, first: int, end: int) -> Analysis:
        """Select consecutive sentences of the analysis.

        Args:
            first: The index of the first sentence.
            end: The index after the last sentence.

        Returns:
            An analysis whose words are counted from 0. Character spans and the text remain those of
            the whole.
        """
        sentences = self.sentences[first:end]
        if not sentences:
            return Analysis(self.text)
        (first_word, _), (_, end_word) = self.sentence_words[first], self.sentence_words[end - 1]
        begin, stop = sentences[0][0], sentences[-1][1]
        return Analysis(
            text=self.text,
            tokens=self.tokens[beginning_within(self.tokens, begin, stop)],
            sentences=sentences,
            sentence_words=[
                (a - first_word, b - first_word) for a, b in self.sentence_words[first:end]
            ],
            heads=[
                NO_HEAD if head == NO_HEAD else head - first_word
                for head in self.heads[first_word:end_word]
            ],
            **{name: getattr(self, name)[first_word:end_word] for name in _COLUMNS},
        )

    def local_heads(self, sentence: int) -> list[int]:
        """Find the tree of a sentence in the form of the package `trees`: heads of words 1..n, 0
        for the root.

        Args:
            sentence: The index of the sentence.

        Returns:
            n + 1 heads, of which the first one is unused. A head that is missing or in another
            sentence counts as the root.
        """
        first, end = self.sentence_words[sentence]
        heads = [0]
        for word, head in enumerate(self.heads[first:end], first):
            is_inside = first <= head < end and head != word
            heads.append(head - first + 1 if is_inside else 0)
        return heads


def beginning_within(spans: Sequence[Span], begin: int, end: int) -> slice:
    """Find the spans that begin between two characters.

    Args:
        spans: The spans, sorted.
        begin: The first character.
        end: The character after the last one.

    Returns:
        The indices of these spans.
    """
    return slice(bisect_left(spans, (begin,)), bisect_left(spans, (end,)))


# The attributes with an entry for each word, except heads.
_COLUMNS = [attribute.name for attribute in fields(Analysis)][4:]
_COLUMNS.remove("heads")


def analysis_of_sentences(sentences: Iterable[Sentence]) -> Analysis:
    """Make the analysis of CoNLL-U sentences.

    Args:
        sentences: The sentences of a file.
    """
    analysis = Analysis()
    characters: list[str] = []
    position = 0
    for sentence in sentences:
        first_word, first_character = len(analysis), position
        multiword = {token.first: token for token in sentence.multiword_tokens}
        token_end = 0
        for i, word in enumerate(sentence.words, 1):
            if i > token_end:
                token = multiword.get(i)
                token_end = token.last if token else i
                surface = _without_space(token.row.form if token else word.form)
                span = (position, position + len(surface))
                position = span[1]
                characters.append(surface)
                analysis.tokens.append(span)
            analysis.spans.append(span)
            analysis.multiword.append(token is not None)
            # Like the official evaluation, which removes spaces only from basic tokens.
            analysis.forms.append(word.form if token else surface)
            analysis.upos.append(word.upos)
            analysis.xpos.append(word.xpos)
            analysis.feats.append(word.feats)
            analysis.lemmas.append(word.lemma)
            analysis.deprels.append(None if word.deprel == EMPTY else universal(word.deprel))
            analysis.deps.append(word.deps)
        for i, head in enumerate(sentence.heads[1:], 1):
            analysis.heads.append(NO_HEAD if head == NO_HEAD else first_word + (head or i) - 1)
        analysis.sentences.append((first_character, position))
        analysis.sentence_words.append((first_word, len(analysis)))
    analysis.text = "".join(characters)
    return analysis


def analysis_of_docs(docs: Iterable[Doc]) -> Analysis:
    """Make the analysis of Docs, without white-space tokens.

    Args:
        docs: The annotated Docs of a file.
    """
    analysis = Analysis()
    characters: list[str] = []
    position = 0
    for doc in docs:
        text = doc.vocab.strings
        annotation: NDArray[np.uint64] = np.asarray(doc.to_array(_DOC_ATTRIBUTES), np.uint64)
        forms = word_forms(doc)
        is_space = [form.isspace() for form in forms]
        tokens = {token.start: token for token in surface_tokens(doc)}
        span = (position, position)
        last = 0
        head_tokens, spanned = heads_and_spans(annotation[:, 0], annotation[:, 1])
        heads = _doc_heads(head_tokens.tolist(), is_space, len(analysis))
        starts = (annotation[:, 2] == 1) & ~spanned
        starts[:1] = True
        begins = False
        for i, (_, dep, _, pos, tag, morph, lemma) in enumerate(annotation.tolist()):
            # A sentence that begins with white space begins at its first word.
            begins = begins or bool(starts[i])
            if is_space[i]:
                continue
            token = tokens.get(i)
            if token:
                surface = _without_space(token.text)
                span = (position, position + len(surface))
                position, last = span[1], token.end if token.words else 0
                characters.append(surface)
                analysis.tokens.append(span)
            n_words = len(analysis)
            if begins:
                analysis.sentences.append(span)
                analysis.sentence_words.append((n_words, n_words + 1))
                begins = False
            else:
                analysis.sentences[-1] = (analysis.sentences[-1][0], position)
                analysis.sentence_words[-1] = (analysis.sentence_words[-1][0], n_words + 1)
            analysis.spans.append(span)
            analysis.multiword.append(i < last)
            analysis.forms.append(forms[i] if i < last else surface)
            analysis.upos.append(POS_NAMES[pos] or EMPTY)
            analysis.xpos.append(text[tag] or EMPTY)
            analysis.feats.append(text[morph] or EMPTY)
            analysis.lemmas.append(text[lemma] or EMPTY)
            analysis.heads.append(heads[i])
            relation = "root" if text[dep] == "ROOT" else text[dep]  # as it is in CoNLL-U
            analysis.deprels.append(universal(relation) if dep else None)
            analysis.deps.append(EMPTY)
    analysis.text = "".join(characters)
    return analysis


_DOC_ATTRIBUTES = [HEAD, DEP, SENT_START, POS, TAG, MORPH, LEMMA]


def _doc_heads(head_tokens: list[int], is_space: list[bool], first_word: int) -> list[int]:
    """Convert the heads of a Doc's tokens to indices of words. Children of white space move to its
    head."""
    numbers = (first_word + np.cumsum(np.logical_not(is_space)) - 1).tolist()
    heads: list[int] = []
    for token, head in enumerate(head_tokens):
        if head == NO_HEAD:
            heads.append(NO_HEAD)
            continue
        while head != token and is_space[head] and head_tokens[head] not in (head, NO_HEAD):
            head = head_tokens[head]
        heads.append(numbers[token if is_space[head] else head])
    return heads


def universal(deprel: str) -> str:
    """Remove the subtype of a relation."""
    return deprel.split(":", 1)[0]


def _without_space(form: str) -> str:
    return "".join(form.split())
