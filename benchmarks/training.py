"""Compare the CPU time of training updates of several configs.

The pipeline of each config is initialized once, without training a tokenizer. Then updates of all
configs alternate on one thread, with the encoder and all components. After a warm-up, the program
measures the CPU time for each word and each update, and estimates the time of a whole training.

    python benchmarks/training.py got-ud-train.conllu configs/accuracy.cfg configs/fast.cfg
"""

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import torch
from spacy.training.initialize import init_nlp
from spacy.util import load_config
from updates import Updates


@dataclass
class Training:
    """A training in progress, and the CPU time and the words of its updates after the warm-up."""

    name: str
    updates: Updates
    seconds: float = 0.0
    n_words: int = 0

    def update(self, *, counts: bool) -> None:
        """Make one update."""
        start = time.process_time()
        batch = self.updates.batch()
        self.updates.update(batch)
        if counts:
            self.seconds += time.process_time() - start
            self.n_words += sum(len(example.predicted) for example in batch)


def main() -> None:
    """Print the figures of all configs."""
    arguments = parse_arguments()
    torch.set_num_threads(1)
    trainings = [begin(path, arguments) for path in arguments.configs]
    for number in range(arguments.warm_up + arguments.updates):
        for training in trainings:
            training.update(counts=number >= arguments.warm_up)
    print(f"{'config':40}{'us/word':>10}{'ms/update':>11}{'updates':>9}{'CPU minutes':>13}")
    for one in trainings:
        per_update = one.seconds / arguments.updates
        n_updates = one.updates.settings["max_steps"]
        print(
            f"{one.name:40}{1e6 * one.seconds / one.n_words:10.0f}{1e3 * per_update:11.1f}"
            f"{n_updates:9,}{per_update * n_updates / 60:13.1f}"
        )


def parse_arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("treebank", type=Path, help="CoNLL-U file to train on")
    parser.add_argument("configs", type=Path, nargs="+", help="training configs")
    parser.add_argument("--parser", default="mh4", help="factory without `_parser`")
    parser.add_argument("--updates", type=int, default=60, help="of each config")
    parser.add_argument("--warm-up", type=int, default=20, help="updates that do not count")
    return parser.parse_args()


def begin(path: Path, arguments: argparse.Namespace) -> Training:
    """Initialize the pipeline of a config."""
    overrides = {
        "paths.train": str(arguments.treebank),
        "paths.dev": str(arguments.treebank),
        "components.parser.factory": f"{arguments.parser}_parser",
    }
    config = load_config(path, overrides=overrides)
    config["nlp"]["tokenizer"] = {"@tokenizers": "spacy.Tokenizer.v1"}
    config["initialize"].pop("tokenizer", None)
    return Training(str(path), Updates(init_nlp(config)))


if __name__ == "__main__":
    main()
