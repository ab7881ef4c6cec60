"""Checks of the handling of an arbitrary file as CoNLL-U."""

from __future__ import annotations

import re
from pathlib import Path

from spacy.language import Language
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from spacy_npparse.evaluation import EnhancedDependencyError, score_sentences
from spacy_npparse.treebank import (
    ConlluCorpus,
    ConlluError,
    DocError,
    Kept,
    Sentence,
    doc_from_sentences,
    doc_to_conllu,
    doc_to_tokenlists,
    keep_annotation,
    paragraphs_of_treebank,
    parse_sentence,
    raw_texts,
    read_conllu,
    unannotated_doc,
    word_forms,
)
from spacy_npparse.treebank.contraction import contracted
from spacy_npparse.trees.missing import NO_HEAD

# The columns of CoNLL-U as attributes of spaCy.
_ATTRIBUTES = ["ORTH", "TAG", "POS", "MORPH", "LEMMA", "HEAD", "DEP", "SENT_START"]


def check_treebank(path: Path, nlp: Language) -> ConlluError | None:
    """Read a file, convert, parse and evaluate it, and check the results.

    Args:
        path: The file.
        nlp: A pipeline with a parser.

    Returns:
        The error if the reader rejects the file; otherwise None.

    Raises:
        AssertionError: If the error does not name file and line, or the result of a step is wrong.
    """
    reader = read_conllu(path)
    try:
        sentences = list(reader)
    except ConlluError as error:
        _check_error(error, path)
        remaining = read_conllu(path, on_error="skip")
        assert all(sentence.words for sentence in remaining)
        assert remaining.skipped[0].line == error.line
        for other in remaining.skipped:
            _check_error(other, path)
        return error
    _check_lossless(path, sentences, bool(reader.deviations))
    _check_corpus(path, sentences, nlp)
    _check_texts(sentences)
    _check_parsed(sentences, nlp)
    try:
        score_sentences(sentences, sentences)
    except EnhancedDependencyError as error:
        assert "DEPS" in str(error)
    return None


def _check_error(error: ConlluError, path: Path) -> None:
    message = re.escape(str(path)) + r", line (\d+): .+\. .+\."
    found = re.fullmatch(message, str(error), re.DOTALL)
    assert found and error.line == int(found[1]), error
    assert 1 <= error.line <= path.read_bytes().count(b"\n") + 1
    assert len(str(error)) < len(str(path)) + 500, "the message quotes too much"


def _check_lossless(path: Path, sentences: list[Sentence], normalised: bool) -> None:
    """Check that conversion to .spacy and back is lossless, and that `TokenList`s can be made."""
    expected = "".join(f"{sentence}\n\n" for sentence in sentences)
    if not normalised:
        assert expected.encode("utf-8") == path.read_bytes()
    vocab = Vocab()
    docs = [doc_from_sentences([sentence], vocab) for sentence in sentences]
    data = DocBin(attrs=_ATTRIBUTES, store_user_data=True, docs=docs).to_bytes()
    loaded = list(DocBin().from_bytes(data).get_docs(Vocab()))
    assert "".join(map(doc_to_conllu, loaded)) == expected
    for doc in docs:
        doc_to_tokenlists(doc)


def _check_corpus(path: Path, sentences: list[Sentence], nlp: Language) -> None:
    """Check that the training examples have the words and annotation of the file."""
    if not sentences:
        return
    for example, sentence in zip(ConlluCorpus(path)(nlp), sentences, strict=True):
        sentence = contracted(sentence)
        words = [word.form for word in sentence.words]
        assert word_forms(example.reference) == words
        assert word_forms(example.predicted) == words
        rows = zip(example.reference, sentence.words, sentence.heads[1:], strict=True)
        for token, word, head in rows:
            # spaCy treats a head without a label as missing.
            if head != NO_HEAD and word.deprel not in ("_", ""):
                assert token.head.i == (token.i if head == 0 else head - 1)
                assert token.dep_ == ("ROOT" if word.deprel == "root" else word.deprel)
            assert word.lemma == "_" or token.lemma_ == word.lemma
            assert word.xpos in ("_", "") or token.tag_ == word.xpos


def _check_texts(sentences: list[Sentence]) -> None:
    for text in raw_texts(sentences):
        text.encode("utf-8")
    try:
        assert all(paragraph.text for paragraph in paragraphs_of_treebank(sentences))
    except DocError as error:
        assert "by MISC" in str(error) and len(str(error)) < 500


def _check_parsed(sentences: list[Sentence], nlp: Language) -> None:
    """Check that the parsed sentences have the same words and a tree, in valid CoNLL-U."""
    docs = [unannotated_doc([s], nlp.vocab) for s in sentences]
    for doc, sentence in zip(nlp.pipe(docs), sentences, strict=True):
        written = doc_to_conllu(keep_annotation(doc, [sentence], list(Kept)))
        block, rest = written.split("\n\n")
        again = parse_sentence(block.split("\n"))
        assert not rest and again.n_roots == 1 and NO_HEAD not in again.heads[1:]
        assert [word.form for word in again.words] == [word.form for word in sentence.words]
