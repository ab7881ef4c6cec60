"""Compare sentence boundaries found jointly with the trees and boundaries found separately.

Documents with gold words and without boundaries are parsed, each as one Doc. The table shows the F1
of sentences, UAS and LAS with the sentences that the parser finds, with all boundaries that it
finds separately more probable than not, and with gold boundaries, in whole documents and one
sentence at a time. Then the program prints the CPU time of the search for sentences in texts of
growing length, and its share of the time of the pipeline. With --shifts, it instead raises the
log-odds of boundaries by these values. With --windows, the encoder of `CharBiLSTM` reads windows of
so many words.

    python benchmarks/sentences.py training/gothic/model-best dev.conllu
    python benchmarks/sentences.py training/gothic/model-best dev.conllu --shifts 0 0.5 1 1.5
    python benchmarks/sentences.py training/gothic/model-best dev.conllu --windows 16 64 128 256
"""

import argparse
from collections.abc import Iterable, Sequence
from itertools import repeat
from pathlib import Path
from time import process_time
from typing import Any
from unittest.mock import patch

import numpy as np
import spacy
import torch
from recording import recorded
from spacy.language import Language
from spacy.tokens import Doc

from spacy_npparse.components import sentence_finder
from spacy_npparse.decoding import Spans, score_spans
from spacy_npparse.evaluation import Metric, Scores, score_sentences
from spacy_npparse.evaluation.significance import randomisation_of_rates
from spacy_npparse.models import char_bilstm_net
from spacy_npparse.parsing import EncodedTokens
from spacy_npparse.treebank import Sentence, read_conllu, sentences_from_doc, unannotated_doc
from spacy_npparse.treebank.docs import group_sentences

REPETITIONS = (1, 4, 16)


def main() -> None:
    """Print the figures of a model."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("gold", type=Path)
    parser.add_argument("--shifts", type=float, nargs="+", default=[])
    parser.add_argument("--windows", type=int, nargs="+", default=[])
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    nlp = spacy.load(arguments.model)
    gold = list(read_conllu(arguments.gold))
    if arguments.shifts or arguments.windows:
        print_scores(varied(nlp, gold, arguments.shifts, arguments.windows))
        return
    with patch.object(sentence_finder, "score_spans", without_heads):
        by_themselves = annotated(nlp, gold, docs_of(nlp, gold, 0))
    found = {
        "gold, one by one": annotated(nlp, gold, docs_of(nlp, gold, 1, boundaries=True)),
        "gold": annotated(nlp, gold, docs_of(nlp, gold, 0, boundaries=True)),
        "by themselves": by_themselves,
        "with the trees": annotated(nlp, gold, docs_of(nlp, gold, 0)),
    }
    print_scores(found)
    counts = [las_counts(found[name]) for name in ("by themselves", "with the trees")]
    p_value = float(randomisation_of_rates(*counts)[0])
    print(f"LAS with the trees against by themselves: p = {p_value:.4f}")
    report_time(nlp, gold)


def varied(
    nlp: Language, gold: Sequence[Sentence], shifts: Sequence[float], windows: Sequence[int]
) -> dict[str, Scores]:
    """Return the scores with other log-odds of boundaries, and with other encoder windows."""
    found = {}
    score_starts = EncodedTokens.score_starts
    for shift in shifts:

        def shifted(*arguments: Any, shift: float = shift) -> np.ndarray:
            return score_starts(*arguments) + shift

        with patch.object(EncodedTokens, "score_starts", shifted):
            found[f"log-odds {shift:+g}"] = annotated(nlp, gold, docs_of(nlp, gold, 0))
    for window in windows:
        with patch.object(char_bilstm_net, "WINDOW", window):
            found[f"windows of {window}"] = annotated(nlp, gold, docs_of(nlp, gold, 0))
    return found


def print_scores(found: dict[str, Scores]) -> None:
    """Print a table."""
    print(f"{'boundaries':20}{'Sentences':>10}{'UAS':>8}{'LAS':>8}")
    for name, scores in found.items():
        rates = [scores.official[m].f1 for m in (Metric.SENTENCES, Metric.UAS, Metric.LAS)]
        print(f"{name:20}{100 * rates[0]:10.2f}{100 * rates[1]:8.2f}{100 * rates[2]:8.2f}")


def docs_of(
    nlp: Language, gold: Sequence[Sentence], per_doc: int, boundaries: bool = False
) -> list[Doc]:
    """Make Docs of gold words. per_doc: sentences in a Doc, 0 for whole documents."""
    groups = group_sentences(gold, repeat(per_doc))
    return [unannotated_doc(group, nlp.vocab, sentence_starts=boundaries) for group in groups]


def annotated(nlp: Language, gold: Sequence[Sentence], docs: Iterable[Doc]) -> Scores:
    """Return the scores of the pipeline on Docs."""
    return score_sentences(gold, (s for doc in nlp.pipe(docs) for s in sentences_from_doc(doc)))


def without_heads(*arguments: Any) -> Spans:
    """Return the spans of `score_spans` with equal scores, so that trees do not affect boundaries.
    Unlike preset boundaries, such boundaries do not limit the context of the encoder."""
    spans = score_spans(*arguments)
    return spans._replace(scores=np.zeros_like(spans.scores))


def las_counts(scores: Scores) -> np.ndarray:
    """Return numerator and denominator of the LAS of each gold sentence: [sentences, 1, 2]."""
    las = scores.las_of_sentences
    return np.array([[(2 * s.correct, s.gold + s.system)] for s in las], dtype=np.float64)


def report_time(nlp: Language, gold: Sequence[Sentence]) -> None:
    """Print the time of the search for sentences by the length of the text."""
    words = [word.form for sentence in gold for word in sentence.words]
    print(f"{'words in a Doc':20}{'search, us/word':>16}{'all, us/word':>14}{'share':>8}")
    for times in REPETITIONS:
        doc = Doc(nlp.vocab, words=words[:2000] * times)
        with recorded(sentence_finder, "find_sentences") as calls:
            start = process_time()
            nlp(doc)
            seconds = process_time() - start
        search = sum(call_seconds for call_seconds, _ in calls)
        per_word = 1e6 / len(doc)
        shown = f"{search * per_word:16.1f}{seconds * per_word:14.1f}{search / seconds:8.0%}"
        print(f"{len(doc):<20}{shown}")


if __name__ == "__main__":
    main()
