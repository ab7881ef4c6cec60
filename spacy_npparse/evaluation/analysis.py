"""What the scores look at: the words of a whole file, placed on its characters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD, LEMMA, MORPH, POS, SENT_START, TAG
from spacy.parts_of_speech import NAMES as POS_NAMES
from spacy.tokens import Doc

from spacy_npparse.treebank import Sentence

ROOT = -1
Span = tuple[int, int]


@dataclass
class Analysis:
    """The analysis of a text, gold or predicted, as parallel lists over all its words.

    Character positions count the text without white space, so that two analyses of the same text
    can be compared whatever their tokens are.

    text: the characters, without white space.
    tokens: character span of each surface token.
    sentences: character span of each sentence.
    sentence_words: first word, and word after the last, of each sentence.
    spans: character span of each word; the words of a multiword token share the token's.
    multiword: whether the word is part of a multiword token.
    forms, upos, xpos, feats, lemmas: as strings, `_` where missing.
    heads: index of the head among all words, ROOT, or None where missing.
    deprels: universal relation (without subtype), None where missing.
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
    heads: list[int | None] = field(default_factory=list)
    deprels: list[str | None] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.forms)

    def local_heads(self, sentence: int) -> list[int]:
        """The tree of a sentence in the convention of `transitions`: heads[0] unused, 0 the root.

        A missing head, or one in another sentence, counts as the root.
        """
        first, end = self.sentence_words[sentence]
        heads = [0]
        for head in self.heads[first:end]:
            inside = head is not None and first <= head < end
            heads.append(head - first + 1 if head is not None and inside else 0)
        return heads


def analysis_of_sentences(sentences: Iterable[Sentence]) -> Analysis:
    """The analysis that CoNLL-U sentences hold."""
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
            # As the official evaluation does, which removes spaces from basic tokens only.
            analysis.forms.append(word.form if token else surface)
            analysis.upos.append(word.upos)
            analysis.xpos.append(word.xpos)
            analysis.feats.append(word.feats)
            analysis.lemmas.append(word.lemma)
            analysis.deprels.append(None if word.deprel == "_" else universal(word.deprel))
        for head in sentence.heads[1:]:
            analysis.heads.append(head if head is None else first_word + head - 1 if head else ROOT)
        analysis.sentences.append((first_character, position))
        analysis.sentence_words.append((first_word, len(analysis)))
    analysis.text = "".join(characters)
    return analysis


def analysis_of_docs(docs: Iterable[Doc]) -> Analysis:
    """The analysis that Docs hold. White-space tokens are no words."""
    analysis = Analysis()
    characters: list[str] = []
    position = 0
    for doc in docs:
        text = doc.vocab.strings
        annotation: NDArray[np.uint64] = np.asarray(doc.to_array(_DOC_ATTRIBUTES), np.uint64)
        annotation = annotation.reshape(len(doc), len(_DOC_ATTRIBUTES))
        forms = [token.text for token in doc]
        is_space = [form.isspace() for form in forms]
        heads = _doc_heads(annotation[:, 0], annotation[:, 1], is_space, len(analysis))
        starts = annotation[:, 2] == 1
        starts[:1] = True
        begins = False
        for i, (_, dep, _, pos, tag, morph, lemma) in enumerate(annotation.tolist()):
            # A sentence that begins with white space begins, as far as words go, after it.
            begins = begins or bool(starts[i])
            if is_space[i]:
                continue
            surface = _without_space(forms[i])
            span = (position, position + len(surface))
            position = span[1]
            n_words = len(analysis)
            if begins:
                analysis.sentences.append(span)
                analysis.sentence_words.append((n_words, n_words + 1))
                begins = False
            else:
                analysis.sentences[-1] = (analysis.sentences[-1][0], position)
                analysis.sentence_words[-1] = (analysis.sentence_words[-1][0], n_words + 1)
            characters.append(surface)
            analysis.tokens.append(span)
            analysis.spans.append(span)
            analysis.multiword.append(False)
            analysis.forms.append(surface)
            analysis.upos.append(POS_NAMES[pos] or "_")
            analysis.xpos.append(text[tag] or "_")
            analysis.feats.append(text[morph] or "_")
            analysis.lemmas.append(text[lemma] or "_")
            analysis.heads.append(heads[i])
            analysis.deprels.append(universal(text[dep]) if dep else None)
    analysis.text = "".join(characters)
    return analysis


_DOC_ATTRIBUTES = [HEAD, DEP, SENT_START, POS, TAG, MORPH, LEMMA]


def _doc_heads(
    offsets: NDArray[np.uint64], deps: NDArray[np.uint64], is_space: list[bool], first_word: int
) -> list[int | None]:
    """Heads of a Doc's tokens as word numbers; words under white space go to what is above it."""
    n = len(is_space)
    head_tokens = (np.arange(n) + offsets.astype(np.int64)).tolist()
    numbers = (first_word + np.cumsum(np.logical_not(is_space)) - 1).tolist()
    heads: list[int | None] = []
    for token in range(n):
        head = head_tokens[token]
        if head == token and deps[token] == 0:
            heads.append(None)
            continue
        while head != token and is_space[head] and head_tokens[head] != head:
            head = head_tokens[head]
        heads.append(ROOT if head == token or is_space[head] else numbers[head])
    return heads


def universal(deprel: str) -> str:
    """The relation without its subtype, spaCy's ROOT being UD's root."""
    return "root" if deprel == "ROOT" else deprel.split(":", 1)[0]


def _without_space(form: str) -> str:
    return "".join(form.split())
