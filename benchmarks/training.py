"""Compare the CPU time of training updates of several configs.

The pipeline of each config is initialized once, without training a tokenizer. Then updates of all
configs alternate on one thread, with the encoder and all components. After a warm-up, the program
measures the CPU time for each word and each update, and estimates the time of a whole training.

    python benchmarks/training.py got-ud-train.conllu configs/accuracy.cfg configs/fast.cfg
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from spacy.language import Language
from spacy.schemas import ConfigSchemaTraining
from spacy.training import Example
from spacy.training.initialize import init_nlp
from spacy.training.loop import create_train_batches
from spacy.util import load_config, registry, resolve_dot_names
from thinc.api import Optimizer


@dataclass
class Training:
    """A training in progress."""

    name: str
    nlp: Language
    optimizer: Optimizer
    dropout: float
    n_updates: int
    batches: Iterator[tuple[int, list[Example]]]
    n_done: int
    seconds: float = 0.0
    n_words: int = 0

    def update(self) -> None:
        """Make one update as `spacy train` does."""
        start = time.process_time()
        _, batch = next(self.batches)
        self.nlp.update(batch, sgd=False, drop=self.dropout)
        for _, component in self.nlp.pipeline:
            if hasattr(component, "finish_update"):
                component.finish_update(self.optimizer)
        self.optimizer.step_schedules()
        self.n_done += 1
        if self.n_done > 0:
            self.seconds += time.process_time() - start
            self.n_words += sum(len(example.predicted) for example in batch)


def main() -> None:
    """Print the figures of all configs."""
    arguments = parse_arguments()
    torch.set_num_threads(1)
    trainings = [begin(path, arguments) for path in arguments.configs]
    for _ in range(arguments.warm_up + arguments.updates):
        for training in trainings:
            training.update()
    print(f"{'config':40}{'us/word':>10}{'ms/update':>11}{'updates':>9}{'CPU minutes':>13}")
    for one in trainings:
        per_update = one.seconds / one.n_done
        print(
            f"{one.name:40}{1e6 * one.seconds / one.n_words:10.0f}{1e3 * per_update:11.1f}"
            f"{one.n_updates:9,}{per_update * one.n_updates / 60:13.1f}"
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
    nlp = init_nlp(config)
    settings = nlp.config.interpolate()
    training = registry.resolve(settings["training"], schema=ConfigSchemaTraining)
    (corpus,) = resolve_dot_names(settings, [training["train_corpus"]])
    batches = create_train_batches(nlp, corpus, training["batcher"], max_epochs=0)
    return Training(
        str(path),
        nlp,
        training["optimizer"],
        training["dropout"],
        training["max_steps"],
        batches,
        n_done=-arguments.warm_up,
    )


if __name__ == "__main__":
    main()
