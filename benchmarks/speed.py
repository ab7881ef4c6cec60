"""Speed of a trained pipeline, and the shares of its parts.

One process, one thread, after a warm-up run, medians of five runs; baselines are run alternately.

    python benchmarks/speed.py training/gothic/model-best dev.conllu --train train.conllu
    python benchmarks/speed.py training/fast/model-best dev.conllu --baseline spacy/model-best
    python benchmarks/speed.py mh4/model-best dev.conllu --baseline greedy/model-best
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import spacy
import torch
from recording import recorded
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_npparse.components import search, transition_parser
from spacy_npparse.components.transition_parser import TransitionParser
from spacy_npparse.evaluation.scorer import parser_score
from spacy_npparse.treebank import ConlluCorpus, read_conllu, unannotated_doc

RUNS = 5
BATCH = 128


def main() -> None:
    """Print the figures of a model, beside those of a baseline if there is one."""
    arguments = parse_arguments()
    torch.set_num_threads(1)
    pipelines = {"model": load(arguments.model)}
    if arguments.baseline:
        pipelines["baseline"] = load(arguments.baseline)
    report_parsing(pipelines, arguments.gold)
    if not isinstance(pipelines["model"].get_pipe("parser"), TransitionParser):
        return
    report_shares(pipelines["model"], arguments.gold)
    report_loop(pipelines["model"], arguments.gold)
    if arguments.train:
        report_roll_outs(pipelines["model"], arguments.train)


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path, help="trained pipeline")
    parser.add_argument("gold", type=Path, help="CoNLL-U file to parse, with gold tokens")
    parser.add_argument("--baseline", type=Path, help="another pipeline, parsed side by side")
    parser.add_argument("--train", type=Path, help="CoNLL-U file: time roll-outs in training too")
    return parser.parse_args()


def load(path: Path) -> Language:
    """The pipeline with its encoder and parser only: tagging is no part of parsing."""
    nlp = spacy.load(path)
    nlp.select_pipes(enable=[name for name in nlp.pipe_names if name in ("tok2vec", "parser")])
    return nlp


def make_docs(nlp: Language, path: Path) -> list[Doc]:
    """Docs with gold tokens and sentence boundaries, one sentence each."""
    return [unannotated_doc([s], nlp.vocab, sentence_starts=True) for s in read_conllu(path)]


def seconds(run: Callable[[], Any]) -> float:
    """CPU time of one call."""
    start = time.process_time()
    run()
    return time.process_time() - start


def total(calls: list[tuple[float, Any]]) -> float:
    """The CPU time of some calls."""
    return sum(spent for spent, _ in calls)


def report_parsing(pipelines: dict[str, Language], path: Path) -> None:
    """Words per second from tokens to trees, and the accuracy that goes with it."""
    rates: dict[str, list[float]] = {name: [] for name in pipelines}
    for run in range(RUNS + 1):
        for name, nlp in pipelines.items():
            docs = make_docs(nlp, path)
            n_words = sum(len(doc) for doc in docs)
            spent = seconds(lambda: [*nlp.pipe(docs, batch_size=BATCH)])  # noqa: B023
            if run:
                rates[name].append(n_words / spent)
    for name, nlp in pipelines.items():
        corpus = ConlluCorpus(path)
        examples = list(corpus(nlp))
        parsed = list(nlp.pipe([eg.predicted for eg in examples], batch_size=BATCH))
        pairs = zip(parsed, examples, strict=True)
        scores = parser_score([Example(doc, eg.reference) for doc, eg in pairs])
        print(
            f"{name}: {median(rates[name]):,.0f} words/s, "
            f"UAS {100 * scores['dep_uas']:.2f}, LAS {100 * scores['dep_las']:.2f}"
        )
    if len(pipelines) == 2:
        ratios = [a / b for a, b in zip(rates["model"], rates["baseline"], strict=True)]
        print(f"model / baseline: {median(ratios):.2f} times as many words per second")


def report_shares(nlp: Language, path: Path) -> None:
    """The share of the parse time that is spent after the encoder, and in the transition loop."""
    encoder, parser = nlp.get_pipe("tok2vec"), nlp.get_pipe("parser")
    after, loop = [], []
    for run in range(RUNS + 1):
        docs = make_docs(nlp, path)
        encoding = seconds(lambda: [*encoder.pipe(docs, batch_size=BATCH)])  # noqa: B023
        with recorded(search, "decode_greedy") as calls:
            parsing = seconds(lambda: [*parser.pipe(docs, batch_size=BATCH)])  # noqa: B023
        if run:
            after.append(parsing / (encoding + parsing))
            loop.append(total(calls) / (encoding + parsing))
    print(f"after the encoder: {100 * median(after):.1f} % of the parse time")
    print(f"transition loop: {100 * median(loop):.2f} % of the parse time")


def report_loop(nlp: Language, path: Path) -> None:
    """The transition loop alone, on pseudo-sentences of different lengths cut from the text."""
    words = [word.form for sentence in read_conllu(path) for word in sentence.words]
    rates = {}
    for length in (20, 1000):
        texts = [words[i : i + length] for i in range(0, len(words) - length + 1, length)]
        times = []
        for _ in range(RUNS + 1):
            docs = [Doc(nlp.vocab, words=text) for text in texts]
            with recorded(search, "decode_greedy") as calls:
                list(nlp.pipe(docs, batch_size=BATCH))
            times.append(total(calls))
        rates[length] = length * len(texts) / median(times[1:])
        print(f"transition loop alone, {length} words a sentence: {rates[length]:,.0f} words/s")
    print(f"cost per word at length 1000: {rates[20] / rates[1000]:.2f} times that at length 20")


def report_roll_outs(nlp: Language, path: Path) -> None:
    """The share of training time that roll-outs take, over one pass of the treebank."""
    examples = list(ConlluCorpus(path)(nlp))
    optimizer = nlp.create_optimizer()
    with recorded(transition_parser, "roll_out") as calls:
        training = seconds(
            lambda: [
                nlp.update(examples[i : i + 16], sgd=optimizer, drop=0.3)
                for i in range(0, len(examples), 16)
            ]
        )
    print(f"roll-outs: {100 * total(calls) / training:.2f} % of the training time")


if __name__ == "__main__":
    main()
