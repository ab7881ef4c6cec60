"""Measure the speed of a trained pipeline, and the shares of its parts.

All runs are in one process on one thread. The figures are medians of five runs after a warm-up run,
and the runs of a baseline alternate with the runs of the model. Pipelines are compared with encoder
and parser alone and with all components, on gold tokens and sentences; from plain text; by the time
of one sentence; and by the time to load them. Each pipeline uses its own batch size.

    python benchmarks/speed.py training/gothic/model-best dev.conllu --train train.conllu
    python benchmarks/speed.py training/fast/model-best dev.conllu --baseline spacy/model-best
    python benchmarks/speed.py mh4/model-best dev.conllu --baseline greedy/model-best
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import Any

import spacy
import torch
from recording import recorded
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_npparse.evaluation.parser_comparison import sentence_text
from spacy_npparse.evaluation.scorer import parser_score
from spacy_npparse.models.spellings import shared_spellings
from spacy_npparse.parsing import TransitionSearch, transitions
from spacy_npparse.treebank import ConlluCorpus, read_conllu, unannotated_doc

RUNS = 5
PARSING = ("tok2vec", "parser")
# The number of sentences in a plain text.
IN_A_TEXT = 10
WORDS_OF_A_SENTENCE = 10
LOADING = """
import sys, time
import spacy, torch
imported = time.process_time()
spacy.load(sys.argv[1])
print(imported, time.process_time() - imported)
"""


def main() -> None:
    """Print the figures of a model and, if it is given, of a baseline."""
    arguments = parse_arguments()
    torch.set_num_threads(1)
    pipelines = {"model": spacy.load(arguments.model)}
    if arguments.baseline:
        pipelines["baseline"] = spacy.load(arguments.baseline)
    report_accuracy(pipelines, arguments.gold)
    report_speed(pipelines, arguments.gold)
    report_latency(pipelines, arguments.gold)
    report_loading(arguments)
    parser = pipelines["model"].get_pipe("parser")
    if not isinstance(getattr(parser, "search", None), TransitionSearch):
        return
    only_parse(pipelines["model"])
    report_shares(pipelines["model"], arguments.gold)
    report_loop(pipelines["model"], arguments.gold)
    if arguments.train:
        report_roll_outs(pipelines["model"], arguments.train)


def parse_arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path, help="trained pipeline")
    parser.add_argument("gold", type=Path, help="CoNLL-U file to parse, with gold tokens")
    parser.add_argument("--baseline", type=Path, help="another pipeline, parsed side by side")
    parser.add_argument("--train", type=Path, help="CoNLL-U file: time roll-outs in training too")
    return parser.parse_args()


def only_parse(nlp: Language) -> AbstractContextManager[Any]:
    """Disable all components except encoder and parser, because tagging is not parsing."""
    return nlp.select_pipes(enable=[name for name in nlp.pipe_names if name in PARSING])


def make_docs(nlp: Language, path: Path) -> list[Doc]:
    """Make a Doc with gold tokens and sentence boundaries for each sentence."""
    return [unannotated_doc([s], nlp.vocab) for s in read_conllu(path)]


def seconds(run: Callable[[], Any]) -> float:
    """Measure the CPU time of one call."""
    start = time.process_time()
    run()
    return time.process_time() - start


def total(calls: list[tuple[float, Any]]) -> float:
    """Return the CPU time of recorded calls."""
    return sum(spent for spent, _ in calls)


def make_texts(path: Path) -> list[str]:
    """Return plain texts of several sentences each."""
    texts = [sentence_text(sentence) for sentence in read_conllu(path)]
    return [" ".join(texts[i : i + IN_A_TEXT]) for i in range(0, len(texts), IN_A_TEXT)]


def report_speed(pipelines: dict[str, Language], path: Path) -> None:
    """Print words per second from gold tokens and from plain text to annotated Docs."""
    print(f"{'words per second':24}" + "".join(f"{name:>12}" for name in pipelines))
    with ExitStack() as parsing:
        for nlp in pipelines.values():
            parsing.enter_context(only_parse(nlp))
        report_rates("encoder and parser", pipelines, partial(make_docs, path=path))
    report_rates("all components", pipelines, partial(make_docs, path=path))
    report_rates("from plain text", pipelines, lambda nlp: make_texts(path))


def report_rates(
    what: str, pipelines: dict[str, Language], make: Callable[[Language], list[Any]]
) -> None:
    """Print words per second of pipelines, run alternately, on inputs made for each of them."""
    rates: dict[str, list[float]] = {name: [] for name in pipelines}
    for run in range(RUNS + 1):
        for name, nlp in pipelines.items():
            inputs = make(nlp)
            # Spellings that an earlier run has cached are new again.
            shared_spellings.cache_clear()
            parsed: list[Doc] = []
            spent = seconds(lambda: parsed.extend(nlp.pipe(inputs)))  # noqa: B023
            if run:
                rates[name].append(sum(map(len, parsed)) / spent)
    found = "".join(f"{median(rate):12,.0f}" for rate in rates.values())
    if len(pipelines) == 2:
        ratios = [a / b for a, b in zip(rates["model"], rates["baseline"], strict=True)]
        found += f"{median(ratios):8.2f} times as many"
    print(f"{what:24}{found}")


def report_latency(pipelines: dict[str, Language], path: Path) -> None:
    """Print the time of one sentence from plain text."""
    sentences = [s for s in read_conllu(path) if len(s.words) == WORDS_OF_A_SENTENCE]
    texts = [sentence_text(sentence) for sentence in sentences]
    print(f"{WORDS_OF_A_SENTENCE} words, ms".ljust(24), end="")
    times: dict[str, list[float]] = {name: [] for name in pipelines}
    for run in range(RUNS + 1):
        for name, nlp in pipelines.items():
            spent = [seconds(lambda: nlp(text)) for text in texts]  # noqa: B023
            if run:
                times[name].append(median(spent))
    print("".join(f"{1e3 * median(spent):12.1f}" for spent in times.values()))


def report_loading(arguments: argparse.Namespace) -> None:
    """Print the time that a new process takes to load each pipeline, and to import libraries."""
    print(f"{'loading, s':24}", end="")
    libraries = []
    for model in filter(None, (arguments.model, arguments.baseline)):
        found = subprocess.run(
            [sys.executable, "-c", LOADING, model], capture_output=True, text=True, check=True
        )
        imported, loaded = map(float, found.stdout.split())
        libraries.append(imported)
        print(f"{loaded:12.2f}", end="")
    print(f"   spaCy and torch: {median(libraries):.2f}")


def report_accuracy(pipelines: dict[str, Language], path: Path) -> None:
    """Print the accuracy of the pipelines on gold tokens and sentences."""
    for name, nlp in pipelines.items():
        examples = list(ConlluCorpus(path)(nlp))
        parsed = list(nlp.pipe([eg.predicted for eg in examples]))
        pairs = zip(parsed, examples, strict=True)
        scores = parser_score([Example(doc, eg.reference) for doc, eg in pairs])
        print(f"{name}: UAS {100 * scores['dep_uas']:.2f}, LAS {100 * scores['dep_las']:.2f}")


def report_shares(nlp: Language, path: Path) -> None:
    """Print the shares of the parse time after the encoder and in the transition loop."""
    encoder, parser = nlp.get_pipe("tok2vec"), nlp.get_pipe("parser")
    after, loop = [], []
    for run in range(RUNS + 1):
        docs = make_docs(nlp, path)
        encoding = seconds(lambda: [*encoder.pipe(docs, batch_size=nlp.batch_size)])  # noqa: B023
        with recorded(transitions, "decode_greedy") as calls:
            parsing = seconds(lambda: [*parser.pipe(docs, batch_size=nlp.batch_size)])  # noqa: B023
        if run:
            after.append(parsing / (encoding + parsing))
            loop.append(total(calls) / (encoding + parsing))
    print(f"after the encoder: {100 * median(after):.1f} % of the parse time")
    print(f"transition loop: {100 * median(loop):.2f} % of the parse time")


def report_loop(nlp: Language, path: Path) -> None:
    """Print the speed of the transition loop alone on pseudo-sentences of two lengths, which are
    cut from the text. A text that is too short is repeated."""
    words = [word.form for sentence in read_conllu(path) for word in sentence.words]
    rates = {}
    for length in (20, 1000):
        repeated = [*islice(cycle(words), max(length, len(words)))]
        texts = [repeated[i : i + length] for i in range(0, len(repeated) - length + 1, length)]
        times = []
        for _ in range(RUNS + 1):
            docs = [Doc(nlp.vocab, words=text) for text in texts]
            with recorded(transitions, "decode_greedy") as calls:
                list(nlp.pipe(docs))
            times.append(total(calls))
        rates[length] = length * len(texts) / median(times[1:])
        print(f"transition loop alone, {length} words a sentence: {rates[length]:,.0f} words/s")
    print(f"cost per word at length 1000: {rates[20] / rates[1000]:.2f} times that at length 20")


def report_roll_outs(nlp: Language, path: Path) -> None:
    """Print the share of the training time that roll-outs take in one epoch."""
    examples = list(ConlluCorpus(path)(nlp))
    optimizer = nlp.create_optimizer()
    with recorded(transitions, "roll_out") as calls:
        training = seconds(
            lambda: [
                nlp.update(examples[i : i + 16], sgd=optimizer, drop=0.3)
                for i in range(0, len(examples), 16)
            ]
        )
    print(f"roll-outs: {100 * total(calls) / training:.2f} % of the training time")


if __name__ == "__main__":
    main()
