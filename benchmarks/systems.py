"""Train parsers that differ in their settings only, and compare them.

    python benchmarks/systems.py got-ud-train.conllu got-ud-dev.conllu training/systems/gothic \\
        --rows arc_hybrid_swap arc_hybrid_swap,oracle=static mh4 --seeds 0 1 2

A row is the name of a parser (its factory without `_parser`) and settings of its component, such as
`arc_standard,oracle=dynamic,pseudo_projective=head` or `mh4,search=greedy`. What is not set has its
default; the decoder's settings need no training of their own, unless the beam is trained
(`loss=max-violation`).

Every row and seed is a `spacy train` of its own. What is finished in the output folder already is
not done again, so that a stopped comparison goes on where it was, and several processes can share
the seeds out between them. The table gives means over seeds and standard deviations, and the
p-value of the difference in LAS to the first row (approximate randomisation over sentences).
"""

import argparse
import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from statistics import mean, median, stdev
from typing import Any
from zlib import crc32

import numpy
import spacy
import torch
from recording import recorded
from spacy.language import Language
from spacy.tokens import Doc

from spacy_npparse.components import (
    chart_parser,
    one_endpoint_crossing_parser,
    search,
    spanning_tree_parser,
)
from spacy_npparse.decoding import ChartResult
from spacy_npparse.evaluation import score_sentences
from spacy_npparse.evaluation.significance import approximate_randomisation
from spacy_npparse.transitions import transition_systems
from spacy_npparse.treebank import Sentence, read_conllu, sentences_from_doc, unannotated_doc
from spacy_npparse.treebank.files import replacing

COLUMNS = {
    "UAS": "UAS",
    "LAS": "LAS",
    "nonproj_las": "LAS, non-projective sentences",
    "nonproj_precision": "non-projective arcs P",
    "nonproj_recall": "non-projective arcs R",
    "words_per_second": "decoder, words/s",
    "transitions_per_word": "transitions/word",
}
RUNS = 3
BATCH = 128
DECODERS = [
    (search, "decode_greedy"),
    (search, "decode_beam"),
    (chart_parser, "decode_chart"),
    (spanning_tree_parser, "decode_spanning_trees"),
    (one_endpoint_crossing_parser, "decode_one_endpoint_crossing"),
]


def main() -> None:
    """Do what is missing and print the table."""
    arguments = parse_arguments()
    torch.set_num_threads(1)
    check_settings(arguments)
    rows = {
        row: [result(arguments, row, seed) for seed in arguments.seeds] for row in arguments.rows
    }
    print(f"| parser ({len(arguments.seeds)} seeds) |", " | ".join(COLUMNS.values()), "| p |")
    print("|---" * (len(COLUMNS) + 2) + "|")
    first, *_ = rows.values()
    for row, results in rows.items():
        cells = [cell([result[name] for result in results]) for name in COLUMNS]
        if results is not first:
            p = approximate_randomisation(correct_words(first), correct_words(results))
            cells.append(f"{p:.4f}")
        print("|", " | ".join([row, *cells]), "|" if results is not first else "| |")


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("train", type=Path, help="CoNLL-U file to train on")
    parser.add_argument("dev", type=Path, help="CoNLL-U file to choose the best model on")
    parser.add_argument("output", type=Path, help="folder for the models and their results")
    parser.add_argument("--test", type=Path, help="CoNLL-U file to report; otherwise dev")
    known = sorted(transition_systems.get_all())
    parser.add_argument("--rows", nargs="+", type=row_of_table, default=known)
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--updates", type=int, help="otherwise as many as the config says")
    parser.add_argument("--config", type=Path, default=Path("configs/accuracy.cfg"))
    return parser.parse_args()


def row_of_table(text: str) -> str:
    """A row as it is given. Raises ArgumentTypeError, naming what is wrong."""
    system, *settings = text.split(",")
    # Factories of other packages are known once there is a pipeline.
    if not spacy.blank("xx").has_factory(f"{system}_parser"):
        raise argparse.ArgumentTypeError(f"{text!r}: there is no factory {system}_parser")
    for setting in settings:
        if not all(setting.partition("=")):
            raise argparse.ArgumentTypeError(f"{text!r}: {setting!r} should be NAME=VALUE")
    return text


def check_settings(arguments: argparse.Namespace) -> None:
    """Leave a note in the output folder of what the comparison is about. Ends the program if it
    was about something else."""
    note = arguments.output / "comparison.json"
    settings = {
        **{name: checksum(getattr(arguments, name)) for name in ("train", "dev", "config")},
        "updates": arguments.updates,
    }
    if not note.exists():
        with replacing(note) as file:
            file.write(json.dumps(settings).encode())
    known = json.loads(note.read_text(encoding="utf8"))
    changed = [name for name in settings if settings[name] != known[name]]
    if changed:
        sys.exit(
            f"{arguments.output} holds a comparison with other settings ({', '.join(changed)}). "
            "Give another folder."
        )


