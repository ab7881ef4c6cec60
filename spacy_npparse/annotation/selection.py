"""Selection of the sentences or arcs of unannotated text that are most worth annotating."""

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
from spacy_npparse.treebank.sentence import EMPTY, UD_ROOT, Row, comment_key
from spacy_npparse.trees.missing import NO_LABEL

# The attributes of MISC with the arc that the parser predicts, and its probability.
PREDICTED_ARC = "PredictedArc"
PROBABILITY = "Probability"
_COMMENT = "selected"

Floats = NDArray[np.float64]


class Criterion(str, Enum):
    """A criterion by which sentences or words are ranked.

    Attributes:
        ENTROPY: The entropy of the heads of a word, plus that of the labels given the predicted
            head: how much the parser would learn.
        ERROR: The probability that the predicted head or label is wrong: how much would be
            corrected.
        DIVERSITY: The entropy, times the distance of a sentence from all that have been selected.
    """

    ENTROPY = "entropy"
    ERROR = "error"
    DIVERSITY = "diversity"


@dataclass(frozen=True)
class JudgedSentence:
    """A sentence with its predicted tree and the value of its annotation.

    Attributes:
        sentence: The sentence.
        heads: The predicted heads of the words, 0 for the root.
        labels: The predicted labels of the arcs.
        entropies: float64 [n_words], the entropy of each word in nats; see `Criterion`.
        errors: float64 [n_words], the probability of an error in each word; see `Criterion`.
        vector: float32 [width], the mean of the vectors of its words.
    """

    sentence: Sentence
    heads: Sequence[int]
    labels: Sequence[str]
    entropies: Floats
    errors: Floats
    vector: NDArray[np.float32]

    def benefits(self, criterion: Criterion) -> Floats:
        """Find the value of annotating each word: [n_words]."""
        return self.errors if criterion is Criterion.ERROR else self.entropies


def judge_sentences(
    nlp: Language, sentences: Iterable[Sentence], batch_size: int
) -> Iterator[JudgedSentence]:
    """Parse sentences, and judge the value of their annotation.

    Args:
        nlp: A pipeline with one parser.
        sentences: The sentences, whose annotation is ignored.
        batch_size: The number of sentences that are encoded at once.

    Yields:
        The judged sentences.

    Raises:
        PosteriorError: The pipeline has no suitable parser, see `encode_sentences`.
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
    """Select whole sentences, starting with those whose annotation is most valuable per word.

    Args:
        judged: The judged sentences.
        criterion: The criterion by which sentences are ranked.
        n_words: The maximum number of words to annotate.

    Returns:
        The indices of the selected sentences, with the most valuable first.

    Source: Sener and Savarese (2018) for the diversity, here weighted by entropy.
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
    """Select single words, whose arcs are to be annotated.

    Args:
        judged: The judged sentences.
        criterion: The criterion by which words are ranked, except diversity, which applies to
            sentences.
        n_words: The maximum number of words to annotate.

    Returns:
        The selected words, from 1, by the index of the sentence, starting with the sentences that
        contain the most valuable words.
    """
    if criterion is Criterion.DIVERSITY:
        raise ValueError(
            "diversity is a criterion for sentences. Use entropy or error for single arcs."
        )
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
    """Select the words of each sentence whose predicted arcs are probably wrong, one sentence after
    another.

    Args:
        judged: The judged sentences, preferably in random order. At most one sentence more is read
            than selected.
        min_error: The lowest probability of an error in the head or label for which a word is
            selected.
        n_words: The maximum number of words to annotate.

    Returns:
        The sentences, each with its selected words, from 1. It has none if the parser is sure of
        all.

    Source: Li et al. (2016) for partial annotation of the uncertain words of a sentence.
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
    """Prepare a sentence without a tree for annotators.

    Args:
        one: The judged sentence.
        words: The words to annotate, from 1. Their MISC gets the predicted arc and its probability.
        benefit: The text of the comment that says why the sentence was selected.

    Returns:
        The sentence for annotators.
    """
    asked = set(words)
    rows = [
        _row(one, row, int(row.id) in asked) if row.id.isdecimal() else row
        for row in one.sentence.rows
    ]
    return with_comments(make_sentence(rows, *_without_place(one.sentence)), {_COMMENT: benefit})


def _without_place(sentence: Sentence) -> tuple[Metadata, list[str]]:
    """Select the comments of a sentence that do not depend on its place in the document, because
    another sentence comes before it now."""
    opening = sentence.opening
    metadata = {k: v for k, v in sentence.metadata.items() if k not in opening}
    comments = [c for c in sentence.comments if comment_key(c) not in opening]
    return Metadata(metadata), comments


def _row(one: JudgedSentence, row: Row, asked: bool) -> Row:
    row = row._replace(head=EMPTY, deprel=EMPTY)
    if not asked:
        return row
    i = int(row.id) - 1
    arc = f"{one.heads[i]}:{one.labels[i]}"
    return with_misc(row, {PREDICTED_ARC: arc, PROBABILITY: f"{1.0 - one.errors[i]:.4f}"})


def _entropies(probabilities: NDArray[np.float32]) -> Floats:
    """Compute the entropy of each row."""
    values = probabilities.astype(np.float64)
    logs = np.log(values, out=np.zeros_like(values), where=values > 0.0)
    return -(values * logs).sum(axis=1)
