"""Measure how label rules change scores, errors of the official validator, and CPU time.

    python benchmarks/label_rules.py MODEL TRAIN.conllu DEV.conllu

Rules are learnt from TRAIN. The pipeline annotates gold tokens and sentences. Errors are counted
as by `evaluate --validate`, in predicted and in gold trees. CPU time is the time of the whole
pipeline from plain text on one thread, relative to the time without rules; the modes alternate.
"""

import argparse
import time
from pathlib import Path
from statistics import median

import spacy
import torch
from spacy.language import Language

from spacy_npparse.evaluation import Metric, TreeErrors, score_sentences, validate_sentences
from spacy_npparse.treebank import (
    Sentence,
    raw_texts,
    read_conllu,
    sentences_from_doc,
    unannotated_doc,
)
from spacy_npparse.treebank.label_rules import treebank_rules
from spacy_npparse.trees.label_rules import LabelRule

MODES = ("off", "labels", "trees")
METRICS = (Metric.UAS, Metric.LAS, Metric.CLAS, Metric.MLAS)
TESTS = ("too-many-subjects", "too-many-objects", "right-to-left")


def main() -> None:
    """Print a row for each value of the setting `label_rules`, and a row for the gold trees."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("train", type=Path)
    parser.add_argument("dev", type=Path)
    parser.add_argument("--rounds", type=int, default=5, help="of the measurement of time")
    args = parser.parse_args()
    torch.set_num_threads(1)
    gold = list(read_conllu(args.dev))
    rules = treebank_rules(read_conllu(args.train))
    pipelines = {mode: load(args.model, mode, rules) for mode in MODES}
    seconds = times(pipelines, gold, args.rounds)
    print("rules   " + "".join(f"{metric.label:>7}" for metric in METRICS), end="")
    print("".join(f"{test:>19}" for test in (*TESTS, "all errors")) + "   CPU time")
    for mode, nlp in pipelines.items():
        docs = (unannotated_doc([one], nlp.vocab) for one in gold)
        predicted = [one for doc in nlp.pipe(docs) for one in sentences_from_doc(doc)]
        scores = score_sentences(gold, predicted).official
        errors = validate_sentences(gold, predicted)
        print(f"{mode:8}" + "".join(f"{100 * scores[m].f1:7.2f}" for m in METRICS), end="")
        print("".join(f"{count(errors.predicted, test):19}" for test in TESTS), end="")
        print(f"{errors.predicted.n_errors:19}   {seconds[mode] / seconds['off']:8.3f}")
    print("gold    " + " " * 7 * len(METRICS), end="")
    print("".join(f"{count(errors.gold, test):19}" for test in TESTS), end="")
    print(f"{errors.gold.n_errors:19}")


def load(model: Path, mode: str, rules: list[LabelRule]) -> Language:
    """Load the pipeline with rules and a value of the setting `label_rules`."""
    nlp = spacy.load(model, config={"components.parser.label_rules": mode})
    nlp.get_pipe("parser").label_rules = rules
    return nlp


def times(pipelines: dict[str, Language], gold: list[Sentence], rounds: int) -> dict[str, float]:
    """Measure the median CPU seconds of each pipeline for the text of a treebank."""
    texts = list(raw_texts(gold))
    found: dict[str, list[float]] = {mode: [] for mode in pipelines}
    for _ in range(rounds):
        for mode, nlp in pipelines.items():
            start = time.process_time()
            for _ in nlp.pipe(texts):
                pass
            found[mode].append(time.process_time() - start)
    return {mode: median(ones) for mode, ones in found.items()}


def count(errors: TreeErrors, test: str) -> int:
    """Count the errors of all tests whose names begin with the given name."""
    return sum(n for name, n in errors.by_test.items() if name.startswith(test))


if __name__ == "__main__":
    main()