def checksum(path: Path) -> str:
    """Of a file's content."""
    return f"{crc32(path.read_bytes()):08x}"


def result(arguments: argparse.Namespace, row: str, seed: int) -> dict[str, Any]:
    """What a row gets with one seed; trained and evaluated unless that is done."""
    gold = arguments.test or arguments.dev
    folder = arguments.output / "results" / f"{gold.stem}-{checksum(gold)}"
    path = folder / f"{row}-{seed}.json"
    if not path.exists():
        system, *settings = row.split(",")
        decoder = [setting for setting in settings if setting.startswith("decoder.")]
        found = evaluate(train(arguments, system, settings, seed), gold, decoder)
        with replacing(path) as file:
            file.write(json.dumps(found).encode())
    return dict(json.loads(path.read_text(encoding="utf8")))


def train(arguments: argparse.Namespace, system: str, settings: list[str], seed: int) -> Path:
    """The best model of a row, trained unless that is done. Raises CalledProcessError."""
    if "loss=max-violation" not in settings:
        settings = [setting for setting in settings if not setting.startswith("decoder.")]
    folder = arguments.output / "models" / f"{','.join([system, *settings])}-{seed}"
    if not folder.exists():
        unfinished = folder.with_name(f"{folder.name}.unfinished")
        command: list[object] = [
            *("spacy", "train", arguments.config, "--output", unfinished),
            *("--paths.train", arguments.train, "--paths.dev", arguments.dev),
            *("--components.parser.factory", f"{system}_parser", "--system.seed", seed),
        ]
        for setting in settings:
            name, value = setting.split("=", 1)
            command += [f"--components.parser.{name}", value]
        if arguments.updates:
            command += ["--training.max_steps", arguments.updates]
            command += ["--training.optimizer.learn_rate.total_steps", arguments.updates]
        subprocess.run([sys.executable, "-m", *map(str, command)], check=True)
        unfinished.rename(folder)
    return folder / "model-best"


def evaluate(model: Path, gold: Path, decoder: list[str]) -> dict[str, Any]:
    """What a model reaches on gold tokens and sentences.

    decoder: its settings, where they are not the model's.

    Returns the columns of the table, and for each sentence how many words have the right head and
    relation ("correct").
    """
    pairs = [setting.split("=", 1) for setting in decoder]
    overrides = {f"components.parser.{name}": json.loads(value) for name, value in pairs}
    nlp = spacy.load(model, config=overrides)
    sentences = list(read_conllu(gold))
    runs = [parse(nlp, sentences) for _ in range(RUNS)]
    docs, _, n_transitions = runs[0]
    scores = score_sentences(sentences, (s for doc in docs for s in sentences_from_doc(doc)))
    crossing = scores.nonprojective
    n_words = sum(len(doc) for doc in docs)
    return {
        "UAS": 100 * scores.official["UAS"].f1,
        "LAS": 100 * scores.official["LAS"].f1,
        "nonproj_las": percent(crossing.las),
        "nonproj_precision": percent(crossing.precision),
        "nonproj_recall": percent(crossing.recall),
        "words_per_second": n_words / median(seconds for _, seconds, _ in runs),
        "transitions_per_word": n_transitions / n_words if n_transitions else None,
        "correct": scores.correct_words,
    }


def parse(nlp: Language, sentences: list[Sentence]) -> tuple[list[Doc], float, int]:
    """The parsed sentences, the CPU time of the decoder, and the transitions it took."""
    docs = [unannotated_doc([s], nlp.vocab, sentence_starts=True) for s in sentences]
    with ExitStack() as stack:
        recordings = [stack.enter_context(recorded(*decoder)) for decoder in DECODERS]
        docs = list(nlp.pipe(docs, batch_size=BATCH))
    calls = [call for recording in recordings for call in recording]
    n_transitions = sum(transitions_of(result) for _, result in calls)
    return docs, sum(seconds for seconds, _ in calls), n_transitions


def transitions_of(result: Any) -> int:
    """How many transitions the derivations have that a decoder found, 0 if it finds none."""
    if isinstance(result, ChartResult):
        return len(result.transitions)
    return int(getattr(result, "n_transitions", numpy.zeros(1)).sum())


def percent(rate: float | None) -> float | None:
    """A rate in percent, None where nothing is counted."""
    return None if rate is None else 100 * rate


def correct_words(results: list[dict[str, Any]]) -> list[int]:
    """How many words of each sentence are right, all seeds together."""
    return [sum(counts) for counts in zip(*(r["correct"] for r in results), strict=True)]


def cell(values: list[float | None]) -> str:
    """Mean and standard deviation of the runs."""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return "-"
    if mean(known) > 1000:
        return f"{mean(known):,.0f}"
    return f"{mean(known):.2f}" + (f" ± {stdev(known):.2f}" if len(known) > 1 else "")


if __name__ == "__main__":
    main()
