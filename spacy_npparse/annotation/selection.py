"""Which sentences, or which arcs, of unannotated text are worth annotating."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from conllu import Metadata
from numpy.typing import NDArray
from spacy.language import Language
from spacy.util import minibatch

from spacy_npparse.annotation.posteriors import encode_sentences
from spacy_npparse.treebank import Sentence
from spacy_npparse.treebank.rows import make_sentence, with_comments, with_misc
from spacy_npparse.treebank.sentence import EMPTY, UD_ROOT, Row, is_boundary
from spacy_npparse.trees.missing import NO_LABEL

# Attributes of MISC: the arc that the parser would take, and how probable it is.
_PREDICTED = "PredictedArc"
_PROBABILITY = "Probability"
_COMMENT = "selected"

Floats = NDArray[np.float64]


class Criterion(str, Enum):
    """What annotation is expected to bring.

    Attributes:
        ENTROPY: Of the heads of a word, and of the labels given the predicted head: how much the
            parser would learn to know.
        ERROR: The probability that the predicted head or label is wrong: how much would be
            corrected.
        DIVERSITY: Entropy, times how far a sentence is from all that have been chosen.
    """

    ENTROPY = "entropy"
    ERROR = "error"
    DIVERSITY = "diversity"


@dataclass(frozen=True)
class JudgedSentence:
    """A sentence as a parser sees it.

    Attributes:
        sentence: The sentence.
        heads: Of the words, as they are predicted, 0 for the root.
        labels: Of the arcs.
        entropies: float64 [n_words], in nats; see `Criterion`.
        errors: float64 [n_words]; see `Criterion`.
        vector: float32 [width], the mean of the vectors of its words.
    """

    sentence: Sentence
    heads: Sequence[int]
    labels: Sequence[str]
    entropies: Floats
    errors: Floats
    vector: NDArray[np.float32]

    def benefits(self, criterion: Criterion) -> Floats:
        """What the annotation of each word is expected to bring: [n_words]."""
        return self.errors if criterion is Criterion.ERROR else self.entropies


def judge_sentences(
    nlp: Language, sentences: Iterable[Sentence], batch_size: int
) -> Iterator[JudgedSentence]:
    """Parse sentences, keeping how sure the parser is.

    Args:
        nlp: A pipeline with one parser.
        sentences: The sentences, whose annotation is not looked at.
        batch_size: How many are encoded at once.

    Yields:
        The sentences.

    Raises:
        PosteriorError: See `encode_sentences`.
    """
    for batch in minibatch(sentences, batch_size):
        encoded = encode_sentences(nlp, batch, batch_size)
        names = encoded.parser.label_data
        trees = encoded.trees()
        by_labels = encoded.labels([heads for heads, _ in trees])
        judged = zip(batch, trees, encoded.heads(), by_labels, encoded.vectors(), strict=True)
        for sentence, (tree, labels), by_head, by_label, vector in judged:
            in_tree = tree > 0
            of_heads = by_head[range(len(tree)), tree].astype(np.float64)
            of_labels = np.where(in_tree, by_label[range(len(tree)), labels], 1.0)
            yield JudgedSentence(
                sentence,
                tree.tolist(),
                [UD_ROOT if label == NO_LABEL else names[label] for label in labels.tolist()],
                _entropies(by_head) + _entropies(by_label),
                1.0 - of_heads * of_labels,
                vector,
            )


def select_sentences(
    judged: Sequence[JudgedSentence], criterion: Criterion, n_words: int
) -> list[int]:
    """Choose whole sentences, those first whose annotation brings most for each word.

    Args:
        judged: The sentences.
        criterion: What annotation is expected to bring.
        n_words: How many words are annotated at most.

    Returns:
        The numbers of sentences, the best first.

    Source: the diversity is that of Sener and Savarese (2018), weighted by entropy.
    """
    benefits = np.array([one.benefits(criterion).mean() for one in judged])
    lengths = np.array([len(one.heads) for one in judged])
    chosen: list[int] = []
    left = n_words
    if criterion is not Criterion.DIVERSITY:
        for best in np.argsort(-benefits, kind="stable").tolist():
            if lengths[best] <= left:
                chosen.append(best)
                left -= int(lengths[best])
        return chosen
    vectors = np.stack([one.vector for one in judged])
    vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    distances = np.ones(len(judged))
    open_ = np.ones(len(judged), dtype=bool)
    while (fits := open_ & (lengths <= left)).any():
        best = int(np.where(fits, benefits * distances, -np.inf).argmax())
        chosen.append(best)
        open_[best] = False
        left -= int(lengths[best])
        distances = np.minimum(distances, 1.0 - vectors @ vectors[best])
    return chosen


def select_words(
    judged: Sequence[JudgedSentence], criterion: Criterion, n_words: int
) -> dict[int, list[int]]:
    """Choose single words, whose arcs are to be annotated.

    Args:
        judged: The sentences.
        criterion: What annotation is expected to bring; not the diversity, which is of sentences.
        n_words: How many words are chosen.

    Returns:
        The words chosen, from 1, by the number of their sentence; the sentences with the best words
        first.
    """
    if criterion is Criterion.DIVERSITY:
        raise ValueError("diversity is that of sentences. Take entropy or error for single arcs.")
    benefits = np.concatenate([one.benefits(criterion) for one in judged])
    sentence = np.repeat(np.arange(len(judged)), [len(one.heads) for one in judged])
    words = np.concatenate([np.arange(1, len(one.heads) + 1) for one in judged])
    chosen: dict[int, list[int]] = {}
    for place in np.argsort(-benefits, kind="stable")[:n_words].tolist():
        chosen.setdefault(int(sentence[place]), []).append(int(words[place]))
    return chosen


def select_doubtful_words(
    judged: Iterable[JudgedSentence], min_error: float, n_words: int
) -> list[tuple[JudgedSentence, list[int]]]:
    """Choose the words of each sentence whose predicted arcs are probably wrong, sentence after
    sentence.

    Args:
        judged: The sentences, best in random order. No more of them are taken than are chosen, and
            one.
        min_error: The least probability that the head or the label is wrong.
        n_words: How many words are annotated at most.

    Returns:
        The sentences, each with the words chosen, from 1: none, if the parser is sure of all.

    Source: partial annotation of the uncertain words of a sentence is that of Li et al. (2016).
    """
    chosen: list[tuple[JudgedSentence, list[int]]] = []
    left = n_words
    for one in judged:
        words = (np.flatnonzero(one.errors >= min_error) + 1).tolist()
        if len(words) > left:
            break
        chosen.append((one, words))
        left -= len(words)
    return chosen


def partial_sentence(one: JudgedSentence, words: Iterable[int], benefit: str) -> Sentence:
    """A sentence for annotators, without its tree.

    Args:
        one: The sentence.
        words: Those whose arcs are to be annotated, from 1. MISC has the predicted arc and its
            probability.
        benefit: What a comment says why it was selected.

    Returns:
        The sentence.
    """
    asked = set(words)
    rows = [
        _row(one, row, int(row.id) in asked) if row.id.isdecimal() else row
        for row in one.sentence.rows
    ]
    return with_comments(make_sentence(rows, *_without_place(one.sentence)), {_COMMENT: benefit})


def _without_place(sentence: Sentence) -> tuple[Metadata, list[str]]:
    """The comments of a sentence that do not say where it was in its document: another one comes
    before it now."""
    names = ("newdoc", "newpar")
    metadata = {k: v for k, v in sentence.metadata.items() if not is_boundary(k, *names)}
    comments = [
        comment
        for comment in sentence.comments
        if not is_boundary(comment.removeprefix("#").strip(), *names)
    ]
    return Metadata(metadata), comments


def _row(one: JudgedSentence, row: Row, asked: bool) -> Row:
    row = row._replace(head=EMPTY, deprel=EMPTY)
    if not asked:
        return row
    i = int(row.id) - 1
    arc = f"{one.heads[i]}:{one.labels[i]}"
    return with_misc(row, {_PREDICTED: arc, _PROBABILITY: f"{1.0 - one.errors[i]:.4f}"})


def _entropies(probabilities: NDArray[np.float32]) -> Floats:
    """Of each row."""
    values = probabilities.astype(np.float64)
    logs = np.log(values, out=np.zeros_like(values), where=values > 0.0)
    return -(values * logs).sum(axis=1)
